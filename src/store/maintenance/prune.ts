/** Deletes what is older than a day, site by site: sealed days, and records and visitors as old. What it frees in the file is used again. */
import { lastHitCode } from '../../model/hit.ts';
import { dayMs, hourMs } from '../../model/time.ts';
import type { Database } from '../database.ts';
import type { SiteDay } from '../day/open/open-days.ts';
import { sealer } from '../day/seal.ts';
import { deleteSome } from '../tables.ts';
import { crawlSlotMs } from '../write/recorder.ts';
import { dropCookieVisitors } from './prune-visitors.ts';

export interface OldDay extends SiteDay {
  hits: number;
  /** Of its columns; 0 while it is not sealed. */
  bytes: number;
}

export interface Pruner {
  /** Days before the UTC day `before` that there is something of, sealed or not. */
  find(before: number): OldDay[];
  /**
   * Deletes what is before the UTC day `before`. Each step is one short transaction, so that it may run beside a server; what is interrupted is
   * finished by the next call. A day that is not sealed stays until it is.
   */
  drop(before: number): Generator<void>;
}

/** Rows deleted in one transaction. */
const stepRows = 1000;

/** Tables of records by time: its column and its unit. */
const recordTables = [
  ['vital', 'at', 1],
  ['crawl', 'quarter', crawlSlotMs],
  ['outcome', 'hour', hourMs],
] as const;

export const pruner = (db: Database): Pruner => {
  const seal = sealer(db);
  const siteIds = db.prepare('select 0 union all select id from site').pluck();
  const sealedBefore = db.prepare(
    'select site_id as siteId, day, hits, bytes from sealed_day where day < ? order by site_id, day',
  );
  const countHits = db
    .prepare(`select count(*) from hit where site_id = ? and day = ? and type <= ${lastHitCode}`)
    .pluck();
  // With rows of its own left, the day would be taken for an open one.
  const dropDay = db.prepare(
    `delete from sealed_day where site_id = @siteId and day = @day
     and not exists (select 1 from visit where site_id = @siteId and day = @day)`,
  );
  // Columns of a day that is neither sealed nor has rows: of those dropped now, or left behind when a drop was interrupted.
  const columnsBefore = db
    .prepare(
      `select id from sealed_column c where day < ?
       and not exists (select 1 from sealed_day s where s.site_id = c.site_id and s.day = c.day)
       and not exists (select 1 from visit v where v.site_id = c.site_id and v.day = c.day)`,
    )
    .pluck();
  const dropColumn = db.prepare('delete from sealed_column where id = ?');
  const dropRecords = recordTables.map(([table, time, unitMs]) => ({
    unitMs,
    statement: db.prepare(deleteSome(table, stepRows, `${time} < @before`)),
  }));

  return {
    find: before => [
      ...(sealedBefore.all(before) as OldDay[]),
      ...seal.pending(before).map(({ siteId, day }) => {
        return { siteId, day, hits: countHits.get(siteId, day) as number, bytes: 0 };
      }),
    ],
    *drop(before) {
      yield* seal.trim();
      for (const { siteId, day } of sealedBefore.all(before) as OldDay[]) {
        dropDay.run({ siteId, day });
        yield;
      }
      for (const id of columnsBefore.all(before) as number[]) {
        dropColumn.run(id);
        yield;
      }
      for (const siteId of siteIds.all() as number[]) {
        for (const { unitMs, statement } of dropRecords) {
          while (statement.run({ siteId, before: Math.floor((before * dayMs) / unitMs) }).changes > 0) yield;
        }
        yield* dropCookieVisitors(db, siteId, before);
      }
    },
  };
};
