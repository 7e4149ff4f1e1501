/** Signs people in and out, by password or by a one-time link. */
import { HttpError } from '../http/errors.ts';
import type { Reply } from '../http/reply.ts';
import { emailOf } from '../model/values.ts';
import type { Credentials } from '../store/accounts/credentials.ts';
import { asTyped, field, unlessTaken } from './fields.ts';
import { bringsKnownCookie } from './known-browsers.ts';
import { newPassword } from './new-password.ts';
import type { AppParts } from './parts.ts';
import { revocationOf, revoke } from './revoke.ts';
import { type Call, type DashboardRoute, done, get, ok, openPost } from './route.ts';
import { dropLogin, keepLogin } from './sessions.ts';
import type { LinkView, Me } from './wire.ts';

export const signInRoutes = (parts: AppParts): DashboardRoute[] => {
  const { accounts, credentials, logins, links, passwords, check, sessions, known, views, now } = parts;
  const { addressOf } = parts;

  /** The account that a one-time link is for. */
  const accountOfLink = (token: string): number => {
    const accountId = links.find(token, now());
    if (accountId === undefined) throw new HttpError('app-dead-link');
    return accountId;
  };

  /** Signs the browser in, and knows it from now on. */
  const signedIn = ({ accountId }: Credentials, { request, origin }: Call): Reply => {
    const login = sessions.begin(accountId);
    const cookies = [...keepLogin(login.token, origin), ...known.remember(request, accountId, origin)];
    return ok<Me>(views.me(login.account, origin), { 'set-cookie': cookies });
  };

  return [
    get('/app/me', ({ origin }, { account }) => ok<Me>(views.me(account, origin))),

    openPost(
      '/app/sign-in',
      async call => {
        const { request, body } = call;
        const email = field(body, 'email', lenientEmail);
        const password = field(body, 'password', asTyped);
        const browserId = known.find(request, credentials.ofEmail(email)?.accountId);
        const found = await check.signIn({ email, password, address: addressOf(request), browserId });
        if (found === undefined) throw new HttpError('app-sign-in-failed');
        return signedIn(found, call);
      },
      ({ request }) => {
        if (!bringsKnownCookie(request)) check.refuseTired(addressOf(request));
      },
    ),

    openPost('/app/sign-out', ({ request, origin }) => {
      const login = sessions.loginOf(request);
      if (login !== undefined) logins.end('browser', login.token);
      // Programs sign in again with the password that they have; who took a token cannot.
      if (login !== undefined) logins.endKind('program', login.account.id);
      return done({ 'set-cookie': dropLogin(origin) });
    }),

    openPost('/app/link', ({ body }) => {
      const accountId = accountOfLink(field(body, 'token', asTyped));
      return ok<LinkView>({
        account: accounts.byId(accountId)!.name,
        email: credentials.ofAccount(accountId)?.email ?? null,
      });
    }),

    openPost('/app/link/use', async call => {
      const { body } = call;
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
      return signedIn(own, call);
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
