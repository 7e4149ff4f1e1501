/** Who comes in: checks passwords against attempts without end, and keeps track of who is signed in. */
import type { IncomingMessage } from 'node:http';
import { makeToken, type Random } from '../model/ids.ts';
import type { Account } from '../model/site.ts';
import { minuteMs } from '../model/time.ts';
import type { Accounts } from '../store/accounts/accounts.ts';
import type { Credentials } from '../store/accounts/credentials.ts';
import type { Logins } from '../store/accounts/logins.ts';
import { cookieToken } from './cookie.ts';
import type { Login } from './endpoint.ts';
import { Failed } from './failure.ts';
import type { Passwords } from './passwords.ts';
import { createRateLimit, networkOf } from './rate-limit.ts';

export interface Sessions {
  /** Who a request is from, by its cookie; undefined for somebody who is not signed in. */
  loginOf(request: IncomingMessage): Login | undefined;
  /** Signs in to an account: the token for the cookie. */
  open(accountId: number): Login;
  /**
   * Whether the password is the one of these credentials, which may be missing. Throws Failed after too many wrong ones for the
   * e-mail, or from the network when it is given.
   */
  check(email: string, credentials: Credentials | undefined, password: string, network?: string): Promise<boolean>;
}

export interface SessionsParts {
  accounts: Accounts;
  logins: Logins;
  passwords: Passwords;
  now: () => number;
  random: Random;
}

/** A person who is not sure tries a few times; who guesses at this pace needs centuries. Others share a network's address. */
const attemptsWindowMs = 15 * minuteMs;
const attemptsPerAccount = 10;
const attemptsPerNetwork = 50;

export const createSessions = ({ accounts, logins, passwords, now, random }: SessionsParts): Sessions => {
  const byAccount = createRateLimit({ now, max: attemptsPerAccount, windowMs: attemptsWindowMs });
  const byNetwork = createRateLimit({ now, max: attemptsPerNetwork, windowMs: attemptsWindowMs });

  const admit = (email: string, network: string | undefined): void => {
    const waitMs = (network === undefined ? 0 : byNetwork.take(network)) || byAccount.take(email);
    if (waitMs === 0) return;
    throw new Failed(429, 'There were too many attempts.', { retryAfterSeconds: Math.ceil(waitMs / 1000) });
  };

  return {
    loginOf(request) {
      const token = cookieToken(request);
      const accountId = token === undefined ? undefined : logins.use(token, now());
      const account = accountId === undefined ? undefined : accounts.byId(accountId);
      return token === undefined || account === undefined ? undefined : { account, token };
    },
    open(accountId) {
      const token = makeToken(random);
      logins.begin(accountId, token, now());
      return { account: accounts.byId(accountId) as Account, token };
    },
    async check(email, credentials, password, address) {
      const network = address === undefined ? undefined : networkOf(address);
      // Counted before it is looked at, so that many at once are counted too.
      admit(email, network);
      if (!(await passwords.matches(password, credentials?.password))) return false;
      byAccount.forget(email);
      if (network !== undefined) byNetwork.giveBack(network);
      return true;
    },
  };
};
