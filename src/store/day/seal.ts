/**
 * Sealing turns a finished UTC day's rows into columns, a part of the day at a time. Reading and
 * encoding are `encodeDay`, which a worker thread can do on a reading connection; writing is the
 * writer's own, in short transactions, so that the collector is never kept waiting:
 *
 *     each column -> the sealed_day row, which makes the columns the truth -> rows dropped in steps
 *
 * Until the sealed_day row is there readers use the rows, after it the columns. A crash in between
 * leaves columns that the next try writes again, or rows that the next trim drops.
 */
import type { ColumnName } from '../../model/columns.ts';
import type { WorkDone } from '../../model/work-done.ts';
import type { Database } from '../database.ts';
import { moveRemoved } from '../removal/move-removed.ts';
import { deleteSome } from '../tables.ts';
import { encodeColumn } from './column-codec.ts';
import { columnsOf, type Day, type DayFacts, factsOf } from './day.ts';
import { type KeptName, keptColumns } from './kept-numbers.ts';
import { encodeMarks } from './mark-visits.ts';
import { daysWithRows, openDays, type SiteDay, type WholeDay } from './open/open-days.ts';
import { removedHits } from './open/removed-rows.ts';
import { isOfImport, marksName, storedName } from './part.ts';

/** A part of a day, or a whole day, as it is once it is sealed. */
export interface EncodedPart {
  facts: DayFacts;
  columns: { name: ColumnName | KeptName | typeof marksName; data: Uint8Array }[];
  /** Tells which hits were taken out of the day when it was read (open/removed-rows.ts). */
  removed: string;
}

/** A day that was sealed, with all of its parts. */
export interface SealedDay extends SiteDay {
  visits: number;
  hits: number;
  /** Of its columns. */
  bytes: number;
}

/**
 * Reads all rows of an open day, when the first part is asked for, and encodes part by part. They
 * are as of that moment if the first is asked for in a transaction. Hits that were taken out of the
 * day go to the files of their removals.
 */
export function* encodeDay(db: Database, siteDay: SiteDay, partHitsMax?: number): Generator<EncodedPart, void> {
  const days = openDays(db, { ...(partHitsMax !== undefined && { partHitsMax }), keptBytesMax: 0 });
  const removed = removedHits(db).key(siteDay.siteId, siteDay.day);
  try {
    for (const whole of days.readParts(siteDay)) yield { ...encodeWhole(db, whole), removed };
  } finally {
    days.keepOnly(siteDay.siteId, new Set());
  }
}

const encodeWhole = (db: Database, whole: WholeDay): EncodedPart => {
  if (whole.removed.length === 0) return encoded(whole.day);
  const kept = moveRemoved(db, whole);
  const part = encoded(kept.day);
  return { ...part, columns: [...part.columns, ...keptColumns(kept, whole.day), ...marksColumn(whole.day)] };
};

/** A day that no hits were taken out of. */
export const encoded = (day: Day): EncodedPart => ({
  facts: { ...factsOf(day), sealed: true },
  columns: [...columnsOf(day).map(([name, column]) => ({ name, data: encodeColumn(column) })), ...marksColumn(day)],
  removed: '',
});

const marksColumn = (day: Day): EncodedPart['columns'] => {
  const data = encodeMarks(day);
  return data === undefined ? [] : [{ name: marksName, data }];
};

/** Rows dropped in one transaction. */
const trimRows = 2000;

export interface Sealer {
  /** Days before `today` that have rows and are not sealed. */
  pending(today: number): SiteDay[];
  /** Begins to seal a day. */
  begin(siteDay: SiteDay): DaySealer;
  /** Drops the rows of sealed days; each `next()` is one short transaction. */
  trim(): Generator<void>;
  /** The newest sealed day of any site; undefined when there is none. */
  newest(): number | undefined;
}

export interface DaySealer {
  /** Writes the columns of a part; each `next()` is one short transaction. */
  write(part: EncodedPart): Generator<void>;
  /**
   * Seals the day, when all of its parts are written. Throws when hits were taken out of the day,
   * or put back, since it was read.
   */
  finish(now: number): SealedDay;
}

export const sealer = (db: Database): Sealer => {
  const withRows = daysWithRows(db);
  const isSealed = db.prepare('select 1 from sealed_day where site_id = ? and day = ?').pluck();
  const trims = (['removed_hits', 'hit', 'visit'] as const).map(table =>
    db.prepare(deleteSome(table, trimRows, 'day = @day')),
  );
  const newest = db.prepare('select max(day) from sealed_day').pluck();
  const writer = dayWriter(db);

  return {
    pending: today => withRows().filter(({ siteId, day }) => day < today && isSealed.get(siteId, day) === undefined),
    begin(siteDay) {
      const { siteId, day } = siteDay;
      const facts: DayFacts[] = [];
      const names: string[] = [];
      let bytes = 0;
      let removedThen = '';
      return {
        *write({ facts: ofPart, columns, removed }) {
          removedThen = removed;
          for (const { name, data } of columns) {
            // Another process may have sealed the day meanwhile, and a sealed day is never written
            // again.
            if (isSealed.get(siteId, day) !== undefined) break;
            names.push(storedName(name, ofPart.part));
            writer.column(siteDay, names.at(-1)!, data);
            bytes += data.byteLength;
            yield;
          }
          facts.push(ofPart);
        },
        finish(now) {
          writer.facts.immediate(facts, { names, bytes, removed: removedThen, now });
          return { siteId, day, visits: sumBy(facts, 'visits'), hits: sumBy(facts, 'hits'), bytes };
        },
      };
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

/** Writes what is kept of a sealed day. */
export const dayWriter = (db: Database) => {
  const insertColumn = db.prepare(
    'insert or replace into sealed_column (site_id, day, name, data) values (?, ?, ?, ?)',
  );
  const insertDay = db.prepare(
    `insert or ignore into sealed_day (site_id, day, visits, hash_visits, hits, first_at, last_at, bytes, sealed_at)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const insertPart = db.prepare(
    `insert or replace into sealed_part (site_id, day, number, visits, hash_visits, hits, first_at, last_at)
     values (?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  // Of an earlier try that was interrupted: it had more parts, or hits were out that are back now.
  const dropOthers = db.prepare(
    `delete from sealed_column where site_id = ? and day = ? and not ${isOfImport}
     and name not in (select value from json_each(?))`,
  );
  const removedFrom = removedHits(db);
  const addUp = partsAdder(db);
  const valuesOf = ({ visits, hashVisits, hits, firstAt, lastAt }: DayFacts): number[] => [
    ...[visits, hashVisits, hits],
    ...[firstAt, lastAt],
  ];
  return {
    column({ siteId, day }: SiteDay, name: string, data: Uint8Array): void {
      insertColumn.run(siteId, day, name, data);
    },
    facts: db.transaction(
      (
        parts: readonly DayFacts[],
        { names, bytes, removed, now }: { names: string[]; bytes: number; removed: string; now: number },
      ): void => {
        const [first] = parts as [DayFacts];
        const { siteId, day } = first;
        // Another process may have sealed it meanwhile.
        if (insertDay.run(siteId, day, ...valuesOf(first), bytes, now).changes === 0) return;
        if (removedFrom.key(siteId, day) !== removed) throw new Error('other hits were taken out of the day meanwhile');
        if (parts.length > 1) {
          for (const part of parts) insertPart.run(siteId, day, part.part.number, ...valuesOf(part));
          addUp({ siteId, day });
        }
        dropOthers.run(siteId, day, JSON.stringify(names));
      },
    ),
  };
};

/** Makes what is on record of a sealed day the sum of its parts. */
export const partsAdder = (db: Database): ((siteDay: SiteDay) => void) => {
  const columns = 'visits, hash_visits, hits, first_at, last_at';
  const addUp = db.prepare(
    `update sealed_day set (${columns}) =
       (select sum(visits), sum(hash_visits), sum(hits),
               coalesce(min(first_at) filter (where hits > 0), 0), max(last_at)
        from sealed_part p where p.site_id = @siteId and p.day = @day)
     where site_id = @siteId and day = @day`,
  );
  return siteDay => {
    addUp.run(siteDay);
  };
};

const sumBy = (parts: readonly DayFacts[], name: 'visits' | 'hashVisits' | 'hits'): number =>
  parts.reduce((sum, part) => sum + part[name], 0);

/**
 * Seals a day in this thread; each `next()` is one short transaction. `rows` are read in the first.
 */
export function* sealDay(
  db: Database,
  seal: Sealer,
  siteDay: SiteDay,
  now: number,
  partHitsMax?: number,
): Generator<void, SealedDay> {
  const sealing = seal.begin(siteDay);
  const parts = encodeDay(db, siteDay, partHitsMax);
  const next = db.transaction(() => parts.next());
  for (let part = next(); !part.done; part = parts.next()) yield* sealing.write(part.value);
  return sealing.finish(now);
}

/**
 * Seals every finished day and drops its rows, in this thread; each `next()` is one short
 * transaction. Returns what was sealed.
 */
export function* sealSteps(
  db: Database,
  today: number,
  now: number,
  partHitsMax?: number,
): Generator<WorkDone, SealedDay[]> {
  const seal = sealer(db);
  const sealed: SealedDay[] = [];
  const pending = seal.pending(today);
  const done = (): WorkDone => ({ unit: 'day', verb: 'sealed', count: sealed.length, of: pending.length });
  for (const siteDay of pending) {
    const steps = sealDay(db, seal, siteDay, now, partHitsMax);
    let step = steps.next();
    for (; !step.done; step = steps.next()) yield done();
    sealed.push(step.value);
  }
  for (const _ of seal.trim()) yield done();
  return sealed;
}

/** sealSteps without a pause, where no server runs. */
export const sealAll = (db: Database, today: number, now: number, partHitsMax?: number): SealedDay[] =>
  atOnce(sealSteps(db, today, now, partHitsMax));

/** Takes all steps without a pause, and returns what they return. */
export const atOnce = <T>(steps: Generator<unknown, T>): T => {
  for (let step = steps.next(); ; step = steps.next()) if (step.done) return step.value;
};
