/**
 * Logins for programs that have a password and keep no cookie: they keep a token themselves. The
 * limits on wrong passwords are those of the dashboard.
 */
import type { ProgramLogins } from '../api/auth.ts';
import { makeToken } from '../model/ids.ts';
import type { Account } from '../model/site.ts';
import type { AppParts } from './parts.ts';
import { lenientEmail } from './sign-in.ts';

type PasswordLoginsParts = Pick<
  AppParts,
  'accounts' | 'addressOf' | 'check' | 'factors' | 'logins' | 'members' | 'now' | 'persons' | 'random' | 'ways'
>;

export const createPasswordLogins = (parts: PasswordLoginsParts): ProgramLogins => {
  const { accounts, addressOf, check, factors, logins, members, now, persons, random, ways } = parts;
  const emailOfAccount = (name: string): string | undefined => {
    const account = accounts.list().find(account => account.name === name);
    const owner = account && members.ofAccount(account.id).find(({ role }) => role === 'owner');
    return owner && persons.byId(owner.personId)?.email;
  };
  /** The first team of a person, which is all that such a program knows of. */
  const accountOfPerson = (personId: number): Account | undefined => {
    const [first] = members.ofPerson(personId);
    return first && accounts.byId(first.accountId);
  };
  return {
    refuseTired: request => check.refuseTired(addressOf(request)),
    async begin(request, name, password) {
      if (!ways.password) return undefined;
      const email = emailOfAccount(name) ?? lenientEmail(name);
      const own = await check.signIn({ email, password, address: addressOf(request), browserId: undefined });
      const account = own && accountOfPerson(own.personId);
      if (own === undefined || account === undefined) return undefined;
      // Such a program cannot ask for a code: it needs a key.
      if (factors.find(own.personId) !== undefined) return undefined;
      const token = makeToken(random);
      logins.begin('program', own.personId, token, now());
      return { account, token };
    },
    accountOf(token) {
      const personId = logins.use('program', token, now())?.personId;
      return personId === undefined ? undefined : accountOfPerson(personId);
    },
    end: token => logins.end('program', token),
  };
};
