/**
 * The days of an import: written part by part beside what was collected, counted, and taken back.
 * Each write is one short transaction, so that a server goes on beside it.
 */
import { eventTypes, hitTypes } from '../../model/hit.ts';
import type { Database } from '../database.ts';
import type { Day, DayFacts } from '../day/day.ts';
import type { SiteDay } from '../day/open/open-days.ts';
import { wholeDay } from '../day/part.ts';
import { partStore } from '../day/part-store.ts';
import { encoded } from '../day/seal.ts';
import type { Import } from './imports.ts';

type OfImport = Pick<Import, 'id' | 'siteId'>;

export interface ImportedDayWriter {
  /** Writes a part; each `next()` is one short transaction. */
  write(part: Day): Generator<void>;
  /** The day is written, with all of its parts, of which there may be none. */
  finish(now: number): void;
}

export const importDays = (db: Database) => {
  const store = partStore(db);
  const ofImport = 'site_id = @siteId and import_id = @id';
  const written = db.prepare(`select distinct day from day_part where ${ofImport} and sealed_at is not null`).pluck();
  const count = db.prepare(
    `update import set visitors = visitors + @visitors, visits = visits + @visits, pageviews = pageviews + @pageviews,
       events = events + @events where id = @id`,
  );
  const parts = db.prepare(`select id, day from day_part where ${ofImport} order by day`);

  return {
    /** UTC days that are written. */
    written: ({ id, siteId }: OfImport) => new Set(written.all({ id, siteId }) as number[]),
    /** Begins to write a day. */
    begin({ id, siteId }: OfImport, day: number): ImportedDayWriter {
      const of = { siteId, day };
      const writer = store.begin({ ...of, importId: id });
      const counts: Counts[] = [];
      const finish = db.transaction((now: number): void => {
        // That it is written is known by its parts.
        if (counts.length === 0) for (const _ of writer.write({ facts: nothingOf(of), columns: [] }));
        writer.seal(now);
        for (const ofPart of counts) count.run({ id, ...ofPart });
      });
      return {
        *write(part) {
          yield* writer.write(encoded(part));
          counts.push(countsOf(part));
        },
        finish: now => finish.immediate(now),
      };
    },
    /**
     * Takes all days back, written or not; each `next()` is one transaction and gives how many.
     */
    *drop({ id, siteId }: OfImport): Generator<number> {
      const all = parts.all({ id, siteId }) as { id: number; day: number }[];
      const days = new Set<number>();
      for (const part of all) {
        for (const _ of store.drop([part.id])) yield days.size;
        days.add(part.day);
      }
    },
  };
};

/** A day on which an import only counted something. */
const nothingOf = (of: SiteDay): DayFacts => ({
  ...{ ...of, part: wholeDay, sealed: true, version: 0 },
  ...{ visits: 0, hashVisits: 0, hits: 0, firstAt: 0, lastAt: 0 },
});

type Counts = Record<'visitors' | 'visits' | 'pageviews' | 'events', number>;

/** What is counted of a part of a day. */
export const countsOf = (day: Day): Counts => ({
  visitors: sumOf(day.numbers('newVisitor')),
  visits: day.visits,
  pageviews: sumOf(day.numbers('pageviews')),
  events: namedHits(day),
});

const sumOf = (values: ArrayLike<number>): number => {
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += values[i]!;
  return sum;
};

const eventCodes = new Set<number>(eventTypes.map(name => hitTypes[name]));

const namedHits = (day: Day): number => {
  const types = day.numbers('type');
  const { codes, dictionary } = day.texts('event');
  let count = 0;
  for (let hit = 0; hit < types.length; hit++)
    if (eventCodes.has(types[hit]!) && dictionary[codes[hit]!] !== 0) count++;
  return count;
};
