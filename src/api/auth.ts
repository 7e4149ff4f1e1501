/** Who asks, and which sites they may read (docs/api.md, "Access"). */
import type { IncomingMessage } from 'node:http';
import { keyActor } from '../model/audit.ts';
import type { Grant } from '../model/grant.ts';
import { bearerToken } from '../model/headers.ts';
import type { Right } from '../model/rights.ts';
import { rightsOfScopes } from '../model/scopes.ts';
import type { Account, ApiKey } from '../model/site.ts';
import type { Asker } from '../query/threads/askers.ts';
import type { Accounts } from '../store/accounts/accounts.ts';
import { type KeyFinderParts, keyFinder } from '../store/accounts/key-finder.ts';

export interface Caller {
  /** Whose turn it takes to ask: that of the first grant. */
  account: Account;
  /** What they may do with the sites of which account; one at least. */
  grants: readonly Grant[];
  /**
   * Whether they came with an API key. Access by programs depends on the plan; looking at the
   * dashboard does not.
   */
  byKey: boolean;
  /** As the audit names them; missing for readers of public pages. */
  by?: Actor;
  /** The key, where it was one of the API. */
  key?: ApiKey;
  /** Nobody waits for what is answered: it stands behind what people of the account ask. */
  waits?: true;
}

/** Who did something: a person, or a key. */
export interface Actor {
  personId: number | null;
  /** An e-mail, or the name and last characters of a key. */
  actor: string;
}

/**
 * One way to be known: an API key, the dashboard's cookie, or the token of a public page. Undefined
 * when the request carries no valid one. `share` is the token in a link to the CSV export, or null.
 */
export type Authenticate = (request: IncomingMessage, share: string | null) => Caller | undefined;

/** Whose share of the query threads questions of a grant use. */
export const askerOf = ({ account, isPublic }: Grant, { waits }: Pick<Caller, 'waits'> = {}): Asker => ({
  accountId: account.id,
  isPublic: isPublic || waits === true,
});

export interface KeyParts extends KeyFinderParts {
  accounts: Accounts;
}

/** Who has these could get around a limit to some sites. */
const unlimitedRights: readonly Right[] = ['sites', 'keys', 'members', 'audit'];

/** What a key may do. */
const keyGrant = (account: Account, { scopes, sites }: ApiKey): Grant => ({
  account,
  rights: new Set([...rightsOfScopes(scopes)].filter(right => sites === null || !unlimitedRights.includes(right))),
  sites: sites === null ? null : new Set(sites),
  hidden: new Set(),
  isPublic: false,
});

/** `Authorization: Bearer <API_KEY>`. */
export const keyAuthenticator = ({ accounts, ...parts }: KeyParts) => {
  const keys = keyFinder(parts);
  /** Whose a key is, however it came. */
  const callerOf = (token: string): Caller | undefined => {
    const key = keys.find(token);
    const account = key && accounts.byId(key.accountId);
    if (account === undefined) return undefined;
    const by = { personId: null, actor: keyActor(key!) };
    return { account, grants: [keyGrant(account, key!)], byKey: true, by, key: key! };
  };
  return {
    authenticate({ headers }: IncomingMessage): Caller | undefined {
      const token = bearerToken(headers.authorization);
      return token === undefined ? undefined : callerOf(token);
    },
    callerOf,
    /** Writes the stamps that still wait. */
    close: keys.close,
  };
};

/** Logins of programs that have a password and keep no cookie. */
export interface ProgramLogins {
  /** Throws HttpError when nobody from where the request comes may try now. */
  refuseTired(request: IncomingMessage): void;
  /**
   * Signs in by a person's e-mail, or the name of an account whose owner they are. Undefined where
   * they or the password are wrong. Throws HttpError after too many wrong passwords.
   */
  begin(
    request: IncomingMessage,
    name: string,
    password: string,
  ): Promise<{ account: Account; token: string } | undefined>;
  /** Who a token is of, which ends with the password, and by itself when it is not used. */
  callerOf(token: string): Caller | undefined;
  /** Signs a token out; nothing where it is none. */
  end(token: string): void;
}
