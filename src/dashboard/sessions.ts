/** Who is signed in, by the cookie that their browser keeps. */
import type { IncomingMessage } from 'node:http';
import { type TeamGrant, teamGrant } from '../model/grant.ts';
import { makeToken } from '../model/ids.ts';
import type { Person } from '../model/person.ts';
import type { Accounts } from '../store/accounts/accounts.ts';
import type { LoginMethod, LoginOrigin, Logins } from '../store/accounts/logins.ts';
import type { MemberStore } from '../store/accounts/members.ts';
import type { Persons } from '../store/accounts/persons.ts';
import type { SecondFactors } from '../store/accounts/second-factors.ts';
import { cookieOf, setCookie } from './cookies.ts';
import type { DashboardWorld } from './world.ts';

/** Who is signed in, and the token that says so. */
export interface Login {
  person: Person;
  /** What they may do in which teams, those that they have been in for longest first. */
  grants: readonly TeamGrant[];
  token: string;
  method: LoginMethod;
  /** When they last proved who they are, in UTC milliseconds. */
  confirmedAt: number;
  /** Their team asks for a second factor, and they came without one. */
  lacksFactor: boolean;
}

export type Sessions = ReturnType<typeof createSessions>;

export interface SessionsParts extends Pick<DashboardWorld, 'baseUrl' | 'now' | 'random'> {
  accounts: Accounts;
  persons: Persons;
  members: MemberStore;
  logins: Logins;
  factors: Pick<SecondFactors, 'isMissing'>;
  /** How long a login lasts without use, in milliseconds. */
  idleMs: number;
}

export const createSessions = (parts: SessionsParts) => {
  const { accounts, factors, persons, members, logins, idleMs, baseUrl, now, random } = parts;
  const grantsOf = (personId: number): TeamGrant[] => {
    if (persons.byId(personId)?.disabledAt !== null) return [];
    return members.ofPerson(personId).flatMap(member => {
      const account = accounts.byId(member.accountId);
      return account === undefined ? [] : teamGrant(account, member);
    });
  };
  const loginWith = (token: string): Login | undefined => {
    const used = logins.use('browser', token, now());
    if (used === undefined) return undefined;
    const { personId, method, confirmedAt } = used;
    const person = persons.byId(personId);
    if (person === undefined || person.disabledAt !== null) return undefined;
    // A passkey asks for a finger or a PIN itself, and a provider for what it thinks is right.
    const lacksFactor = method !== 'passkey' && method !== 'oidc' && factors.isMissing(personId);
    return { person, grants: grantsOf(personId), token, method, confirmedAt, lacksFactor };
  };
  const keep = (token: string, origin: string): string[] => setCookie(cookieName, token, idleMs / 1000, origin);
  return {
    /** Who a request is from; undefined for somebody who is not signed in. */
    loginOf(request: IncomingMessage) {
      const token = cookieOf(request, cookieName, baseUrl);
      return token === undefined ? undefined : loginWith(token);
    },
    /** Signs a person in. Gives the token that the browser is to keep. */
    begin(personId: number, origin: LoginOrigin) {
      const token = makeToken(random);
      logins.begin('browser', personId, token, now(), origin);
      return token;
    },
    /** What a person may do in which teams; nothing for somebody who may not sign in. */
    grantsOf,
    /** Whose a token is; undefined for somebody who may not sign in. */
    loginWith,
    /**
     * Notes that somebody has proved who they are, and gives the same login another token. Gives
     * the headers that give it to the browser.
     */
    confirm(login: Login, origin: string) {
      const token = makeToken(random);
      logins.confirm(login.token, token, now());
      return keep(token, origin);
    },
    /**
     * Headers that give a browser its login. Every page renews it, so it lasts as the login does.
     */
    keep,
  };
};

const cookieName = 'daybook';

/** Headers that take it away. */
export const dropLogin = (origin: string): string[] => setCookie(cookieName, '', 0, origin);
