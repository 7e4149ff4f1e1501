/**
 * The threads that bring a node's hits to the cluster: one those of open days, turn by turn, and
 * another whole days. Each is asked for one of the two, and reads through a connection of its own.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { reasonOf } from '../log.ts';
import { readShards } from '../model/shards.ts';
import { utcDayOf } from '../model/time.ts';
import { type Database, openDatabase, openReader } from '../store/database.ts';
import { broughtDays } from '../store/day/brought-days.ts';
import type { SiteDay } from '../store/day/open/open-days.ts';
import { erasedStages, erasedVisitors } from '../store/erased.ts';
import type { Forwarded } from '../store/forwarded.ts';
import { sites } from '../store/sites.ts';
import { dayCloser } from './close-days.ts';
import { closeEarlierDays } from './close-earlier.ts';
import { openCluster } from './cluster.ts';
import { dropGoneSites } from './drop.ts';
import { eraseNoted } from './erase-hits.ts';
import { openTurns, type Turn } from './forward-open.ts';
import { dayProver, type Proofs } from './prove-days.ts';
import { type RecordTurns, recordTurns } from './record-turns.ts';
import { dayRuler } from './rule-days.ts';
import { settleBrought } from './settle-brought.ts';
import { dayShipper } from './ship-days.ts';
import { recordShipper } from './ship-records.ts';

/** What a thread is started with. */
export interface ForwardSettings {
  dataDir: string;
  /** 0 for the primary. */
  node: number;
  /** As the setting CLICKHOUSE has them. */
  shards: string;
}

export type ForwardRequest =
  /** `revision` is greater than any before, `known` is how far it was at the start. */
  | { kind: 'turn'; now: number; revision: number; known: Forwarded; again: readonly SiteDay[] }
  | { kind: 'days'; now: number }
  | { kind: 'close' };

export interface ForwardedTurn extends Turn {
  /** What is recorded besides hits of the UTC days before it is there as it is here. */
  recordsBefore: number;
}

export type ForwardReply =
  | ({ kind: 'turned' } & ForwardedTurn)
  /** `proofs` are a collector's. */
  | { kind: 'shipped'; days: number; proofs: Proofs | null }
  | { kind: 'failed'; message: string };

const { dataDir, node, shards: address } = workerData as ForwardSettings;
const shards = readShards(address)!;
const stop = new AbortController();

/** From one sweep to the next, and to the next try where one failed, as while a replica is away. */
const [sweepEveryMs, sweepAgainMs] = [600_000, 60_000];

/** Ships whole days; resolves with how many. */
const dayTurns = (db: Database) => {
  const cluster = openCluster(shards);
  const [ship, ruler] = [dayShipper(db, cluster, node), dayRuler(db, shards)];
  const close = dayCloser(shards, ruler);
  let sweepAt = 0;
  return async (now: number): Promise<number> => {
    let days = 0;
    const all = sites(db).list();
    let failure: unknown = null;
    /** Where it fails, all else is done all the same. */
    const tried = (work: Promise<void>): Promise<void> =>
      work.catch(error => {
        failure ??= error;
      });
    const count = async (work: AsyncGenerator<unknown>): Promise<void> => {
      for await (const _ of work) {
        days++;
        if (stop.signal.aborted) return;
      }
    };
    if (node === 0) {
      const noted = erasedVisitors(db).upTo(erasedStages.file);
      if (noted.length > 0) await tried(writing(writable => eraseNoted(writable, shards)));
      if (broughtDays(db).list().length > 0) await tried(writing(writable => settleBrought(writable, cluster)));
    }
    await count(ship(all, { openFrom: 0, takesAway: false }));
    if (node === 0) await tried(count(ruler.rule(all, now)));
    if (stop.signal.aborted) return days;
    // Of all nodes, so one does it.
    if (node === 0 && now > sweepAt) {
      sweepAt = now + sweepAgainMs;
      await close(all, now);
      await cluster.sweep();
      await closeEarlierDays(shards, all, now);
      await cluster.sweepOpen(utcDayOf(now));
      await dropGoneSites(db, shards, cluster);
      sweepAt = now + sweepEveryMs;
    }
    if (failure !== null) throw failure;
    return days;
  };
};

const writing = async (work: (db: Database) => Promise<void>): Promise<void> => {
  const writable = openDatabase(dataDir);
  try {
    await work(writable);
  } finally {
    writable.close();
  }
};

let db: Database | undefined;
let turn: ReturnType<typeof openTurns> | undefined;
let records: RecordTurns | undefined;
let shipDays: ReturnType<typeof dayTurns> | undefined;
let prove: ReturnType<typeof dayProver> | undefined;

const answer = async (request: Exclude<ForwardRequest, { kind: 'close' }>): Promise<ForwardReply> => {
  try {
    db ??= openReader(dataDir);
    if (request.kind === 'days') {
      shipDays ??= dayTurns(db);
      const days = await shipDays(request.now);
      if (node === 0) return { kind: 'shipped', days, proofs: null };
      prove ??= dayProver(db);
      const siteIds = sites(db)
        .list()
        .map(({ id }) => id);
      return { kind: 'shipped', days, proofs: await prove(shards, siteIds, request.now) };
    }
    turn ??= openTurns(db, shards, request.known);
    records ??= recordTurns(recordShipper(db, shards, node));
    const turned = await turn(request.revision, stop.signal, request.again);
    let { failure } = turned;
    try {
      if (failure === null) await records.turn(request.now);
    } catch (error) {
      failure = reasonOf(error);
    }
    return { kind: 'turned', ...turned, recordsBefore: records.comparedBefore(), failure };
  } catch (error) {
    return { kind: 'failed', message: reasonOf(error) };
  }
};

let last: Promise<void> = Promise.resolve();
parentPort!.on('message', (request: ForwardRequest) => {
  if (request.kind === 'close') {
    stop.abort();
    void last.then(() => {
      db?.close();
      parentPort!.close();
    });
    return;
  }
  last = answer(request).then(reply => parentPort!.postMessage(reply));
});
