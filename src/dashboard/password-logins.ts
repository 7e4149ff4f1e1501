/**
 * Logins for programs that have a password and keep no cookie: they keep a token themselves. The
 * limits on wrong passwords are those of the dashboard.
 */
import type { ProgramLogins } from '../api/auth.ts';
import { makeToken } from '../model/ids.ts';
import type { AppParts } from './parts.ts';
import { lenientEmail } from './sign-in.ts';

type PasswordLoginsParts = Pick<
  AppParts,
  'accounts' | 'addressOf' | 'check' | 'credentials' | 'logins' | 'now' | 'random'
>;

export const createPasswordLogins = (parts: PasswordLoginsParts): ProgramLogins => {
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
