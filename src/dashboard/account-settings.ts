/**
 * What an account changes of itself: its e-mail and password, for which it must give its password
 * again, and its API keys.
 */
import { HttpError } from '../http/errors.ts';
import { makeApiKey } from '../model/ids.ts';
import { emailOf, nameOf, passwordOf } from '../model/values.ts';
import type { Credentials } from '../store/accounts/credentials.ts';
import { asTyped, type Body, field, unlessTaken } from './fields.ts';
import type { Parts } from './parts.ts';
import { type DashboardRoute, done, get, ok, post } from './route.ts';
import type { Login } from './sessions.ts';
import { keyView } from './views.ts';
import type { Keys, Me, NewKey } from './wire.ts';

export const accountRoutes = (parts: Parts): DashboardRoute[] => {
  const { credentials, logins, passwords, sessions, views } = parts;

  /**
   * The account's credentials, for somebody who knows the password and does not just sit at an open
   * screen.
   */
  const confirmed = async (body: Body, { account }: Login): Promise<Credentials> => {
    const password = field(body, 'password', asTyped);
    const own = credentials.ofAccount(account.id)!;
    if (await sessions.checkPassword(own.email, own, password)) return own;
    throw new HttpError('app-wrong-password', { field: 'password' });
  };

  /** Another request may have changed them while the password was checked. */
  const change = (confirmed: Credentials, changed: Partial<Credentials>): void => {
    const own = credentials.ofAccount(confirmed.accountId)!;
    if (own.password !== confirmed.password) throw new HttpError('app-wrong-password', { field: 'password' });
    credentials.set({ ...own, ...changed });
  };

  return [
    post('/app/account/email', async ({ body, origin }, login) => {
      const email = field(body, 'email', emailOf);
      const own = await confirmed(body, login);
      unlessTaken('email', () => change(own, { email }));
      return ok<Me>(views.me(login.account, origin));
    }),

    post('/app/account/password', async ({ body, origin }, login) => {
      const next = field(body, 'newPassword', passwordOf);
      const own = await confirmed(body, login);
      change(own, { password: await passwords.record(next) });
      logins.endOthers(login.account.id, login.token);
      return ok<Me>(views.me(login.account, origin));
    }),

    ...keyRoutes(parts),
  ];
};

const keyRoutes = ({ keys, now, random }: Parts): DashboardRoute[] => [
  get('/app/keys', (_, { account }) => ok<Keys>({ data: keys.list(account.id).map(keyView) })),

  post('/app/keys', ({ body }, { account }) => {
    const key = makeApiKey(random);
    const added = keys.add(account.id, field(body, 'name', nameOf), key, now());
    return ok<NewKey>({ ...keyView(added), key });
  }),

  post('/app/keys/:key/revoke', ({ parameters }, { account }) => {
    const own = keys.list(account.id).find(({ id }) => String(id) === parameters.key);
    if (own === undefined) throw new HttpError('app-no-key');
    keys.revoke(own.id);
    return done();
  }),
];
