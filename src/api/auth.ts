/** Who asks, and which sites they may read (docs/api.md, "Access"). */
import type { IncomingMessage } from 'node:http';
import { bearerToken } from '../model/headers.ts';
import type { Account, Site } from '../model/site.ts';
import type { Accounts, ApiKeys } from '../store/accounts/accounts.ts';

export interface Caller {
  account: Account;
  /** Id of the only site they may read; null: every site of the account. */
  siteId: number | null;
  /** Came with an API key: programmatic access is a matter of the plan, looking at the dashboard is not. */
  byKey: boolean;
}

/**
 * One way to be known: an API key, a cookie of the dashboard, the token of a shared dashboard. Undefined when the request carries
 * nothing of the kind that is valid. `share` is the token of a link to the CSV export, null where there is none.
 */
export type Authenticate = (request: IncomingMessage, share: string | null) => Caller | undefined;

export const mayRead = (caller: Caller, site: Site): boolean =>
  site.accountId === caller.account.id && (caller.siteId === null || caller.siteId === site.id);

/** A shared dashboard tells of numbers and not of single people, whom their traits may name. */
export const mayReadVisits = (caller: Caller): boolean => caller.siteId === null;

export interface KeyAuthenticator {
  authenticate: Authenticate;
  /** Writes the stamps that wait. */
  close(): void;
}

export interface KeyParts {
  keys: ApiKeys;
  accounts: Accounts;
  now: () => number;
  /** Told about a stamp that could not be written. */
  onStampFailed: (error: unknown) => void;
}

/** Stamps of many requests are written together, this long after the first. */
const stampDelayMs = 1000;

/** `Authorization: Bearer <API_KEY>`. Keys are looked up anew for every request, so a revoked one stops at once, whoever revoked it. */
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
      // When a key was last used is a hint for its owner: not worth failing a request, nor trying again.
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
