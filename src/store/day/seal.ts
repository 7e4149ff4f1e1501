/**
 * Sealing turns a finished UTC day's rows into columns, a part of the day at a time. Reading and
 * encoding are `encodeDay`, which a worker thread can do on a reading connection; writing is the
 * writer's own, in short transactions, so that the collector is never kept waiting:
 *
 *     its columns -> the part counts: the day is sealed at once -> the rows dropped in steps
 *
 * Until then readers use the rows, after it the columns. A crash in between leaves parts that do
 * not count, which the next try drops, or rows that the next trim drops.
 */
import type { WorkDone } from '../../model/work-done.ts';
import type { Database } from '../database.ts';
import { deleteSome } from '../tables.ts';
import { type Day, type DayFacts, factsOf } from './day.ts';
import { encodeColumns } from './derived.ts';
import { encodeMarks } from './mark-visits.ts';
import { daysWithRows, openDays, type SiteDay } from './open/open-days.ts';
import { marksName } from './part.ts';
import { type EncodedPart, partStore } from './part-store.ts';

/** A day that was sealed, with all of its parts. */
export interface SealedDay extends SiteDay {
  visits: number;
  hits: number;
  /** Of its columns. */
  bytes: number;
}

/**
 * Reads all rows of an open day, when the first part is asked for, and encodes part by part. They
 * are as of that moment if the first is asked for in a transaction.
 */
export function* encodeDay(db: Database, siteDay: SiteDay, partHitsMax?: number): Generator<EncodedPart, void> {
  const days = openDays(db, { ...(partHitsMax !== undefined && { partHitsMax }), keptBytesMax: 0 });
  try {
    for (const day of days.readParts(siteDay)) yield encoded(day);
  } finally {
    days.keepOnly(siteDay.siteId, new Set());
  }
}

/** What is stored of a day. */
export const encoded = (day: Day): EncodedPart => ({
  facts: { ...factsOf(day), sealed: true },
  columns: [...encodeColumns(day), ...marksColumn(day)],
});

const marksColumn = (day: Day): EncodedPart['columns'] => {
  const data = encodeMarks(day);
  return data === undefined ? [] : [{ name: marksName, data }];
};

/** Rows dropped in one transaction. */
const trimRows = 2000;

export type Sealer = ReturnType<typeof sealer>;

export interface DaySealer {
  /** Writes the columns of a part; each `next()` is one short transaction. */
  write(part: EncodedPart): Generator<void>;
  /** Seals the day, when all of its parts are written. */
  finish(now: number): SealedDay;
}

export const sealer = (db: Database) => {
  const withRows = daysWithRows(db);
  const trims = (['hit', 'visit'] as const).map(table => db.prepare(deleteSome(db, table, trimRows, 'day = @day')));
  const newest = db.prepare('select max(day) from day_part where import_id = 0 and sealed_at is not null').pluck();
  const store = partStore(db);

  return {
    /** Days before `today` that have rows and are not sealed. */
    pending: (today: number) => withRows().filter(({ siteId, day }) => day < today && !store.isSealed(siteId, day)),
    /** Begins to seal a day. */
    begin(siteDay: SiteDay): DaySealer {
      const { siteId, day } = siteDay;
      const facts: DayFacts[] = [];
      const parts = store.begin({ siteId, day, importId: 0 });
      const seal = db.transaction((now: number): void => {
        // Another process may have sealed it meanwhile.
        if (!store.isSealed(siteId, day)) parts.seal(now);
      });
      return {
        *write(part) {
          yield* parts.write(part);
          facts.push(part.facts);
        },
        finish(now) {
          seal.immediate(now);
          return { siteId, day, visits: sumBy(facts, 'visits'), hits: sumBy(facts, 'hits'), bytes: parts.bytes() };
        },
      };
    },
    /** Drops the rows of sealed days; each `next()` is one short transaction. */
    *trim(): Generator<void> {
      for (const siteDay of withRows()) {
        if (!store.isSealed(siteDay.siteId, siteDay.day)) continue;
        // Of a process that sealed it, too.
        yield* store.dropUnsealed({ ...siteDay, importId: 0 });
        for (const step of trims) {
          while (step.run(siteDay).changes > 0) yield;
        }
      }
    },
    /** The newest sealed day of any site; undefined when there is none. */
    newest: () => (newest.get() as number | null) ?? undefined,
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
