/**
 * What people change of themselves: e-mail and password, for which they must give the password
 * again, and their language and formats; and the API keys of their team.
 */
import { HttpError } from '../http/errors.ts';
import { makeApiKey } from '../model/ids.ts';
import { clocks, firstDays, formatRegions, type LocaleChoice, languageNames } from '../model/locale.ts';
import { emailOf, nameOf } from '../model/values.ts';
import type { Credentials } from '../store/accounts/credentials.ts';
import { asTyped, type Body, field, unlessTaken } from './fields.ts';
import { newPassword } from './new-password.ts';
import type { AppParts } from './parts.ts';
import { revocationOf, revoke } from './revoke.ts';
import { type DashboardRoute, done, get, ok, post } from './route.ts';
import type { Login } from './sessions.ts';
import { keyView } from './views.ts';
import type { Keys, Me, NewKey } from './wire.ts';

export const accountRoutes = (parts: AppParts): DashboardRoute[] => {
  const { credentials, logins, links, passwords, check, known, persons, views } = parts;

  /**
   * The person's credentials, for somebody who knows the password and does not just sit at an open
   * screen.
   */
  const confirmed = async (body: Body, { person }: Login): Promise<Credentials> => {
    const own = await check.confirm(person.id, field(body, 'password', asTyped));
    if (own !== undefined) return own;
    throw new HttpError('app-wrong-password', { field: 'password' });
  };

  /** Another request may have changed them while the password was checked. */
  const change = (confirmed: Credentials, changed: Partial<Credentials>): Credentials => {
    const own = credentials.ofPerson(confirmed.personId)!;
    if (own.password !== confirmed.password) throw new HttpError('app-wrong-password', { field: 'password' });
    const next = { ...own, ...changed };
    credentials.set(next);
    return next;
  };

  return [
    post('/app/account/email', async ({ body, origin }, login) => {
      const email = field(body, 'email', emailOf);
      const own = await confirmed(body, login);
      unlessTaken('email', () => change(own, { email }));
      return ok<Me>(views.me({ ...login, person: { ...login.person, email } }, origin));
    }),

    post('/app/account/password', async ({ request, body, origin }, login) => {
      const { id, email } = login.person;
      const revocation = revocationOf(body);
      const next = await newPassword(body, 'newPassword', email);
      const own = await confirmed(body, login);
      change(own, { password: await passwords.record(next) });
      links.remove(id);
      logins.endAll(id, login.token);
      revoke(parts, login.account.id, revocation);
      return ok<Me>(views.me(login, origin), { 'set-cookie': known.remember(request, id, origin) });
    }),

    post('/app/account/locale', ({ body, origin }, login) => {
      const locale = localeChoiceOf(body);
      persons.setLocale(login.person.id, locale);
      return ok<Me>(views.me({ ...login, person: { ...login.person, locale } }, origin));
    }),

    ...keyRoutes(parts),
  ];
};

const keyRoutes = ({ keys, now, random }: AppParts): DashboardRoute[] => [
  get('/app/keys', (_, { account }) => ok<Keys>({ data: keys.list(account.id).map(keyView) })),

  post('/app/keys', ({ body }, { account }) => {
    const key = makeApiKey(random);
    const name = field(body, 'name', nameOf);
    const added = unlessTaken('name', () => keys.add(account.id, name, key, now()));
    return ok<NewKey>({ ...keyView(added), key });
  }),

  post('/app/keys/:key/revoke', ({ parameters }, { account }) => {
    const own = keys.list(account.id).find(({ id }) => String(id) === parameters.key);
    if (own === undefined) throw new HttpError('app-no-key');
    keys.revoke(own.id);
    return done();
  }),
];

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
