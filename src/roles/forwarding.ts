/** Brings a node's hits to ClickHouse. */
import { setTimeout as wait } from 'node:timers/promises';
import { openCluster } from '../cluster/cluster.ts';
import type { Following } from '../cluster/follow.ts';
import { forgetDays } from '../cluster/forget-days.ts';
import { type Forwarder, type ForwarderStats, startForwarder } from '../cluster/forwarder.ts';
import { handOver } from '../cluster/hand-over.ts';
import { newerDays, OlderCopyError } from '../cluster/older-copy.ts';
import { outageLog } from '../cluster/outage-log.ts';
import { OtherClusterError, placement } from '../cluster/placement.ts';
import { collectorsNode } from '../cluster/schema.ts';
import type { Log } from '../log.ts';
import { type Shards, writeShards } from '../model/shards.ts';
import { hourMs } from '../model/time.ts';
import { clusterStore } from '../store/cluster.ts';
import { type Database, StoreError } from '../store/database.ts';
import { untilClosed } from '../until-closed.ts';

export interface ForwardingParts {
  db: Database;
  following: Pick<Following, 'self'>;
  /** Where ClickHouse is now. */
  shards: () => Shards;
  keepDays: number;
  now: () => number;
  log: Log;
}

/** From one look at what changed to the next. */
const tickMs = 1000;

export const startForwarding = (parts: ForwardingParts) => {
  const { db, following, shards, now, log } = parts;
  const { signal, rest, run, close } = untilClosed();
  const report = outageLog(log, 'clickhouse');
  const forget = forgetter(parts, signal);
  let running: { address: string; forwarder: Forwarder } | undefined;

  const tick = async (): Promise<void> => {
    const node = following.self().number ?? collectorsNode;
    const [now_, address] = [now(), writeShards(shards())];
    if (running?.address !== address) {
      await placement(shards(), clusterStore(db).id()).check();
      await handOver(db, shards());
      await running?.forwarder.stop();
      running = { address, forwarder: startForwarder({ db, node, cluster: shards(), now, log }) };
    }
    await forget(node, running.forwarder, now_);
  };

  run(async () => {
    while (true) {
      await tick().then(() => report(null), report);
      await rest(tickMs);
    }
  });
  return {
    /** Null until hits are brought. */
    stats: () => running?.forwarder.stats() ?? null,
    async close() {
      await close();
      await running?.forwarder.stop();
    },
  };
};

export interface PrimaryForwarding {
  /** Null until hits are brought. */
  stats(): ForwarderStats | null;
  /** Resolves with a sentence where ClickHouse turns out to be another cluster's. */
  isAnothers: Promise<string>;
  close(): Promise<void>;
}

/** From one look whether this is still an older copy to the next: somebody has to act. */
const olderCopyMs = 30_000;
const nothingSent = { lagMs: 0, waitingHits: 0, lastShippedAt: null, rows: 0, recordsBefore: 0 };

/**
 * The primary is node 0, and makes the tables. It keeps all of its days. Restored from an older
 * copy it brings nothing.
 */
export const startPrimaryForwarding = ({
  db,
  shards,
  now,
  log,
}: Pick<ForwardingParts, 'db' | 'now' | 'log'> & { shards: Shards }): PrimaryForwarding => {
  const { signal, rest, run, close } = untilClosed();
  const report = outageLog(log, 'clickhouse');
  const cluster = clusterStore(db).id()!;
  let forwarder: Forwarder | undefined;
  let failure: string | null = null;
  let tellOther = (_: string): void => {};
  const isAnothers = new Promise<string>(resolve => {
    tellOther = resolve;
  });
  const failed = (error: unknown): void => {
    failure = error instanceof OlderCopyError ? error.message : null;
    if (error instanceof OtherClusterError) tellOther(refusal(error));
    report(error);
  };
  const start = async (): Promise<void> => {
    const tables = openCluster(shards);
    await tables.makeTables(cluster);
    const [newer] = await newerDays(db, tables, 0);
    if (newer !== undefined) throw new OlderCopyError(newer);
    if (!signal.aborted) forwarder = startForwarder({ db, node: 0, cluster: shards, now, log });
  };
  run(async () => {
    while (forwarder === undefined) {
      await start().then(() => report(null), failed);
      await rest(failure === null ? tickMs : olderCopyMs);
    }
  });
  return {
    isAnothers,
    stats: () => forwarder?.stats() ?? (failure === null ? null : { ...nothingSent, failure }),
    async close() {
      await close();
      await forwarder?.stop();
    },
  };
};

/** A day that is not closed yet may be soon. */
const forgetAgainMs = 10_000;

/** Forgets each hour the days that ClickHouse has and that are old enough. */
const forgetter = ({ db, shards, keepDays, log }: ForwardingParts, signal: AbortSignal) => {
  let nextAt = Number.NEGATIVE_INFINITY;
  const report = outageLog(log, 'clickhouse');
  return async (node: number, forwarder: Forwarder, now: number): Promise<void> => {
    const proofs = forwarder.proofs();
    if (now < nextAt || proofs === null) return;
    nextAt = now + forgetAgainMs;
    try {
      const { recordsBefore } = forwarder.stats();
      const isDone = await forgetDays({
        ...{ db, node, proofs, keepDays, recordsBefore, now, signal },
        cluster: openCluster(shards()),
      });
      if (isDone) nextAt = now + hourMs;
      report(null);
    } catch (error) {
      report(error);
    }
  };
};

/** For a ClickHouse that does not answer, and does not refuse either. */
const startMs = 5000;

const refusal = ({ message }: OtherClusterError): string =>
  `This directory is not the primary’s of the cluster on ClickHouse: ${message} Name the right one with --data.`;

/**
 * Before a primary starts. Throws StoreError where ClickHouse is another cluster's, which a primary
 * on an empty or a wrong directory finds. While ClickHouse does not answer, that waits.
 */
export const refuseOtherCluster = async (db: Database, shards: Shards): Promise<void> => {
  const checked = placement(shards, clusterStore(db).id())
    .check()
    .catch(error => {
      if (error instanceof OtherClusterError) throw new StoreError(refusal(error));
    });
  await Promise.race([checked, wait(startMs, undefined, { ref: false })]);
};
