/**
 * Logins for programs that have a password and keep no cookie: they keep a token themselves. The
 * limits on wrong passwords are those of the dashboard.
 */
import type { Caller, ProgramLogins } from '../api/auth.ts';
import { teamGrant } from '../model/grant.ts';
import { makeToken } from '../model/ids.ts';
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
  /** As a member of their first team, which is all that such a program knows of. */
  const callerOfPerson = (personId: number): Caller | undefined => {
    const [first] = members.ofPerson(personId);
    const account = first && accounts.byId(first.accountId);
    const isDisabled = persons.byId(personId)?.disabledAt !== null;
    return isDisabled ? undefined : first && account && { account, grants: [teamGrant(account, first)], byKey: true };
  };
  return {
    refuseTired: request => check.refuseTired(addressOf(request)),
    async begin(request, name, password) {
      if (!ways.password) return undefined;
      const email = emailOfAccount(name) ?? lenientEmail(name);
      const own = await check.signIn({ email, password, address: addressOf(request), browserId: undefined });
      const account = own && callerOfPerson(own.personId)?.account;
      if (own === undefined || account === undefined) return undefined;
      // Such a program cannot ask for a code: it needs a key.
      if (factors.find(own.personId) !== undefined) return undefined;
      const token = makeToken(random);
      logins.begin('program', own.personId, token, now());
      return { account, token };
    },
    callerOf(token) {
      const personId = logins.use('program', token, now())?.personId;
      return personId === undefined ? undefined : callerOfPerson(personId);
    },
    end: token => logins.end('program', token),
  };
};
