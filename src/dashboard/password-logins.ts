/**
 * Logins for programs that have a password and keep no cookie: they keep a token themselves. The
 * limits on wrong passwords are those of the dashboard.
 */
import type { IncomingMessage } from 'node:http';
import { makeToken } from '../model/ids.ts';
import type { Account } from '../model/site.ts';
import type { AppParts } from './parts.ts';
import { lenientEmail } from './sign-in.ts';

export interface PasswordLogins {
  /** Throws HttpError when nobody from where the request comes may try now. */
  refuseTired(request: IncomingMessage): void;
  /** By an account's e-mail or name; undefined if they or the password are wrong, or HttpError. */
  begin(
    request: IncomingMessage,
    name: string,
    password: string,
  ): Promise<{ account: Account; token: string } | undefined>;
  /** The account of a token. */
  accountOf(token: string): Account | undefined;
  /** Signs a token out; nothing where it is none. */
  end(token: string): void;
}

type PasswordLoginsParts = Pick<
  AppParts,
  'accounts' | 'addressOf' | 'check' | 'credentials' | 'logins' | 'now' | 'random'
>;

export const createPasswordLogins = (parts: PasswordLoginsParts): PasswordLogins => {
  const { accounts, addressOf, check, credentials, logins, now, random } = parts;
  const emailOfAccount = (name: string): string | undefined => {
    const account = accounts.list().find(account => account.name === name);
    return account && credentials.ofAccount(account.id)?.email;
  };
  return {
    refuseTired: request => check.refuseTired(addressOf(request)),
    async begin(request, name, password) {
      const email = emailOfAccount(name) ?? lenientEmail(name);
      const own = await check.signIn({ email, password, address: addressOf(request), browserId: undefined });
      if (own === undefined) return undefined;
      const token = makeToken(random);
      logins.begin('program', own.accountId, token, now());
      return { account: accounts.byId(own.accountId)!, token };
    },
    accountOf(token) {
      const accountId = logins.use('program', token, now());
      return accountId === undefined ? undefined : accounts.byId(accountId);
    },
    end: token => logins.end('program', token),
  };
};
