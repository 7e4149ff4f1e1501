/** Signing in and out, with a password or, the first time, with a one-time link. */
import type { IncomingMessage } from 'node:http';
import { emailOf, passwordOf } from '../model/values.ts';
import type { AccountLinks } from '../store/accounts/account-links.ts';
import type { Accounts } from '../store/accounts/accounts.ts';
import type { CredentialStore } from '../store/accounts/credentials.ts';
import type { Logins } from '../store/accounts/logins.ts';
import { asTyped, field, unlessTaken } from './body.ts';
import { clearCookie, cookieToken, setCookie } from './cookie.ts';
import { done, type Endpoint, get, ok, openPost } from './endpoint.ts';
import { Failed } from './failure.ts';
import type { Passwords } from './passwords.ts';
import type { Sessions } from './sessions.ts';
import type { Views } from './views.ts';
import type { LinkView, Me } from './wire.ts';

export interface SignInParts {
  accounts: Accounts;
  credentials: CredentialStore;
  logins: Logins;
  links: AccountLinks;
  passwords: Passwords;
  door: Sessions;
  views: Views;
  now: () => number;
  addressOf: (request: IncomingMessage) => string;
}

export const signInEndpoints = (parts: SignInParts): Endpoint[] => {
  const { accounts, credentials, logins, links, passwords, door, views, now, addressOf } = parts;

  const linked = (token: string): number => {
    const accountId = links.find(token, now());
    if (accountId === undefined) throw new Failed(404, 'This link was used already, or is too old.');
    return accountId;
  };

  return [
    get('/app/me', ({ origin }, { account }) => ok<Me>(views.me(account, origin))),

    openPost('/app/sign-in', async ({ request, origin, body }) => {
      const email = field(body, 'email', lenientEmail);
      const password = field(body, 'password', asTyped);
      const found = credentials.ofEmail(email);
      if (!(await door.check(email, found, password, addressOf(request))) || found === undefined)
        throw new Failed(401, 'The e-mail or the password is wrong.');
      const { account, token } = door.open(found.accountId);
      return ok<Me>(views.me(account, origin), { 'set-cookie': setCookie(token, origin) });
    }),

    openPost('/app/sign-out', ({ request, origin }) => {
      const token = cookieToken(request);
      if (token !== undefined) logins.end(token);
      return done({ 'set-cookie': clearCookie(origin) });
    }),

    openPost('/app/link', ({ body }) => {
      const accountId = linked(field(body, 'token', asTyped));
      return ok<LinkView>({
        account: accounts.byId(accountId)!.name,
        email: credentials.ofAccount(accountId)?.email ?? null,
      });
    }),

    openPost('/app/link/use', async ({ origin, body }) => {
      const token = field(body, 'token', asTyped);
      linked(token);
      const email = field(body, 'email', emailOf);
      const record = await passwords.record(field(body, 'password', passwordOf));
      // Looked up again: meanwhile somebody else may have used it.
      const accountId = linked(token);
      unlessTaken('email', () => credentials.set({ accountId, email, password: record }));
      links.remove(accountId);
      const login = door.open(accountId);
      logins.endOthers(accountId, login.token);
      return ok<Me>(views.me(login.account, origin), { 'set-cookie': setCookie(login.token, origin) });
    }),
  ];
};

/** What is no address is nobody's: it is answered like any other wrong one. */
const lenientEmail = (typed: string): string => {
  try {
    return emailOf(typed);
  } catch {
    return typed.slice(0, 254);
  }
};
