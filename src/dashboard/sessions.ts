/**
 * Who is signed in, by the cookie that their browser keeps; and checks of passwords, limited so
 * that nobody can guess them.
 */
import type { IncomingMessage } from 'node:http';
import { HttpError } from '../http/errors.ts';
import { makeToken, type Random } from '../model/ids.ts';
import type { Account } from '../model/site.ts';
import { minuteMs } from '../model/time.ts';
import type { Accounts } from '../store/accounts/accounts.ts';
import type { Credentials } from '../store/accounts/credentials.ts';
import { type Logins, loginIdleMs } from '../store/accounts/logins.ts';
import type { Passwords } from './passwords.ts';
import { createRateLimit, networkOf } from './rate-limit.ts';

/** Who is signed in, and the token that says so. */
export interface Login {
  account: Account;
  token: string;
}

export interface Sessions {
  /** Who a request is from; undefined for somebody who is not signed in. */
  loginOf(request: IncomingMessage): Login | undefined;
  /** Signs in to an account. */
  begin(accountId: number): Login;
  /**
   * Whether the password belongs to these credentials, which may be missing. Throws HttpError after
   * too many wrong ones for the e-mail, or, where an address is given, from its network.
   */
  checkPassword(
    email: string,
    credentials: Credentials | undefined,
    password: string,
    address?: string,
  ): Promise<boolean>;
}

export interface SessionsParts {
  accounts: Accounts;
  logins: Logins;
  passwords: Passwords;
  now: () => number;
  random: Random;
}

/**
 * Enough for somebody who is not sure. At this pace, guessing takes centuries. Several people may
 * share a network.
 */
const limitWindowMs = 15 * minuteMs;
const attemptsPerAccount = 10;
const attemptsPerNetwork = 50;

export const createSessions = ({ accounts, logins, passwords, now, random }: SessionsParts): Sessions => {
  const accountLimit = createRateLimit({ now, max: attemptsPerAccount, windowMs: limitWindowMs });
  const networkLimit = createRateLimit({ now, max: attemptsPerNetwork, windowMs: limitWindowMs });

  const countAttempt = (email: string, network: string | undefined): void => {
    const waitMs = (network === undefined ? 0 : networkLimit.take(network)) || accountLimit.take(email);
    if (waitMs === 0) return;
    throw new HttpError('app-too-many-attempts', { retryAfterSeconds: Math.ceil(waitMs / 1000) });
  };

  return {
    loginOf(request) {
      const token = cookieToken(request);
      const accountId = token === undefined ? undefined : logins.use(token, now());
      const account = accountId === undefined ? undefined : accounts.byId(accountId);
      return token === undefined || account === undefined ? undefined : { account, token };
    },
    begin(accountId) {
      const token = makeToken(random);
      logins.begin(accountId, token, now());
      return { account: accounts.byId(accountId) as Account, token };
    },
    async checkPassword(email, credentials, password, address) {
      const network = address === undefined ? undefined : networkOf(address);
      // Counted before the check, so that many checks at once count too.
      countAttempt(email, network);
      if (!(await passwords.matches(password, credentials?.password))) return false;
      accountLimit.forget(email);
      if (network !== undefined) networkLimit.giveBack(network);
      return true;
    },
  };
};

const cookieName = 'daybook';

/** The token that a request brings; undefined when it brings none. */
export const cookieToken = (request: IncomingMessage): string | undefined =>
  new RegExp(`(?:^|;)\\s*${cookieName}=([^;\\s]+)`).exec(request.headers.cookie ?? '')?.[1];

/**
 * The header that gives a browser its cookie. Scripts cannot read the cookie, forms and fetches of
 * other sites do not carry it, and where the dashboard is on https it goes over https only. Every
 * page renews it, so that it lasts as long as the login.
 */
export const setCookie = (token: string, origin: string): string => cookieHeader(token, loginIdleMs / 1000, origin);
export const clearCookie = (origin: string): string => cookieHeader('', 0, origin);

const cookieHeader = (value: string, seconds: number, origin: string): string =>
  [
    `${cookieName}=${value}`,
    'Path=/',
    `Max-Age=${seconds}`,
    'HttpOnly',
    'SameSite=Lax',
    ...(origin.startsWith('https:') ? ['Secure'] : []),
  ].join('; ');
