/**
 * Answers queries in one thread: per day, the selected part is scanned for each ask, and what the days contribute is
 * added up. What a sealed day contributes never changes and is kept, so that asking again costs only the adding.
 */
import type { Database } from '../store/database.ts';
import type { Day } from '../store/day.ts';
import { dayReader } from '../store/day-reader.ts';
import { planOf } from './asks.ts';
import { type ByteCache, createByteCache } from './byte-cache.ts';
import { indexDay } from './day-index.ts';
import { type DayFilter, prepareFilters } from './filters.ts';
import type { Partial, Plan, PlanContext } from './plan.ts';
import type { Answer, Query, Report, Slice } from './query.ts';
import { createScratch } from './scratch.ts';
import { type Selection, select } from './selection.ts';

export interface Engine {
  /** `checkpoint` is called between days and may throw to end the query. */
  answer(query: Query, checkpoint: () => void): Report;
}

/** Share of the cache that decoded columns have; the rest is for what days contributed and for their indexes. */
const columnsShare = 0.7;

/** What a thread's working memory may keep from one query to the next: as much as a day of a million hits takes. */
const scratchBytesMax = 64 * 1024 * 1024;

export const createEngine = (db: Database, cacheBytesMax: number): Engine => {
  const reader = dayReader(db, cacheBytesMax * columnsShare);
  const kept = createByteCache(cacheBytesMax * (1 - columnsShare));
  const scratch = createScratch();

  const selectDay = (day: Day, { from, to }: Slice, filters: readonly DayFilter[]): Selection | undefined => {
    const index = keepIf(kept, day.sealed, `index ${day.siteId} ${day.day}`, () => indexDay(day));
    const conditions = filters.map(filter => filter(day));
    return select(day, index, from, to, conditions, scratch);
  };

  const answerSlice = (slice: Slice, days: readonly Day[], context: PlanContext, checkpoint: () => void): Answer[] => {
    const filters = prepareFilters(slice.filters, context);
    const plans = slice.asks.map(ask => planOf(ask, context));
    const partials: Partial[][] = plans.map(() => []);
    const filterKey = JSON.stringify(slice.filters);
    for (const day of days) {
      if (day.firstAt >= slice.to || day.lastAt < slice.from) continue;
      let selection: Selection | undefined | null = null;
      const scan = (plan: Plan): Partial | null => {
        if (plan.scan === undefined) return null;
        checkpoint();
        if (selection === null) selection = selectDay(day, slice, filters);
        return selection === undefined ? null : plan.scan(selection);
      };
      const where = `${day.siteId} ${day.day} ${windowKey(day, slice)} ${filterKey}`;
      plans.forEach((plan, i) => {
        const key = plan.key(day.day);
        const partial = keepIf(kept, day.sealed && key !== null, `${key} of ${where}`, () => scan(plan));
        if (partial !== null) partials[i]!.push(partial);
      });
    }
    return plans.map((plan, i) => {
      checkpoint();
      return plan.answer(partials[i]!);
    });
  };

  return {
    answer(query, checkpoint) {
      const { siteRowId, slices } = query;
      const context: PlanContext = { query, reader, text: id => reader.texts.text(siteRowId, id) };
      const from = Math.min(...slices.map(slice => slice.from));
      const to = Math.max(...slices.map(slice => slice.to));
      const days = from < to ? reader.days(siteRowId, from, to) : [];
      try {
        return slices.map(slice => answerSlice(slice, days, context, checkpoint));
      } finally {
        scratch.trim(scratchBytesMax);
      }
    },
  };
};

const keepIf = <V>(cache: ByteCache, keep: boolean, key: string, make: () => V): V =>
  keep ? cache.get(key, make) : make();

/** Names the part of a day that a window leaves of it: nothing to name when it is the whole day. */
const windowKey = (day: Day, { from, to }: Slice): string =>
  `${day.firstAt < from ? from : ''}-${day.lastAt >= to ? to : ''}`;
