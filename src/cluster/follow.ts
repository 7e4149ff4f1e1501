/**
 * Follows a primary: asks it each second for the control state, and puts what changed into the own
 * database in one transaction. So a server that has followed once starts and goes on without it.
 * A state is taken only from a primary that knows the one that is here: not from one on an empty
 * directory, and not from one of an older copy.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { type Log, reasonOf } from '../log.ts';
import type { Random } from '../model/ids.ts';
import { isRecord } from '../model/record.ts';
import { readShards, type Shards } from '../model/shards.ts';
import { utcDayOf } from '../model/time.ts';
import { version } from '../package-root.ts';
import { apiKeys } from '../store/accounts/accounts.ts';
import { clusterStore } from '../store/cluster.ts';
import { applyControl, type Role } from '../store/control.ts';
import { type Database, StoreError } from '../store/database.ts';
import { type Follower, followerStore, refuseOwnSites } from '../store/follower.ts';
import { type Salts, salts } from '../store/salts.ts';
import {
  type ControlState,
  keyUsesMax,
  knownScopes,
  type NodeReport,
  nodePath,
  statePath,
} from './control-endpoint.ts';
import { outageLog } from './outage-log.ts';

export interface FollowParts {
  db: Database;
  /** PRIMARY, without a slash at its end. */
  primaryUrl: string;
  /** CLUSTER_TOKEN. */
  token: string;
  role: Role;
  /** UTC milliseconds. */
  now: () => number;
  random: Random;
  log: Log;
  /** Ends the wait for a primary that does not answer. */
  signal?: AbortSignal | undefined;
  /** Time between two questions. */
  everyMs?: number;
}

export interface Following {
  /** Who this server is, as the primary last said. */
  self(): Follower;
  /** Where the primary says that ClickHouse is. */
  shards(): Shards;
  /** When the primary last answered, UTC milliseconds; null while it has not since the start. */
  heardAt(): number | null;
  /** Goes on asking. `onApplied` hears of changes, the primary hears `stats`. */
  start(onApplied: () => void, stats: () => Record<string, unknown>): void;
  /** Resolves with a sentence when the primary refuses the token. */
  isRefused: Promise<string>;
  close(): Promise<void>;
}

/** Cheap, since nothing is sent that has not changed. */
const everyMsDefault = 1000;
const answerMs = 10_000;
/** The primary is told how this server is at most this often. */
const reportMs = 5000;

/**
 * Resolves when the own database holds a state: the primary's of now, or an earlier one while the
 * primary does not answer. Without either it waits. Throws StoreError where the database is another
 * server's, or the primary refuses the token.
 */
export const followPrimary = async (parts: FollowParts): Promise<Following> => {
  const { db, log, signal, everyMs = everyMsDefault } = parts;
  refuseOwnSites(db);
  let onApplied: () => void = () => {};
  const client = primaryClient(parts, () => onApplied());
  const report = outageLog(log, 'primary');
  const refusal = `${parts.primaryUrl} refuses the token: CLUSTER_TOKEN must be one that the primary knows.`;
  let heardAt: number | null = null;
  let refusedFor: RefusedError['event'] | null = null;
  let tellRefused = (_: string): void => {};
  const isRefused = new Promise<string>(resolve => {
    tellRefused = resolve;
  });

  /** Asks once; whether the primary answered. */
  const ask = async (stats: Record<string, unknown>): Promise<boolean> => {
    try {
      await client.ask(stats);
      heardAt = parts.now();
      refusedFor = null;
      report(null);
      return true;
    } catch (error) {
      report(error);
      if (error instanceof RefusedError && error.event !== refusedFor) {
        refusedFor = error.event;
        log(error.event);
      }
      if (refusedFor === 'token-unknown') tellRefused(refusal);
      return false;
    }
  };

  for (;;) {
    const answered = await ask({});
    // A collector goes on with the state that it has; a server that answers stops with its token.
    if (refusedFor === 'token-unknown' && (parts.role === 'answer' || !client.isReady())) throw new StoreError(refusal);
    if (answered || client.isReady()) break;
    if (signal?.aborted) throw new StoreError(`${parts.primaryUrl} does not answer.`);
    await wait(everyMs, undefined, { signal }).catch(() => {});
  }

  let loop: Promise<void> = Promise.resolve();
  const stop = new AbortController();
  return {
    self: client.self,
    shards: () => readShards(client.self().clickhouse ?? '') ?? [],
    heardAt: () => heardAt,
    isRefused,
    start(listener, stats) {
      onApplied = listener;
      const run = async (): Promise<void> => {
        while (!stop.signal.aborted) {
          await wait(everyMs, undefined, { signal: stop.signal, ref: false }).catch(() => {});
          if (stop.signal.aborted) return;
          await ask(stats());
        }
      };
      loop = run();
    },
    async close() {
      stop.abort();
      client.close();
      await loop;
    },
  };
};

/** The primary answers, but does not know the token of this server, or its settings. */
class RefusedError extends Error {
  /** What the log calls it. */
  readonly event: 'token-unknown' | 'state-unknown';
  constructor(event: RefusedError['event'], message: string) {
    super(message);
    this.event = event;
  }
}

const unknownState =
  'state-unknown: the primary does not know the settings that this server has, which it keeps. See whether it is the right one, and whether it was restored from an older copy: daybook cluster adopt';

/** It knows no report of this version. */
const earlierPrimary = `it may be of an earlier version: update the primary to ${version} or later first, then answering servers, then collectors`;

const noPrimary = 'no primary at this address; is /cluster/ closed by a proxy, or the primary of an earlier version?';

/** Requests to the primary, which reject with what an operator has to know. */
const primaryRequests = ({ primaryUrl, token }: FollowParts) => {
  const stop = new AbortController();
  return {
    async get(path: string, init: RequestInit): Promise<Response> {
      const headers = { authorization: `Bearer ${token}`, ...init.headers };
      const signal = AbortSignal.any([stop.signal, AbortSignal.timeout(answerMs)]);
      const response = await fetch(`${primaryUrl}${path}`, { ...init, headers, signal, redirect: 'error' }).catch(
        error => {
          throw new Error(reasonOf((error as Error).cause ?? error));
        },
      );
      if (response.status === 200 || response.status === 304) return response;
      const text = await refusalOf(response);
      if (response.status === 401) throw new RefusedError('token-unknown', text);
      if (text.endsWith(': unknown state')) throw new RefusedError('state-unknown', unknownState);
      throw new Error({ 400: `${earlierPrimary} (${text})`, 404: noPrimary }[response.status] ?? text);
    },
    close: () => stop.abort(),
  };
};

const refusalOf = async (response: Response): Promise<string> => {
  const body: unknown = await response.json().catch(() => undefined);
  const error = isRecord(body) && typeof body.error === 'string' ? `: ${body.error}` : '';
  return `it answered with the status ${response.status}${error}`;
};

const primaryClient = (parts: FollowParts, onApplied: () => void) => {
  const { db, role, now } = parts;
  const apply = stateTaker(db, now);
  const keyUses = newKeyUses(db);
  const process = Buffer.from(parts.random(8)).toString('hex');
  const { get, close } = primaryRequests(parts);
  let self = selfOf(parts);
  let etag = '';
  let reportedAt = Number.NEGATIVE_INFINITY;

  const tell = async (stats: Record<string, unknown>): Promise<void> => {
    const uses = keyUses.next();
    const report: NodeReport = { identity: self.identity, process, role, version, keyUses: uses, stats };
    const headers = { 'content-type': 'application/json' };
    const response = await get(nodePath, { method: 'POST', headers, body: JSON.stringify(report) });
    await response.body?.cancel();
    keyUses.sent(uses);
    reportedAt = performance.now();
  };

  const fetchState = async (): Promise<void> => {
    const has = self.tag === null ? {} : { 'if-match': `"${self.tag}"` };
    const response = await get(`${statePath}?role=${role}${knownScopes}`, {
      headers: { ...has, 'if-none-match': etag },
    });
    if (response.status === 304) return response.body?.cancel();
    const state = (await response.json()) as ControlState;
    const given = response.headers.get('etag') ?? '';
    const next: Follower = { ...self, clickhouse: state.clickhouse, tag: given.replaceAll('"', '') };
    const changed = apply(state, next);
    [self, etag] = [next, given];
    if (changed > 0) onApplied();
  };

  return {
    self: () => self,
    /** Whether there is a state to go on with. */
    isReady: () => self.clickhouse !== null,
    close,
    async ask(stats: Record<string, unknown>): Promise<void> {
      // A primary that knows of no collector answers by itself: it hears of this one before a hit.
      if (self.clickhouse === null) await tell(stats);
      let unknown: RefusedError | undefined;
      await fetchState().catch(error => {
        if (!(error instanceof RefusedError && error.event === 'state-unknown')) throw error;
        unknown = error;
      });
      if (performance.now() - reportedAt >= reportMs)
        await tell(unknown === undefined ? stats : { ...stats, failure: unknown.message });
      if (unknown !== undefined) throw unknown;
    },
  };
};

/** Takes a state, all at once, of the server as it then is; gives how many rows changed. */
const stateTaker = (db: Database, now: () => number) => {
  const [store, cluster] = [followerStore(db), clusterStore(db)];
  const takeSalts = saltTaker(salts(db), now);
  return db.transaction((state: ControlState, next: Follower): number => {
    takeSalts(state.salts);
    cluster.keep(state.cluster);
    store.set(next);
    return applyControl(db, state.tables);
  }).immediate;
};

const newIdentity = (random: Random): string => Buffer.from(random(16)).toString('hex');

/** Who this server is. A new one gets an identity. */
const selfOf = ({ db, primaryUrl, random }: FollowParts): Follower => {
  const store = followerStore(db);
  const known = store.get() ?? {
    identity: newIdentity(random),
    number: null,
    primaryUrl,
    ...{ clickhouse: null, tag: null },
  };
  const self = { ...known, primaryUrl };
  store.set(self);
  return self;
};

/**
 * Keeps the salts of days to come, and of today where it has none yet. Where it has one already,
 * its visitors are known by that, and one of a day that is over is never written down.
 */
const saltTaker =
  (store: Salts, now: () => number) =>
  (given: ControlState['salts']): void => {
    const today = utcDayOf(now());
    for (const { day, salt: digits } of given) {
      if (day < today || day <= (store.newest()?.day ?? Number.NEGATIVE_INFINITY)) continue;
      const salt = Buffer.from(digits, 'hex');
      if (day === today) store.replace(day, salt);
      else store.keepNext({ day, salt });
    }
  };

/** When API keys were last used here, as far as the primary was not told. */
const newKeyUses = (db: Database) => {
  const keys = apiKeys(db);
  const told = new Map<number, number>();
  return {
    next: (): [number, number][] =>
      keys
        .list()
        .flatMap(({ id, lastUsedAt }): [number, number][] =>
          lastUsedAt === null || lastUsedAt <= (told.get(id) ?? 0) ? [] : [[id, lastUsedAt]],
        )
        .slice(0, keyUsesMax),
    sent(uses: readonly (readonly [number, number])[]): void {
      for (const [id, at] of uses) told.set(id, at);
    },
  };
};
