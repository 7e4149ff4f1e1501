/**
 * Recognizes browsers that have signed in to an account before, by a cookie for each account. It
 * signs nobody in. It only keeps strangers who guess the account's password from locking it out.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { makeToken, type Random } from '../model/ids.ts';
import { dayMs } from '../model/time.ts';
import type { Credentials } from '../store/accounts/credentials.ts';
import { cookieOf, setCookie } from './cookies.ts';

/** Browsers keep no cookie for longer. */
const lastsMs = 400 * dayMs;

const cookieName = (accountId: number): string => `daybook-known-${accountId}`;

/**
 * Signed with the record of the password, which nobody else has. So a new password makes all
 * browsers unknown, as somebody who knew the old one may have had one.
 */
const signature = ({ accountId, password }: Credentials, id: string, until: number): Buffer =>
  createHmac('sha256', password).update(`known browser\n${accountId}\n${id}\n${until}`).digest();

/** The headers that make a browser known to the account. */
export const makeKnown = (credentials: Credentials, origin: string, random: Random, now: number): string[] => {
  const id = makeToken(random);
  const until = now + lastsMs;
  const value = `${id}.${until}.${signature(credentials, id, until).toString('base64url')}`;
  return setCookie(cookieName(credentials.accountId), value, lastsMs / 1000, origin);
};

/** Whether a browser may be known to some account: its e-mail stands in the body. */
export const bringsKnownCookie = (request: IncomingMessage): boolean =>
  (request.headers.cookie ?? '').includes('daybook-known-');

/** The id of a browser that is known to the account; undefined when it is not. */
export const knownBrowser = (
  request: IncomingMessage,
  credentials: Credentials | undefined,
  baseUrl: string | null,
  now: number,
): string | undefined => {
  if (credentials === undefined) return undefined;
  const cookie = cookieOf(request, cookieName(credentials.accountId), baseUrl) ?? '';
  const [, id, until, signed] = /^([\dA-Za-z]{43})\.(\d{1,15})\.([\w-]{43})$/.exec(cookie) ?? [];
  if (id === undefined || until === undefined || signed === undefined || Number(until) <= now) return undefined;
  const expected = signature(credentials, id, Number(until));
  return timingSafeEqual(Buffer.from(signed, 'base64url'), expected) ? id : undefined;
};
