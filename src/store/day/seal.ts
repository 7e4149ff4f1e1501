/**
 * Sealing turns a finished UTC day's rows into columns. Reading and encoding are `encodeDay`, which
 * a worker thread can do on a reading connection; writing is the writer's own, in short
 * transactions, so that the collector is never kept waiting:
 *
 *     each column  ->  the sealed_day row, which makes the columns the truth at once  ->  the rows dropped in small steps
 *
 * Until the sealed_day row is there readers use the rows, after it the columns. A crash in between
 * leaves columns that the next try writes again, or rows that the next trim drops.
 */
import type { ColumnName } from '../../model/columns.ts';
import type { Database } from '../database.ts';
import { moveRemoved } from '../removal/move-removed.ts';
import { deleteSome } from '../tables.ts';
import { encodeColumn } from './column-codec.ts';
import { columnsOf, type Day, type DayFacts, factsOf } from './day.ts';
import { type KeptName, keptColumns } from './kept-numbers.ts';
import { daysWithRows, openDays, type SiteDay } from './open/open-days.ts';
import { removedHits } from './open/removed-rows.ts';

export interface EncodedDay {
  facts: DayFacts;
  columns: { name: ColumnName | KeptName; data: Uint8Array }[];
  /** Tells which hits were taken out of the day when it was read (open/removed-rows.ts). */
  removed: string;
}

/**
 * Reads and encodes an open day, all as of one moment. Hits that were taken out of it go to the
 * files of their removals.
 */
export const encodeDay = (db: Database, { siteId, day }: SiteDay): EncodedDay => {
  const read = db.transaction(() => ({
    whole: openDays(db).readWhole(siteId, day),
    removed: removedHits(db).key(siteId, day),
  }));
  const { whole, removed } = read();
  if (removed === '') return encoded(whole.day);
  const kept = moveRemoved(db, whole);
  const { facts, columns } = encoded(kept.day);
  return { facts, columns: [...columns, ...keptColumns(kept, whole.day)], removed };
};

/** The day as it is once it is sealed. */
export const encoded = (day: Day): EncodedDay => ({
  facts: { ...factsOf(day), sealed: true },
  columns: columnsOf(day).map(([name, column]) => ({ name, data: encodeColumn(column) })),
  removed: '',
});

/** What a day takes as columns. */
export const sealedBytes = (columns: EncodedDay['columns']): number =>
  columns.reduce((sum, { data }) => sum + data.byteLength, 0);

/** Rows dropped in one transaction. */
const trimRows = 2000;

export interface Sealer {
  /** Days before `today` that have rows and are not sealed. */
  pending(today: number): SiteDay[];
  /**
   * Writes a day's columns; each `next()` is one short transaction. When it returns, the day is
   * sealed. Throws when hits were taken out of the day, or put back, since it was read.
   */
  write(encoded: EncodedDay, now: number): Generator<void>;
  /** Drops the rows of sealed days; each `next()` is one short transaction. */
  trim(): Generator<void>;
  /** The newest sealed day of any site; undefined when there is none. */
  newest(): number | undefined;
}

export const sealer = (db: Database): Sealer => {
  const withRows = daysWithRows(db);
  const isSealed = db.prepare('select 1 from sealed_day where site_id = ? and day = ?').pluck();
  const writeColumn = db.prepare('insert or replace into sealed_column (site_id, day, name, data) values (?, ?, ?, ?)');
  const markSealed = db.prepare(
    `insert or ignore into sealed_day (site_id, day, visits, hash_visits, hits, first_at, last_at, bytes, sealed_at)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const removedFrom = removedHits(db);
  const trims = (['removed_hits', 'hit', 'visit'] as const).map(table =>
    db.prepare(deleteSome(table, trimRows, 'day = @day')),
  );
  const newest = db.prepare('select max(day) from sealed_day').pluck();

  return {
    pending: today => withRows().filter(({ siteId, day }) => day < today && isSealed.get(siteId, day) === undefined),
    *write({ facts, columns, removed }, now) {
      const { siteId, day } = facts;
      for (const { name, data } of columns) {
        // Another process may have sealed the day meanwhile, and a sealed day is never written
        // again.
        if (isSealed.get(siteId, day) !== undefined) return;
        writeColumn.run(siteId, day, name, data);
        yield;
      }
      const bytes = sealedBytes(columns);
      const { visits, hashVisits, hits, firstAt, lastAt } = facts;
      const mark = db.transaction(() => {
        if (removedFrom.key(siteId, day) !== removed) throw new Error('other hits were taken out of the day meanwhile');
        markSealed.run(siteId, day, visits, hashVisits, hits, firstAt, lastAt, bytes, now);
      });
      mark.immediate();
    },
    *trim() {
      for (const siteDay of withRows()) {
        if (isSealed.get(siteDay.siteId, siteDay.day) === undefined) continue;
        for (const step of trims) {
          while (step.run(siteDay).changes > 0) yield;
        }
      }
    },
    newest: () => (newest.get() as number | null) ?? undefined,
  };
};

/**
 * Seals every finished day and drops its rows, in this thread; each `next()` is one short
 * transaction. Returns what was sealed.
 */
export function* sealSteps(db: Database, today: number, now: number): Generator<void, DayFacts[]> {
  const seal = sealer(db);
  const sealed: DayFacts[] = [];
  for (const siteDay of seal.pending(today)) {
    const inColumns = encodeDay(db, siteDay);
    yield* seal.write(inColumns, now);
    sealed.push(inColumns.facts);
  }
  yield* seal.trim();
  return sealed;
}

/** sealSteps without a pause, where no server runs. */
export const sealAll = (db: Database, today: number, now: number): DayFacts[] => {
  const steps = sealSteps(db, today, now);
  for (let step = steps.next(); ; step = steps.next()) if (step.done) return step.value;
};
