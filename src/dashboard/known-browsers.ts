/**
 * Recognizes browsers that have signed in to an account before, by a cookie for each account. It
 * signs nobody in. It only keeps strangers who guess the account's password from locking it out.
 */
import type { IncomingMessage } from 'node:http';
import { makeToken, type Random } from '../model/ids.ts';
import { knownIdleMs, type Logins } from '../store/accounts/logins.ts';
import { cookieOf, setCookie } from './cookies.ts';

export interface KnownBrowsers {
  /** The token of a browser that is known to the account; undefined when it is not. */
  find(request: IncomingMessage, accountId: number | undefined): string | undefined;
  /**
   * The headers that make a browser known to the account, until it stays away for too long or the
   * password is another: somebody who knew the old one may have had a browser, too.
   */
  remember(request: IncomingMessage, accountId: number, origin: string): string[];
}

export interface KnownBrowsersParts {
  logins: Logins;
  baseUrl: string | null;
  now: () => number;
  random: Random;
}

const cookiePrefix = 'daybook-known-';

/** Whether a browser may be known to some account: its e-mail stands in the body. */
export const bringsKnownCookie = (request: IncomingMessage): boolean =>
  (request.headers.cookie ?? '').includes(cookiePrefix);

export const createKnownBrowsers = ({ logins, baseUrl, now, random }: KnownBrowsersParts): KnownBrowsers => {
  const find = (request: IncomingMessage, accountId: number | undefined): string | undefined => {
    const token = accountId === undefined ? undefined : cookieOf(request, cookiePrefix + accountId, baseUrl);
    return token !== undefined && logins.use('known', token, now()) === accountId ? token : undefined;
  };
  return {
    find,
    remember(request, accountId, origin) {
      const known = find(request, accountId);
      const token = known ?? makeToken(random);
      if (known === undefined) logins.begin('known', accountId, token, now());
      return setCookie(cookiePrefix + accountId, token, knownIdleMs / 1000, origin);
    },
  };
};
