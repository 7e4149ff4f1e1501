/** Who is signed in, by the cookie that their browser keeps. */
import type { IncomingMessage } from 'node:http';
import { makeToken, type Random } from '../model/ids.ts';
import type { Account } from '../model/site.ts';
import type { Accounts } from '../store/accounts/accounts.ts';
import { type Logins, loginIdleMs } from '../store/accounts/logins.ts';
import { cookieOf, setCookie } from './cookies.ts';

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
}

export interface SessionsParts {
  accounts: Accounts;
  logins: Logins;
  baseUrl: string | null;
  now: () => number;
  random: Random;
}

export const createSessions = ({ accounts, logins, baseUrl, now, random }: SessionsParts): Sessions => ({
  loginOf(request) {
    const token = cookieOf(request, cookieName, baseUrl);
    const accountId = token === undefined ? undefined : logins.use('browser', token, now());
    const account = accountId === undefined ? undefined : accounts.byId(accountId);
    return token === undefined || account === undefined ? undefined : { account, token };
  },
  begin(accountId) {
    const token = makeToken(random);
    logins.begin('browser', accountId, token, now());
    return { account: accounts.byId(accountId) as Account, token };
  },
});

const cookieName = 'daybook';

/** Headers that give a browser its login. Every page renews it, so it lasts as the login does. */
export const keepLogin = (token: string, origin: string): string[] =>
  setCookie(cookieName, token, loginIdleMs / 1000, origin);
export const dropLogin = (origin: string): string[] => setCookie(cookieName, '', 0, origin);
