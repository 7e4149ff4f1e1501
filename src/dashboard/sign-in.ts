/** Signs people in by password, and out. */

import { asTyped, field } from '../api/changes/fields.ts';
import { HttpError } from '../http/errors.ts';
import { emailOf } from '../model/values.ts';
import { bringsKnownCookie } from './known-browsers.ts';
import type { OidcDoor } from './oidc/routes.ts';
import type { AppParts } from './parts.ts';
import { type DashboardRoute, get, ok, openPost } from './route.ts';
import { dropLogin } from './sessions.ts';
import type { Me, SignedOut } from './wire.ts';

export const signInRoutes = (parts: AppParts, door: OidcDoor | null): DashboardRoute[] => {
  const { auditor, credentials, entrance, logins, check, sessions, known, views, ways, addressOf } = parts;

  return [
    get('/app/me', 'self', ({ origin }, login) => ok<Me>(views.me(login, origin))),

    openPost(
      '/app/sign-in',
      async call => {
        const { request, body } = call;
        const email = field(body, 'email', lenientEmail);
        const password = field(body, 'password', asTyped);
        const browserId = known.find(request, credentials.ofEmail(email)?.personId);
        const found = await check.signIn({ email, password, address: addressOf(request), browserId });
        if (found === undefined) {
          const person = { id: credentials.ofEmail(email)?.personId ?? null, email };
          auditor.noteFailed({ request, person });
          throw new HttpError('app-sign-in-failed');
        }
        return entrance.answerFirst({ personId: found.personId, method: 'password' }, call);
      },
      ({ request }) => {
        if (!ways.password) throw new HttpError('app-passwords-off');
        if (!bringsKnownCookie(request)) check.refuseTired(addressOf(request));
      },
    ),

    openPost('/app/sign-out', async ({ request, origin, note }) => {
      const login = sessions.loginOf(request);
      if (login !== undefined) {
        logins.end('browser', login.token);
        // Programs sign in again with the password that they have; who took a token cannot.
        logins.endKind('program', login.person.id);
        note({ person: login.person, accountId: null, action: 'signed-out' });
      }
      const next = login?.method === 'oidc' && door !== null ? await door.endSessionUrl(origin) : null;
      return ok<SignedOut>({ done: true, next }, { 'set-cookie': dropLogin(origin) });
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
