/** The dashboard's cookies: how they are named, read and set. */
import type { IncomingMessage } from 'node:http';

/**
 * On https a cookie is named `__Host-…`. Browsers take such a name only from this very host, so no
 * neighbour under the same domain can plant one.
 */
const hostPrefix = '__Host-';

const isSecure = (origin: string): boolean => origin.startsWith('https:');

/**
 * The value of a cookie that a request brings; undefined when it brings none. The name without
 * prefix counts where there is no other: it is from http, or from before there were prefixes.
 */
export const cookieOf = (request: IncomingMessage, name: string): string | undefined => {
  const given = new Map(
    (request.headers.cookie ?? '').split(';').map(pair => {
      const [key = '', ...value] = pair.split('=');
      return [key.trim(), value.join('=').trim()];
    }),
  );
  return given.get(hostPrefix + name) || given.get(name) || undefined;
};

/**
 * The headers that give a browser a cookie for so many seconds; 0 takes it away. Scripts cannot read
 * it, forms and fetches of other sites do not carry it, and where the dashboard is on https it goes
 * over https only.
 */
export const setCookie = (name: string, value: string, seconds: number, origin: string): string[] =>
  isSecure(origin)
    ? [cookieHeader(hostPrefix + name, value, seconds, true), cookieHeader(name, '', 0, true)]
    : [cookieHeader(name, value, seconds, false)];

const cookieHeader = (name: string, value: string, seconds: number, secure: boolean): string =>
  [`${name}=${value}`, 'Path=/', `Max-Age=${seconds}`, 'HttpOnly', 'SameSite=Lax', ...(secure ? ['Secure'] : [])].join(
    '; ',
  );
