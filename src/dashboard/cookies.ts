/** The dashboard's cookies: how they are named, read and set. */
import type { IncomingMessage } from 'node:http';

/**
 * On https a cookie is named `__Host-…`. Browsers take such a name only from this very host, so no
 * neighbour under the same domain can plant one.
 */
const hostPrefix = '__Host-';

const isSecure = (origin: string): boolean => origin.startsWith('https:');

/** Whether the client sees the dashboard on https: as BASE_URL says, or else as the proxy does. */
export const isHttps = ({ headers }: IncomingMessage, baseUrl: string | null): boolean =>
  baseUrl === null
    ? String(headers['x-forwarded-proto'] ?? '')
        .split(',')[0]!
        .trim() === 'https'
    : isSecure(baseUrl);

/**
 * The value of a cookie that a request brings; undefined when it brings none. On https the name
 * without prefix does not count: a neighbour may have planted it.
 */
export const cookieOf = (request: IncomingMessage, name: string, baseUrl: string | null): string | undefined => {
  const given = new Map(
    (request.headers.cookie ?? '').split(';').map(pair => {
      const [key = '', ...value] = pair.split('=');
      return [key.trim(), value.join('=').trim()];
    }),
  );
  return given.get(isHttps(request, baseUrl) ? hostPrefix + name : name) || undefined;
};

/**
 * The headers that give a browser a cookie for so many seconds; 0 takes it away. Scripts cannot
 * read it, forms and fetches of other sites do not carry it, and where the dashboard is on https it
 * goes over https only.
 */
export const setCookie = (name: string, value: string, seconds: number, origin: string): string[] =>
  isSecure(origin)
    ? [cookieHeader(hostPrefix + name, value, seconds, true), cookieHeader(name, '', 0, true)]
    : [cookieHeader(name, value, seconds, false)];

const cookieHeader = (name: string, value: string, seconds: number, secure: boolean): string =>
  [`${name}=${value}`, 'Path=/', `Max-Age=${seconds}`, 'HttpOnly', 'SameSite=Lax', ...(secure ? ['Secure'] : [])].join(
    '; ',
  );
