/**
 * What the hits and records of a collector are called on a cluster. Each start of the program is
 * an epoch of its own, random, and written down before its first hit; the key of a hit is its epoch
 * and its id together. So a name is made by one process alone: a copy of the directory has the same
 * names for the hits that it was copied with, and others for those that it takes.
 */
import { createHash } from 'node:crypto';
import { lastHitCode } from '../model/hit.ts';
import type { Random } from '../model/ids.ts';
import type { Database } from './database.ts';
import { hitIds, newestId } from './day/open/newest-rows.ts';
import { daysWithRows, type SiteDay } from './day/open/open-days.ts';
import { deleteSome } from './tables.ts';

/** Hits of one epoch on a day: those of the cluster with keys between the two, both included. */
export interface KeyRange {
  first: bigint;
  last: bigint;
  hits: number;
  /** The sum of their keys, modulo 2^64. */
  keySum: bigint;
}

/** Hits that earlier versions took have names by the directory, the same in all copies of it. */
const epochOfEarlier = (identity: string): bigint => below63(createHash('sha256').update(identity).digest());

/** So a key is below 2^64 whatever the id of its hit. */
const below63 = (bytes: Uint8Array): bigint => Buffer.from(bytes).readBigUInt64BE() >> 1n;

/** Begins an epoch, before the first hit is taken. `identity` is the directory's. */
export const beginEpoch = (db: Database, identity: string, random: Random): void => {
  const drop = db.prepare('delete from epoch where first_hit >= ?');
  // Of those without hits the newest stays, which the others may have.
  const dropEmpty = db.prepare(
    'delete from epoch where first_hit < (select max(first_hit) from epoch where first_hit <= ?)',
  );
  const insert = db.prepare('insert into epoch (first_hit, id) values (?, ?)');
  const any = db.prepare('select exists (select 1 from epoch)').pluck();
  const range = hitIds(db);
  db.transaction(() => {
    const firstHit = 1 + newestId(db, 'hit');
    // Ids may begin anew when all hits are gone.
    drop.run(firstHit);
    dropEmpty.run(Math.min(firstHit, ...daysWithRows(db)().map(of => range(of)[0] ?? firstHit)));
    if (firstHit > 1 && any.get() === 0) insert.run(1, epochOfEarlier(identity));
    insert.run(firstHit, below63(random(8)));
  }).immediate();
};

export type Epochs = ReturnType<typeof epochs>;

/** What is recorded now belongs to it; 0 where none began, as on a server that is no collector. */
export const newestEpoch = (db: Database): bigint => {
  const newest = db.prepare('select id from epoch order by first_hit desc limit 1').pluck().safeIntegers();
  return (newest.get() as bigint | undefined) ?? 0n;
};

/** The epochs that there are now. */
export const epochs = (db: Database) => {
  const all = db.prepare('select first_hit as firstHit, id from epoch order by first_hit').safeIntegers().all() as {
    firstHit: bigint;
    id: bigint;
  }[];
  const known = all.map(({ firstHit, id }) => ({ firstHit: Number(firstHit), id }));
  const counts = db.prepare(
    `select count(*) as hits, min(id) as first, max(id) as last, sum(id) as sum from hit
     where site_id = @siteId and day = @day and type <= ${lastHitCode} and id >= @from and id < @to`,
  );
  counts.safeIntegers();
  return {
    /** The one that began last. */
    newest: () => known.at(-1)!.id,
    keyOf: (hitId: number) => known.findLast(({ firstHit }) => firstHit <= hitId)!.id + BigInt(hitId),
    /** By epoch the hits of a day that count. */
    ranges: (of: SiteDay): KeyRange[] =>
      known.flatMap(({ firstHit: from, id }, i) => {
        const to = known[i + 1]?.firstHit ?? Number.MAX_SAFE_INTEGER;
        const { hits, first, last, sum } = counts.get({ ...of, from, to }) as Record<string, bigint>;
        if (hits === 0n) return [];
        const keySum = BigInt.asUintN(64, id * hits! + sum!);
        return [{ first: id + first!, last: id + last!, hits: Number(hits), keySum }];
      }),
  };
};

/** Rows deleted in one transaction. */
const stepRows = 2000;

export const earlierHits = (db: Database) => {
  const before = `id < (select min(first_hit) from epoch where first_hit > 1)`;
  const ofDay = `day = @day and ${before}`;
  const count = db
    .prepare(`select count(*) from hit where site_id = @siteId and ${ofDay} and type <= ${lastHitCode}`)
    .pluck();
  const drop = db.prepare(deleteSome(db, 'hit', stepRows, ofDay));
  return {
    /** How many count. */
    count: (of: SiteDay) => count.get({ siteId: of.siteId, day: of.day }) as number,
    /** Deletes them step by step. Their visits stay, since they may go on. */
    *forget({ siteId, day }: SiteDay): Generator<void> {
      while (drop.run({ siteId, day }).changes > 0) yield;
    },
  };
};
