/**
 * Deletes what is older than a day, of all sites or one: sealed days, and records and visitors as
 * old. What it frees in the file is used again.
 */
import { lastHitCode } from '../../model/hit.ts';
import { dayMs } from '../../model/time.ts';
import type { WorkDone } from '../../model/work-done.ts';
import { forgetVisitors } from '../cookie-visitors.ts';
import type { Database } from '../database.ts';
import type { SiteDay } from '../day/open/open-days.ts';
import { partStore } from '../day/part-store.ts';
import { sealer } from '../day/seal.ts';
import { dropRemovedBefore } from '../moved-hits/removals.ts';
import { type RecordTable, recordTables, recordTimes } from '../read/record-rows.ts';
import { deleteSome } from '../tables.ts';

export interface OldDay extends SiteDay {
  hits: number;
  /** Of its columns; 0 while it is not sealed. */
  bytes: number;
}

export interface Pruner {
  /** Days before the UTC day `before` that there is something of, sealed or not. */
  find(before: number): OldDay[];
  /** Whether a site has sealed days, sums or records before the UTC day `before`. */
  hasOld(siteId: number, before: number): boolean;
  /**
   * Deletes what is before the UTC day `before`, and what was taken out of those days and is still
   * in the data directory. Each step is one short transaction, so that it may
   * run beside a server; what is interrupted is finished by the next call. A day that is not sealed
   * stays until it is. Cookie-mode visitors without a day that is kept are forgotten, unless
   * `keepsVisitors`. With `siteId` it is about that site alone; 0 is what could be told of none.
   */
  drop(before: number, options?: { keepsVisitors?: boolean; siteId?: number }): Generator<WorkDone>;
}

/** Rows deleted in one transaction, and a few more. */
const stepRows = 1000;
/** Notes are of some ten kilobytes. */
const stepNotes = 20;

const ofSite = 'site_id = coalesce(@siteId, site_id)';
const hasRows = 'exists (select 1 from visit v where v.site_id = p.site_id and v.day = p.day)';
const isThere = 'not exists (select 1 from import i where i.id = p.import_id and i.finished_at is null)';

export const pruner = (db: Database): Pruner => {
  const seal = sealer(db);
  const siteIds = db.prepare('select 0 union all select id from site').pluck();
  const sealedBefore = db.prepare(
    `select site_id as siteId, day, sum(hits) as hits, sum(bytes) as bytes
     from day_part where day < @before and sealed_at is not null and ${ofSite} group by site_id, day order by site_id, day`,
  );
  const countHits = db
    .prepare(`select count(*) from hit where site_id = ? and day = ? and type <= ${lastHitCode}`)
    .pluck();
  // With rows of its own left, the day would be taken for an open one.
  const dropDay = db.prepare(
    `update day_part as p set sealed_at = null where site_id = @siteId and day = @day and not ${hasRows}`,
  );
  // What is being imported now is not lost.
  const droppedBefore = db
    .prepare(
      `select id from day_part p
       where day < @before and sealed_at is null and not ${hasRows} and ${ofSite} and ${isThere}`,
    )
    .pluck();
  const store = partStore(db);
  const records = recordTables.map(recordDropper(db));
  const anyDay = oldDays(db);
  const dropSums = db.prepare(deleteSome(db, 'imported_sum', stepRows, `from_at < @before * ${dayMs}`));
  const dropNotes = ['brought_day', 'import_count', 'day_sum'].map(table =>
    db.prepare(deleteSome(db, table, stepNotes, 'day < @before')),
  );

  return {
    find: before => [
      ...(sealedBefore.all({ before, siteId: null }) as OldDay[]),
      ...seal.pending(before).map(({ siteId, day }) => {
        return { siteId, day, hits: countHits.get(siteId, day) as number, bytes: 0 };
      }),
    ],
    hasOld: (siteId, before) => anyDay(siteId, before) || records.some(({ hasOld }) => hasOld(siteId, before)),
    *drop(before, { keepsVisitors = false, siteId: only } = {}) {
      const where = { before, siteId: only ?? null };
      const days = sealedBefore.all(where) as OldDay[];
      for (const _ of seal.trim()) yield { unit: 'day', verb: 'deleted', count: 0, of: days.length };
      for (const [i, { siteId, day }] of days.entries()) {
        dropDay.run({ siteId, day });
        yield { unit: 'day', verb: 'deleted', count: i + 1, of: days.length };
      }
      const parts = droppedBefore.all(where) as number[];
      for (const [i, id] of parts.entries())
        for (const _ of store.drop([id])) yield { unit: 'part', verb: 'deleted', count: i + 1, of: parts.length };
      for (const siteId of only === undefined ? (siteIds.all() as number[]) : [only]) {
        for (const { drop } of records) yield* drop(siteId, before);
        for (const drop of [dropSums, ...dropNotes])
          while (drop.run({ siteId, before }).changes > 0) yield { unit: 'row', verb: 'deleted', count: 0, part: null };
        const ofVisitors = { first: Number.MIN_SAFE_INTEGER, last: before - 1, from: before, isMoved: false };
        for (const soFar of keepsVisitors ? [] : forgetVisitors(db, siteId, ofVisitors))
          yield { unit: 'visitor', verb: 'looked at', ...soFar };
      }
      if (only !== undefined) return;
      for (const _ of dropRemovedBefore(db, before)) yield { unit: 'file', verb: 'looked at', count: 0, part: null };
    },
  };
};

/** Whether a site has parts of days or sums before a day. */
const oldDays = (db: Database): ((siteId: number, before: number) => boolean) => {
  // Parts that are not sealed may be what was left when a call was interrupted.
  const anyPart = db
    .prepare(
      `select exists (select 1 from day_part p where site_id = @siteId and day < @before and sealed_at is not null)
       or exists (select 1 from day_part p
         where site_id = @siteId and day < @before and sealed_at is null and not ${hasRows} and ${isThere})`,
    )
    .pluck();
  const anySum = db
    .prepare(
      `select exists (select 1 from import i join imported_sum s on s.site_id = i.site_id and s.import_id = i.id
         where i.site_id = @siteId and s.dimension = '' and s.from_at < @before * ${dayMs})`,
    )
    .pluck();
  return (siteId, before) => [anyPart, anySum].some(any => any.get({ siteId, before }) === 1);
};

interface OldRecords {
  hasOld(siteId: number, before: number): boolean;
  drop(siteId: number, before: number): Generator<WorkDone>;
}

const recordDropper =
  (db: Database) =>
  (table: RecordTable): OldRecords => {
    const { time, unitMs } = recordTimes[table];
    const times = db
      .prepare(`select ${time} from ${table} where site_id = ? and ${time} < ? order by ${time} limit ${stepRows}`)
      .pluck();
    const drop = db.prepare(`delete from ${table} where site_id = ? and ${time} < ?`);
    const endOf = (before: number): number => Math.floor((before * dayMs) / unitMs);
    return {
      hasOld: (siteId, before) => times.get(siteId, endOf(before)) !== undefined,
      *drop(siteId, before) {
        const end = endOf(before);
        let first: number | undefined;
        let count = 0;
        while (true) {
          const found = times.all(siteId, end) as number[];
          const last = found.at(-1);
          if (last === undefined) return;
          first ??= found[0]!;
          count += drop.run(siteId, last + 1).changes;
          yield { unit: 'record', verb: 'deleted', count, part: (last - first) / (end - first) };
        }
      },
    };
  };
