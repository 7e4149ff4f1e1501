/** The account's e-mail and password. Whoever changes either must know the password in use, not just sit at an open screen. */
import { emailOf, passwordOf } from '../model/values.ts';
import type { CredentialStore, Credentials } from '../store/accounts/credentials.ts';
import type { Logins } from '../store/accounts/logins.ts';
import { asTyped, field, unlessTaken } from './body.ts';
import { type Call, type Endpoint, type Login, ok, post } from './endpoint.ts';
import { Failed } from './failure.ts';
import type { Passwords } from './passwords.ts';
import type { Sessions } from './sessions.ts';
import type { Views } from './views.ts';
import type { Me } from './wire.ts';

export interface AccountParts {
  credentials: CredentialStore;
  logins: Logins;
  passwords: Passwords;
  door: Sessions;
  views: Views;
}

export const accountEndpoints = ({ credentials, logins, passwords, door, views }: AccountParts): Endpoint[] => {
  const proven = async ({ body }: Call, { account }: Login): Promise<Credentials> => {
    const password = field(body, 'password', asTyped);
    const own = credentials.ofAccount(account.id)!;
    if (await door.check(own.email, own, password)) return own;
    throw new Failed(400, 'This is not the password in use.', { field: 'password' });
  };

  return [
    post('/app/account/email', async (call, login) => {
      const email = field(call.body, 'email', emailOf);
      const own = await proven(call, login);
      unlessTaken('email', () => credentials.set({ ...own, email }));
      return ok<Me>(views.me(login.account, call.origin));
    }),

    post('/app/account/password', async (call, login) => {
      const next = field(call.body, 'newPassword', passwordOf);
      const own = await proven(call, login);
      credentials.set({ ...own, password: await passwords.record(next) });
      logins.endOthers(login.account.id, login.token);
      return ok<Me>(views.me(login.account, call.origin));
    }),
  ];
};
