/** Signs people in by password, and out. */
import { HttpError } from '../http/errors.ts';
import type { Reply } from '../http/reply.ts';
import { emailOf } from '../model/values.ts';
import { asTyped, field } from './fields.ts';
import { bringsKnownCookie } from './known-browsers.ts';
import type { AppParts } from './parts.ts';
import { type Call, type DashboardRoute, done, get, ok, openPost } from './route.ts';
import { dropLogin, keepLogin } from './sessions.ts';
import type { Me } from './wire.ts';

export const signInRoutes = (parts: AppParts): DashboardRoute[] => {
  const { credentials, logins, check, sessions, known, views, addressOf } = parts;

  return [
    get('/app/me', ({ origin }, login) => ok<Me>(views.me(login, origin))),

    openPost(
      '/app/sign-in',
      async call => {
        const { request, body } = call;
        const email = field(body, 'email', lenientEmail);
        const password = field(body, 'password', asTyped);
        const browserId = known.find(request, credentials.ofEmail(email)?.personId);
        const found = await check.signIn({ email, password, address: addressOf(request), browserId });
        if (found === undefined) throw new HttpError('app-sign-in-failed');
        return signedIn(parts, found.personId, call);
      },
      ({ request }) => {
        if (!bringsKnownCookie(request)) check.refuseTired(addressOf(request));
      },
    ),

    openPost('/app/sign-out', ({ request, origin }) => {
      const login = sessions.loginOf(request);
      if (login !== undefined) logins.end('browser', login.token);
      // Programs sign in again with the password that they have; who took a token cannot.
      if (login !== undefined) logins.endKind('program', login.person.id);
      return done({ 'set-cookie': dropLogin(origin) });
    }),
  ];
};

/** Signs the browser in, and knows it from now on. Throws HttpError for somebody who may not. */
export const signedIn = (
  { sessions, known, views }: Pick<AppParts, 'sessions' | 'known' | 'views'>,
  personId: number,
  { request, origin }: Call,
): Reply => {
  const token = sessions.begin(personId);
  const login = sessions.loginFor(personId, token);
  if (login === undefined) throw new HttpError('app-signed-out');
  const cookies = [...keepLogin(token, origin), ...known.remember(request, personId, origin)];
  return ok<Me>(views.me(login, origin), { 'set-cookie': cookies });
};

/** A text that is no e-mail belongs to nobody, and is answered like any other wrong e-mail. */
export const lenientEmail = (typed: string): string => {
  try {
    return emailOf(typed);
  } catch {
    return typed.slice(0, 254);
  }
};
