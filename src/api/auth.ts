/** Who asks, and which sites they may read (docs/api.md, "Access"). */
import type { IncomingMessage } from 'node:http';
import { bearerToken } from '../model/headers.ts';
import type { Account, Site } from '../model/site.ts';
import type { Asker } from '../query/threads/askers.ts';
import type { Accounts } from '../store/accounts/accounts.ts';
import { type KeyFinderParts, keyFinder } from '../store/accounts/key-finder.ts';

export interface Caller {
  account: Account;
  /** The only site they may read; null for every site of the account. */
  siteId: number | null;
  /**
   * Whether they came with an API key. Access by programs depends on the plan; looking at the
   * dashboard does not.
   */
  byKey: boolean;
}

/**
 * One way to be known: an API key, the dashboard's cookie, or the token of a public page. Undefined
 * when the request carries no valid one. `share` is the token in a link to the CSV export, or null.
 */
export type Authenticate = (request: IncomingMessage, share: string | null) => Caller | undefined;

export const mayRead = (caller: Caller, site: Site): boolean =>
  site.accountId === caller.account.id && (caller.siteId === null || caller.siteId === site.id);

/** Whose share of the query threads a caller's questions use. */
export const askerOf = ({ account, siteId }: Caller): Asker => ({ accountId: account.id, isPublic: siteId !== null });

export interface KeyAuthenticator {
  authenticate: Authenticate;
  /** Whose a key is, however it came. */
  callerOf(key: string): Caller | undefined;
  /** Writes the stamps that still wait. */
  close(): void;
}

export interface KeyParts extends KeyFinderParts {
  accounts: Accounts;
}

/** `Authorization: Bearer <API_KEY>`. */
export const keyAuthenticator = ({ accounts, ...parts }: KeyParts): KeyAuthenticator => {
  const keys = keyFinder(parts);
  const callerOf = (token: string): Caller | undefined => {
    const key = keys.find(token);
    const account = key && accounts.byId(key.accountId);
    return account && { account, siteId: null, byKey: true };
  };
  return {
    authenticate({ headers }) {
      const token = bearerToken(headers.authorization);
      return token === undefined ? undefined : callerOf(token);
    },
    callerOf,
    close: keys.close,
  };
};

/** Logins of programs that have a password and keep no cookie. */
export interface ProgramLogins {
  /** Throws HttpError when nobody from where the request comes may try now. */
  refuseTired(request: IncomingMessage): void;
  /**
   * Signs in by an account's e-mail or name. Undefined where they or the password are wrong. Throws
   * HttpError after too many wrong passwords.
   */
  begin(
    request: IncomingMessage,
    name: string,
    password: string,
  ): Promise<{ account: Account; token: string } | undefined>;
  /** The account of a token, which ends with the password, and by itself when it is not used. */
  accountOf(token: string): Account | undefined;
  /** Signs a token out; nothing where it is none. */
  end(token: string): void;
}
