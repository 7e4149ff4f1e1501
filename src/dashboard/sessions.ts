/** Who is signed in, by the cookie that their browser keeps. */
import type { IncomingMessage } from 'node:http';
import { makeToken, type Random } from '../model/ids.ts';
import type { Person } from '../model/person.ts';
import type { Account } from '../model/site.ts';
import type { Accounts } from '../store/accounts/accounts.ts';
import { type Logins, loginIdleMs } from '../store/accounts/logins.ts';
import type { MemberStore } from '../store/accounts/members.ts';
import type { Persons } from '../store/accounts/persons.ts';
import { cookieOf, setCookie } from './cookies.ts';

/** Who is signed in, and the token that says so. */
export interface Login {
  person: Person;
  account: Account;
  token: string;
}

export interface Sessions {
  /** Who a request is from; undefined for somebody who is not signed in. */
  loginOf(request: IncomingMessage): Login | undefined;
  /** Signs a person in. Gives the token that the browser is to keep. */
  begin(personId: number): string;
  /** Who a person is once they have signed in; undefined for somebody who may not. */
  loginFor(personId: number, token: string): Login | undefined;
}

export interface SessionsParts {
  accounts: Accounts;
  persons: Persons;
  members: MemberStore;
  logins: Logins;
  baseUrl: string | null;
  now: () => number;
  random: Random;
}

export const createSessions = (parts: SessionsParts): Sessions => {
  const { accounts, persons, members, logins, baseUrl, now, random } = parts;
  const loginFor = (personId: number, token: string): Login | undefined => {
    const person = persons.byId(personId);
    const [first] = members.ofPerson(personId);
    const account = first && accounts.byId(first.accountId);
    if (person === undefined || person.disabledAt !== null || account === undefined) return undefined;
    return { person, account, token };
  };
  return {
    loginOf(request) {
      const token = cookieOf(request, cookieName, baseUrl);
      const personId = token === undefined ? undefined : logins.use('browser', token, now());
      return token === undefined || personId === undefined ? undefined : loginFor(personId, token);
    },
    begin(personId) {
      const token = makeToken(random);
      logins.begin('browser', personId, token, now());
      return token;
    },
    loginFor,
  };
};

const cookieName = 'daybook';

/** Headers that give a browser its login. Every page renews it, so it lasts as the login does. */
export const keepLogin = (token: string, origin: string): string[] =>
  setCookie(cookieName, token, loginIdleMs / 1000, origin);
export const dropLogin = (origin: string): string[] => setCookie(cookieName, '', 0, origin);
