/** Where the dashboard is, and whether a request comes from one of its own pages. */
import type { IncomingMessage } from 'node:http';
import { Failed } from './failure.ts';

/**
 * The address under which the person at the other end sees the dashboard, without a slash at its end: BASE_URL, or else what
 * their request says. Whoever writes something else into their request fools nobody but themselves.
 */
export const originOf = (request: IncomingMessage, baseUrl: string | null): string => {
  if (baseUrl !== null) return baseUrl;
  const secure =
    String(request.headers['x-forwarded-proto'] ?? '')
      .split(',')[0]!
      .trim() === 'https';
  return `${secure ? 'https' : 'http'}://${request.headers.host ?? 'localhost'}`;
};

/**
 * Throws Failed unless the request was made by a page of this host. A browser sends the cookie along with a form or a fetch of any page;
 * but it tells the page's origin too, and asks before it sends JSON across origins, which is never allowed here. SameSite=Lax is
 * the third wall.
 */
export const refuseForeign = (request: IncomingMessage, origin: string): void => {
  const { origin: sender, host, 'sec-fetch-site': site, 'content-type': type } = request.headers;
  const isOwn = (address: string): boolean => {
    const from = URL.canParse(address) ? new URL(address) : undefined;
    return from !== undefined && (from.origin === new URL(origin).origin || from.host === host);
  };
  const told = sender !== undefined || site !== undefined;
  if (!told || (sender !== undefined && !isOwn(sender)) || (site !== undefined && site !== 'same-origin'))
    throw new Failed(403, `This must be done from a page of the dashboard itself, which is at ${origin}.`);
  if (!/^application\/json\s*(;|$)/i.test(type ?? '')) throw new Failed(415, 'The body must be JSON.');
};
