/** Signs people in and out, by password or by a one-time link. */
import { HttpError } from '../http/errors.ts';
import { emailOf, passwordOf } from '../model/values.ts';
import { asTyped, field, unlessTaken } from './fields.ts';
import type { Parts } from './parts.ts';
import { type DashboardRoute, done, get, ok, openPost } from './route.ts';
import { clearCookie, cookieToken, setCookie } from './sessions.ts';
import type { LinkView, Me } from './wire.ts';

export const signInRoutes = (parts: Parts): DashboardRoute[] => {
  const { accounts, credentials, logins, links, passwords, sessions, views, now, addressOf } = parts;

  /** The account that a one-time link is for. */
  const accountOfLink = (token: string): number => {
    const accountId = links.find(token, now());
    if (accountId === undefined) throw new HttpError('app-dead-link');
    return accountId;
  };

  return [
    get('/app/me', ({ origin }, { account }) => ok<Me>(views.me(account, origin))),

    openPost('/app/sign-in', async ({ request, origin, body }) => {
      const email = field(body, 'email', lenientEmail);
      const password = field(body, 'password', asTyped);
      const found = credentials.ofEmail(email);
      const isRight = await sessions.checkPassword(email, found, password, addressOf(request));
      if (!isRight || found === undefined) throw new HttpError('app-sign-in-failed');
      const { account, token } = sessions.begin(found.accountId);
      return ok<Me>(views.me(account, origin), { 'set-cookie': setCookie(token, origin) });
    }),

    openPost('/app/sign-out', ({ request, origin }) => {
      const token = cookieToken(request);
      if (token !== undefined) logins.end(token);
      return done({ 'set-cookie': clearCookie(origin) });
    }),

    openPost('/app/link', ({ body }) => {
      const accountId = accountOfLink(field(body, 'token', asTyped));
      return ok<LinkView>({
        account: accounts.byId(accountId)!.name,
        email: credentials.ofAccount(accountId)?.email ?? null,
      });
    }),

    openPost('/app/link/use', async ({ origin, body }) => {
      const token = field(body, 'token', asTyped);
      accountOfLink(token);
      const email = field(body, 'email', emailOf);
      const record = await passwords.record(field(body, 'password', passwordOf));
      // Somebody else may have used it meanwhile.
      const accountId = accountOfLink(token);
      unlessTaken('email', () => credentials.set({ accountId, email, password: record }));
      links.remove(accountId);
      const login = sessions.begin(accountId);
      logins.endOthers(accountId, login.token);
      return ok<Me>(views.me(login.account, origin), { 'set-cookie': setCookie(login.token, origin) });
    }),
  ];
};

/** A text that is no e-mail belongs to nobody, and is answered like any other wrong e-mail. */
const lenientEmail = (typed: string): string => {
  try {
    return emailOf(typed);
  } catch {
    return typed.slice(0, 254);
  }
};
