/**
 * What people change of themselves: e-mail and password, for which they prove who they are, and
 * their language and formats.
 */

import { field, unlessTaken } from '../api/changes/fields.ts';
import { HttpError } from '../http/errors.ts';
import type { Body } from '../http/json-body.ts';
import { clocks, firstDays, formatRegions, type LocaleChoice, languageNames } from '../model/locale.ts';
import { emailOf } from '../model/values.ts';
import type { Credentials } from '../store/accounts/credentials.ts';
import { newPassword, revocationOf, revoke } from './new-password.ts';
import { refuseOfProvider } from './oidc/who.ts';
import type { AppParts } from './parts.ts';
import { requireProof } from './proof.ts';
import { type DashboardRoute, ok, post } from './route.ts';
import type { Me } from './wire.ts';

export const accountRoutes = (parts: AppParts): DashboardRoute[] => {
  const { credentials, logins, links, passwords, known, now, persons, views } = parts;

  /** Another request may have changed them meanwhile. */
  const change = (personId: number, changed: Partial<Credentials>): void =>
    credentials.set({ ...credentials.ofPerson(personId)!, ...changed });

  return [
    post('/app/account/email', 'self', ({ body, origin }, login) => {
      const email = field(body, 'email', emailOf);
      requireProof(parts, login);
      if (email !== login.person.email) refuseOfProvider(parts.oidc, email);
      unlessTaken('email', () => change(login.person.id, { email }));
      return ok<Me>(views.me({ ...login, person: { ...login.person, email } }, origin));
    }),

    post('/app/account/password', 'self', async ({ request, body, origin }, login) => {
      const { id, email } = login.person;
      const revocation = revocationOf(body);
      const next = await newPassword(body, 'newPassword', email);
      requireProof(parts, login);
      const before = credentials.ofPerson(id)?.password;
      const password = await passwords.record(next);
      // Somebody may have used a link, or ended the login, while the password was hashed.
      const isSame = credentials.ofPerson(id)?.password === before;
      if (!isSame || logins.use('browser', login.token, now()) === undefined) throw new HttpError('app-signed-out');
      change(id, { password });
      links.remove(id);
      logins.endAll(id, login.token);
      revoke(parts, login.grants, revocation);
      return ok<Me>(views.me(login, origin), { 'set-cookie': known.remember(request, id, origin) });
    }),

    post('/app/account/locale', 'self', ({ body, origin }, login) => {
      const locale = localeChoiceOf(body);
      persons.setLocale(login.person.id, locale);
      return ok<Me>(views.me({ ...login, person: { ...login.person, locale } }, origin));
    }),
  ];
};

/** Throws HttpError naming the field if it holds neither null nor a value of its list. */
const localeChoiceOf = (body: Body): LocaleChoice => {
  const choice = <T>(name: keyof LocaleChoice, values: readonly T[]): T | null => {
    const { [name]: given = null } = body;
    const value = given === null ? null : values.find(each => each === given);
    if (value === undefined) throw new HttpError('app-bad-value', { error: 'Choose one from the list.', field: name });
    return value;
  };
  return {
    language: choice('language', languageNames),
    region: choice('region', formatRegions),
    firstDay: choice('firstDay', firstDays),
    clock: choice('clock', clocks),
  };
};
