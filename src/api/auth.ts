/** Who asks, and which sites they may read (docs/api.md, "Access"). */
import type { IncomingMessage } from 'node:http';
import { bearerToken } from '../model/headers.ts';
import type { Account, Site } from '../model/site.ts';
import type { Accounts, ApiKeys } from '../store/accounts/accounts.ts';

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

/** A public page shows numbers but no single visits, whose traits may name somebody. */
export const mayReadVisits = (caller: Caller): boolean => caller.siteId === null;

export interface KeyAuthenticator {
  authenticate: Authenticate;
  /** Writes the stamps that still wait. */
  close(): void;
}

export interface KeyParts {
  keys: ApiKeys;
  accounts: Accounts;
  now: () => number;
  /** Called when a stamp could not be written. */
  onStampFailed: (error: unknown) => void;
}

/** The stamps of many requests are written together, this long after the first. */
const stampDelayMs = 1000;

/**
 * `Authorization: Bearer <API_KEY>`. Every request looks its key up, so a revoked key stops working
 * at once, whoever revoked it.
 */
export const keyAuthenticator = ({ keys, accounts, now, onStampFailed }: KeyParts): KeyAuthenticator => {
  let uses = new Map<number, number>();
  let timer: NodeJS.Timeout | undefined;

  const writeStamps = (): void => {
    clearTimeout(timer);
    timer = undefined;
    if (uses.size === 0) return;
    const written = uses;
    uses = new Map();
    try {
      keys.stampUsed(written);
    } catch (error) {
      // The stamp is a hint for the key's owner. It is not worth failing a request, nor trying
      // again.
      onStampFailed(error);
    }
  };

  return {
    authenticate(request) {
      const token = bearerToken(request.headers.authorization);
      const key = token === undefined ? undefined : keys.find(token);
      const account = key === undefined ? undefined : accounts.byId(key.accountId);
      if (key === undefined || account === undefined) return undefined;
      uses.set(key.id, now());
      timer ??= setTimeout(writeStamps, stampDelayMs).unref();
      return { account, siteId: null, byKey: true };
    },
    close: writeStamps,
  };
};
