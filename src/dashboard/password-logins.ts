/**
 * Logins for programs that have a password and keep no cookie: they keep the token themselves. The
 * limits on wrong passwords are those of the dashboard.
 */
import type { IncomingMessage } from 'node:http';
import type { Account } from '../model/site.ts';
import type { Parts } from './parts.ts';
import type { Login } from './sessions.ts';
import { lenientEmail } from './sign-in.ts';

export interface PasswordLogins {
  /** Throws HttpError when nobody from where the request comes may try now. */
  refuseTired(request: IncomingMessage): void;
  /** By an account's e-mail or name; undefined where they or the password are wrong. Throws HttpError. */
  begin(request: IncomingMessage, name: string, password: string): Promise<Login | undefined>;
  accountOf(token: string): Account | undefined;
  end(token: string): void;
}

export const createPasswordLogins = (parts: Parts): PasswordLogins => {
  const { accounts, addressOf, check, credentials, logins, now, sessions } = parts;
  const emailOfAccount = (name: string): string | undefined => {
    const account = accounts.list().find(account => account.name === name);
    return account && credentials.ofAccount(account.id)?.email;
  };
  return {
    refuseTired: request => check.refuseTired(addressOf(request)),
    async begin(request, name, password) {
      const email = emailOfAccount(name) ?? lenientEmail(name);
      const found = await check.signIn({ email, password, address: addressOf(request), browserId: undefined });
      return found && sessions.begin(found.accountId);
    },
    accountOf(token) {
      const accountId = logins.use(token, now());
      return accountId === undefined ? undefined : accounts.byId(accountId);
    },
    end: token => logins.end(token),
  };
};
