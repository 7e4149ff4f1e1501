/**
 * Recognizes browsers that have signed in as a person before, by a cookie for each person. It
 * signs nobody in. It only keeps strangers who guess the person's password from locking them out.
 */
import type { IncomingMessage } from 'node:http';
import { makeToken } from '../model/ids.ts';
import { knownIdleMs, type Logins } from '../store/accounts/logins.ts';
import { cookieOf, setCookie } from './cookies.ts';
import type { DashboardWorld } from './world.ts';

export type KnownBrowsers = ReturnType<typeof createKnownBrowsers>;

export interface KnownBrowsersParts extends Pick<DashboardWorld, 'baseUrl' | 'now' | 'random'> {
  logins: Logins;
}

const cookiePrefix = 'daybook-known-';

/** Whether a browser may be known to somebody: its e-mail stands in the body. */
export const bringsKnownCookie = (request: IncomingMessage): boolean =>
  (request.headers.cookie ?? '').includes(cookiePrefix);

export const createKnownBrowsers = ({ logins, baseUrl, now, random }: KnownBrowsersParts) => {
  const find = (request: IncomingMessage, personId: number | undefined): string | undefined => {
    const token = personId === undefined ? undefined : cookieOf(request, cookiePrefix + personId, baseUrl);
    return token !== undefined && logins.use('known', token, now())?.personId === personId ? token : undefined;
  };
  return {
    /** The token of a browser that is known to the person; undefined when it is not. */
    find,
    /**
     * The headers that make a browser known to the person, until it stays away for too long or the
     * password is another: somebody who knew the old one may have had a browser, too.
     */
    remember(request: IncomingMessage, personId: number, origin: string) {
      const known = find(request, personId);
      const token = known ?? makeToken(random);
      if (known === undefined) logins.begin('known', personId, token, now());
      return setCookie(cookiePrefix + personId, token, knownIdleMs / 1000, origin);
    },
  };
};
