/** Signs people in and out, by password or by a one-time link. */
import { HttpError } from '../http/errors.ts';
import type { Reply } from '../http/reply.ts';
import { emailOf } from '../model/values.ts';
import type { Credentials } from '../store/accounts/credentials.ts';
import { asTyped, field, unlessTaken } from './fields.ts';
import { bringsKnownCookie, knownBrowser, makeKnown } from './known-browsers.ts';
import { newPassword } from './new-password.ts';
import type { Parts } from './parts.ts';
import { revocationOf, revoke } from './revoke.ts';
import { type DashboardRoute, done, get, ok, openPost } from './route.ts';
import { dropLogin, keepLogin, loginToken } from './sessions.ts';
import type { LinkView, Me } from './wire.ts';

export const signInRoutes = (parts: Parts): DashboardRoute[] => {
  const { accounts, credentials, logins, links, passwords, check, sessions, views, now, random } = parts;
  const { addressOf, baseUrl } = parts;

  /** The account that a one-time link is for. */
  const accountOfLink = (token: string): number => {
    const accountId = links.find(token, now());
    if (accountId === undefined) throw new HttpError('app-dead-link');
    return accountId;
  };

  /** Signs the browser in, and knows it from now on. */
  const signedIn = (own: Credentials, origin: string): Reply => {
    const login = sessions.begin(own.accountId);
    const cookies = [...keepLogin(login.token, origin), ...makeKnown(own, origin, random, now())];
    return ok<Me>(views.me(login.account, origin), { 'set-cookie': cookies });
  };

  return [
    get('/app/me', ({ origin }, { account }) => ok<Me>(views.me(account, origin))),

    openPost(
      '/app/sign-in',
      async ({ request, origin, body }) => {
        const email = field(body, 'email', lenientEmail);
        const password = field(body, 'password', asTyped);
        const browserId = knownBrowser(request, credentials.ofEmail(email), baseUrl, now());
        const found = await check.signIn({ email, password, address: addressOf(request), browserId });
        if (found === undefined) throw new HttpError('app-sign-in-failed');
        return signedIn(found, origin);
      },
      ({ request }) => {
        if (!bringsKnownCookie(request)) check.refuseTired(addressOf(request));
      },
    ),

    openPost('/app/sign-out', ({ request, origin }) => {
      const token = loginToken(request, baseUrl);
      if (token !== undefined) logins.end(token);
      return done({ 'set-cookie': dropLogin(origin) });
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
      const revocation = revocationOf(body);
      const record = await passwords.record(await newPassword(body, 'password', email));
      // Somebody else may have used it meanwhile.
      const own = { accountId: accountOfLink(token), email, password: record };
      unlessTaken('email', () => credentials.set(own));
      links.remove(own.accountId);
      logins.endAll(own.accountId);
      revoke(parts, own.accountId, revocation);
      return signedIn(own, origin);
    }),
  ];
};

/** A text that is no e-mail belongs to nobody, and is answered like any other wrong e-mail. */
export const lenientEmail = (typed: string): string => {
  try {
    return emailOf(typed);
  } catch {
    return typed.slice(0, 254);
  }
};
