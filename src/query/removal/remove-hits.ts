/**
 * Takes the hits that a question's filters select out of a site's days (store/removal/), for the
 * command and for the thread that does it for the dashboard.
 */
import type { Database } from '../../store/database.ts';
import type { Day } from '../../store/day/day.ts';
import { dayReader } from '../../store/day/day-reader.ts';
import type { OpenDaysOptions } from '../../store/day/open/open-parts.ts';
import { records } from '../../store/read/records.ts';
import { dropFileOf, type Removal, removals, settle } from '../../store/removal/removals.ts';
import { countHits, type FindHits, type Progress, takeOut } from '../../store/removal/take-out.ts';
import type { Filter } from '../query.ts';
import { indexDay } from '../scan/day-index.ts';
import { prepareFilters } from '../scan/filters.ts';
import { select } from '../scan/select.ts';
import { createScratchPool } from '../scratch.ts';

/** The hits at `from <= at < to` that pass every filter; plain data. */
export interface HitsOfSite {
  siteId: number;
  from: number;
  to: number;
  filters: Filter[];
}

/** What there is to remove, and how it is put on record (store/removal/removals.ts). */
export interface RemovalTask extends HitsOfSite {
  filtersText: string;
  period: string;
  /** Null for the usual one. */
  file: string | null;
}

/** Counts the hits without changing anything. */
export const countSteps = (db: Database, hits: HitsOfSite, openOptions?: OpenDaysOptions): Generator<Progress> =>
  countHits(db, hits.siteId, hits.from, hits.to, finderOf(db, hits), openOptions);

/**
 * Removes the hits, and returns what is on record of that; undefined when there were none. Goes on
 * with what was interrupted. Only while lockRemovals is held.
 */
export function* removeSteps(
  db: Database,
  task: RemovalTask,
  now: () => number,
  openOptions?: OpenDaysOptions,
): Generator<Progress, Removal | undefined> {
  const { siteId, filtersText: filters, period, from, to, file } = task;
  const table = removals(db);
  settle(db);
  const removal =
    table.interrupted({ siteId, filters, period }) ?? table.begin({ siteId, filters, period, file, createdAt: now() });
  try {
    yield* takeOut(db, removal, from, to, finderOf(db, task), openOptions);
    table.finish(removal.id, now());
    const finished = table.byId(removal.id);
    return finished.hits === 0 ? undefined : finished;
  } finally {
    // Nothing was removed, or nothing yet: there is nothing to go on with or to put back.
    if (table.byId(removal.id).hits === 0) {
      table.forget(removal.id);
      dropFileOf(removal);
    }
  }
}

const finderOf = (db: Database, { siteId, from, to, filters }: HitsOfSite): FindHits => {
  const reader = dayReader(db, 0);
  const scratchPool = createScratchPool();
  const query = { siteId, currency: '', minorRates: {}, slices: [] };
  const prepared = prepareFilters(filters, {
    query,
    reader,
    records: records(db),
    text: id => reader.texts.text(siteId, id),
  });
  return (day: Day) =>
    scratchPool.within(scratch => {
      const index = indexDay(day, scratch);
      const conditions = prepared.map(filter => filter(day, index, scratch));
      const selection = select(day, index, from, to, conditions, scratch);
      if (selection === undefined) return new Uint32Array();
      return selection.found().rows?.slice() ?? Uint32Array.from({ length: day.hits }, (_, hit) => hit);
    });
};
