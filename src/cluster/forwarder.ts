/**
 * Brings a node's hits to the cluster: those of open days within a second or two, and days that are
 * over as a whole. The rows of the database are the queue. While ClickHouse is away they wait
 * there, and what was sent with an unknown outcome is sent again under a greater revision.
 */
import { dirname } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { type Log, reasonOf } from '../log.ts';
import { type Shards, writeShards } from '../model/shards.ts';
import { askedThread } from '../start-worker.ts';
import type { Database } from '../store/database.ts';
import type { SiteDay } from '../store/day/open/open-days.ts';
import { type Forwarded, forwardedStore } from '../store/forwarded.ts';
import { freeShare } from '../store/free-bytes.ts';
import type { ForwardedTurn, ForwardReply, ForwardRequest, ForwardSettings } from './forward-worker.ts';
import { outageLog } from './outage-log.ts';
import type { Proofs } from './prove-days.ts';
import { collectorsNode } from './schema.ts';

export interface ForwarderStats {
  /**
   * How long the oldest hit has waited that is not there, in milliseconds; 0 when none waits. A
   * turn that hangs counts, since hits may wait that it does not know of.
   */
  lagMs: number;
  /** Hits that wait, as far as they were counted: beyond some 50,000 no more are. */
  waitingHits: number;
  /** When something was last sent, UTC milliseconds. */
  lastShippedAt: number | null;
  /** Why the last try failed; null when it did not. */
  failure: string | null;
  /** Rows that were sent since the start: a visit is sent again with each hit of it that comes. */
  rows: number;
  /** The UTC days whose records are there all come before it; 0 while that is not known. */
  recordsBefore: number;
}

export interface Forwarder {
  stats(): ForwarderStats;
  /**
   * Which days of a collector ClickHouse has; null until it was asked. What it lacks is sent again.
   */
  proofs(): Proofs | null;
  /** Ends what is under way. What was not sent waits for the next start. */
  stop(): Promise<void>;
}

export interface ForwarderParts {
  /** The server's own connection. */
  db: Database;
  /** 0 for the primary. Records of a collector, and days that it sealed, are under its number. */
  node: number;
  cluster: Shards;
  /** UTC milliseconds. */
  now: () => number;
  log: Log;
  /** How much of the disk is free, from 0 to 1; for tests. */
  freeShareOf?: (dir: string) => number;
}

/** From one turn to the next, unless there is more to do: ClickHouse dislikes tiny inserts. */
const turnMs = 1000;
/** From one look at days that are over to the next; a collector looks whether they are closed. */
const [daysMs, proofsMs] = [30_000, 10_000];
/** After a failure, once more each time, up to the second. */
const [retryMs, retryMaxMs] = [1000, 10_000];
/** How far it has come is written down at most this often. */
const keepMs = 2000;
/** A turn that takes longer hangs. */
const hungMs = 2000;
/** The log says when hits wait for longer, or leave so little of the disk free. */
const lagMax = 60_000;
const freeShareMin = 0.25;

export const startForwarder = ({ db, node, cluster, now, log, freeShareOf = freeShare }: ForwarderParts): Forwarder => {
  const dataDir = dirname(db.name);
  const settings: ForwardSettings = { dataDir, node, shards: writeShards(cluster) };
  const start = () => askedThread<ForwardRequest, ForwardReply>('forward', () => settings);
  const [turns, days] = [start(), start()];
  const stopping = new AbortController();
  const loop = looper(stopping.signal);
  const place = placeKeeper(db, node === 0 ? 0 : collectorsNode, now);
  const again = new Map<string, SiteDay>();
  let proofs: Proofs | null = null;
  const report = outageLog(log, 'forwarding');
  const reportLag = lagLog(log, () => freeShareOf(dataDir));
  let last: ForwardedTurn | null = null;
  const clock = turnClock();
  let [lastShippedAt, failure, rows] = [null as number | null, null as string | null, 0];

  const stats = (): ForwarderStats => {
    const since = last?.waitingSince ?? null;
    const lagMs = Math.max(clock.hangsMs(), since === null ? 0 : now() - since);
    const recordsBefore = failure === null && last !== null ? last.recordsBefore : 0;
    return { lagMs, waitingHits: last?.waiting ?? 0, lastShippedAt, failure, rows, recordsBefore };
  };

  /** Sends what waits; whether there is more to do at once. */
  const turn = async (): Promise<boolean> => {
    const asked = [...again];
    clock.begin();
    const reply = await turns.ask({
      ...{ kind: 'turn', now: now(), revision: place.nextRevision(), known: place.known() },
      again: asked.map(([, of]) => of),
    });
    if (reply.kind !== 'turned') throw new Error(`unexpected reply ${reply.kind}`);
    for (const [key] of asked) again.delete(key);
    last = reply;
    clock.end();
    place.keep(reply);
    if (reply.failure !== null) throw new Error(reply.failure);
    if (reply.rows > 0) lastShippedAt = now();
    rows += reply.rows;
    return reply.isMore;
  };

  const lookAtDays = async (): Promise<boolean> => {
    const reply = await days.ask({ kind: 'days', now: now() });
    if (reply.kind !== 'shipped') throw new Error(`unexpected reply ${reply.kind}`);
    proofs = reply.proofs;
    for (const of of proofs?.lacking ?? []) again.set(`${of.siteId} ${of.day}`, of);
    return false;
  };

  const running = Promise.all([
    loop(turn, turnMs, error => {
      failure = error === null ? null : reasonOf(error);
      report(error);
      reportLag(stats());
    }),
    loop(lookAtDays, node === 0 ? daysMs : proofsMs, outageLog(log, 'shipping')),
  ]);
  return {
    stats,
    proofs: () => proofs,
    async stop() {
      stopping.abort();
      await Promise.all([turns.close(), days.close()]);
      await running;
      place.flush();
    },
  };
};

/** How long a turn hangs. Of the first nothing is known before it ends, so all of it counts. */
const turnClock = () => {
  let [began, isFirst] = [performance.now() as number | null, true];
  return {
    begin(): void {
      if (!isFirst) began = performance.now();
    },
    end(): void {
      [began, isFirst] = [null, false];
    },
    hangsMs(): number {
      const ms = began === null ? 0 : performance.now() - began;
      return isFirst || ms > hungMs ? ms : 0;
    },
  };
};

type Loop = (work: () => Promise<boolean>, everyMs: number, told: (error: unknown) => void) => Promise<void>;

/** Runs work again and again, at once where it says so, and later after it failed. */
const looper = (signal: AbortSignal): Loop => {
  const pause = (ms: number): Promise<unknown> => wait(ms, undefined, { signal, ref: false }).catch(() => {});
  return async (work, everyMs, told) => {
    let retry = retryMs;
    while (!signal.aborted) {
      const begun = performance.now();
      try {
        const isMore = await work();
        told(null);
        retry = retryMs;
        if (!isMore) await pause(Math.max(0, begun + everyMs - performance.now()));
      } catch (error) {
        if (signal.aborted) return;
        told(error);
        await pause(retry);
        retry = Math.min(2 * retry, retryMaxMs);
      }
    }
  };
};

/** Says when hits wait for long, when these fill the disk, and when they no longer wait. */
const lagLog = (log: Log, freeShareNow: () => number): ((stats: ForwarderStats) => void) => {
  let [isLate, fillsDisk] = [false, false];
  return ({ lagMs, waitingHits }) => {
    if (isLate !== lagMs > lagMax) {
      isLate = !isLate;
      if (isLate) log('forwarding-lags', { seconds: Math.round(lagMs / 1000), hits: waitingHits });
      else log('forwarding-current');
    }
    if (!isLate) fillsDisk = false;
    else if (!fillsDisk) {
      let free = 1;
      try {
        free = freeShareNow();
      } catch {
        // A disk that does not even say that refuses hits, too, and the log says so.
      }
      fillsDisk = free < freeShareMin;
      if (fillsDisk) log('disk-fills', { freePercent: Math.round(100 * free) });
    }
  };
};

/** How far it has come, and the revision of the last sending, written down now and then. */
const placeKeeper = (db: Database, node: number, now: () => number) => {
  const store = forwardedStore(db);
  let kept = store.get(node);
  let { hitId, revision } = kept;
  let sentRevision = revision;
  let keptAt = Number.NEGATIVE_INFINITY;
  const flush = (): void => {
    if (hitId === kept.hitId && sentRevision === kept.revision) return;
    kept = { node, hitId, revision: sentRevision };
    store.set(kept);
    keptAt = performance.now();
  };
  return {
    known: (): Forwarded => ({ node, hitId, revision }),
    /** The clock's, or above the last where that was set back. */
    nextRevision(): number {
      revision = Math.max(revision + 1, now());
      return revision;
    },
    keep(reached: ForwardedTurn): void {
      hitId = reached.hitId;
      // What failed may have arrived all the same.
      if (reached.rows > 0 || reached.failure !== null) sentRevision = revision;
      if (performance.now() - keptAt > keepMs) flush();
    },
    flush,
  };
};
