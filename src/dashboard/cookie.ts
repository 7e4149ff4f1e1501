/** The cookie that a signed-in browser keeps: a random token and nothing else. */
import type { IncomingMessage } from 'node:http';
import { loginIdleMs } from '../store/accounts/logins.ts';

const name = 'daybook';

/** The token a request brings; undefined when it brings none. */
export const cookieToken = (request: IncomingMessage): string | undefined =>
  new RegExp(`(?:^|;)\\s*${name}=([^;\\s]+)`).exec(request.headers.cookie ?? '')?.[1];

/**
 * Hidden from scripts, not sent along by other sites' forms and fetches, and over https only where that is how the dashboard is reached.
 * Every page renews it, so that it lasts for as long as the login.
 */
export const setCookie = (token: string, origin: string): string => cookie(token, loginIdleMs / 1000, origin);
export const clearCookie = (origin: string): string => cookie('', 0, origin);

const cookie = (value: string, seconds: number, origin: string): string =>
  [
    `${name}=${value}`,
    'Path=/',
    `Max-Age=${seconds}`,
    'HttpOnly',
    'SameSite=Lax',
    ...(origin.startsWith('https:') ? ['Secure'] : []),
  ].join('; ');
