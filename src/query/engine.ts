/**
 * Answers queries in one thread: per day, the selected part is scanned for each ask, and what the days contribute is
 * added up. What a sealed day contributes never changes and is kept, so that asking again costs only the adding.
 */

import type { Database } from '../store/database.ts';
import { createByteCache } from '../store/day/byte-cache.ts';
import type { Day } from '../store/day/day.ts';
import { dayReader } from '../store/day/day-reader.ts';
import { planOf } from './asks.ts';
import { type FirstHits, indexDay } from './day-index.ts';
import { type DayFilter, prepareFilters } from './filters.ts';
import type { Partial, Plan, PlanContext } from './plan.ts';
import type { Answer, Query, Report, Slice } from './query.ts';
import { createScratch } from './scratch.ts';
import { type Selection, select } from './selection.ts';

export interface Engine {
  /** `checkpoint` is called between days and may throw to end the query. */
  answer(query: Query, checkpoint: () => void): Report;
}

/**
 * Shares of what may be kept: of columns, which every question about a day needs; of what days contributed; and of
 * answers, which are small and the first thing to be asked for again, so that nothing larger may push them out.
 */
const [columnsShare, contributionsShare, answersShare] = [0.85, 0.12, 0.03];

/** What a thread's working memory may keep from one query to the next: as much as a day of a hundred thousand hits takes. */
const scratchBytesMax = 8 * 1024 * 1024;

export const createEngine = (db: Database, cacheBytesMax: number): Engine => {
  const contributed = createByteCache(cacheBytesMax * contributionsShare);
  const answered = createByteCache(cacheBytesMax * answersShare);
  const reader = dayReader(db, cacheBytesMax * columnsShare);
  const scratch = createScratch();

  const selectDay = (day: Day, { from, to }: Slice, filters: readonly DayFilter[]): Selection | undefined => {
    const keep = (make: () => FirstHits): FirstHits =>
      day.sealed ? reader.cache.get(`first hits ${day.siteId} ${day.day}`, make) : make();
    const conditions = filters.map(filter => filter(day));
    return select(day, indexDay(day, scratch, keep), from, to, conditions, scratch);
  };

  /** What the days contribute to each plan. All plans scan a day before the next is looked at, so that it is selected once. */
  const contributions = (
    plans: readonly Plan[],
    slice: Slice,
    days: readonly Day[],
    context: PlanContext,
    checkpoint: () => void,
  ): Partial[][] => {
    const filters = prepareFilters(slice.filters, context);
    const partials: Partial[][] = plans.map(() => []);
    const filterKey = JSON.stringify(slice.filters);
    for (const day of days) {
      const where = `${cutKey(day, slice)} of site ${day.siteId} where ${filterKey}`;
      let selection: Selection | undefined | null = null;
      const scan = (plan: Plan): Partial | null => {
        if (plan.scan === undefined) return null;
        checkpoint();
        if (selection === null) selection = selectDay(day, slice, filters);
        return selection === undefined ? null : plan.scan(selection);
      };
      plans.forEach((plan, i) => {
        const key = day.sealed && plan.key !== null ? `${plan.key(day.day)} on ${where}` : null;
        const partial = key === null ? scan(plan) : contributed.get(key, () => scan(plan));
        if (partial !== null) partials[i]!.push(partial);
      });
    }
    return partials;
  };

  /** A slice of nothing but sealed days has an answer that never changes either. */
  const answerSlice = (slice: Slice, days: readonly Day[], context: PlanContext, checkpoint: () => void): Answer[] => {
    const within = days.filter(day => day.firstAt < slice.to && day.lastAt >= slice.from);
    const isSettled = within.every(day => day.sealed);
    const { siteId, currency, minorRates } = context.query;
    const where = [
      `${within.map(day => cutKey(day, slice))} of site ${siteId}`,
      ...[slice.filters, currency, minorRates].map(part => JSON.stringify(part)),
    ].join(' ');
    const asks = slice.asks.map(ask => {
      const plan = planOf(ask, context);
      const key = isSettled && plan.scan !== undefined ? `${JSON.stringify(ask)} on ${where}` : null;
      return { plan, key, known: key === null ? undefined : answered.find<Answer>(key) };
    });
    const plans = asks.flatMap(({ plan, known }) => (known === undefined ? [plan] : []));
    const partials = plans.length === 0 ? [] : contributions(plans, slice, within, context, checkpoint);
    return asks.map(({ plan, key, known }) => {
      if (known !== undefined) return known;
      checkpoint();
      const answer = plan.answer(partials[plans.indexOf(plan)]!);
      return key === null ? answer : answered.put(key, answer);
    });
  };

  /** One transaction, so that days that are sealed or pruned meanwhile are still read as they were when the query began. */
  const answer = db.transaction((query: Query, checkpoint: () => void): Report => {
    const { siteId, slices } = query;
    const context: PlanContext = { query, reader, text: id => reader.texts.text(siteId, id) };
    const from = Math.min(...slices.map(slice => slice.from));
    const to = Math.max(...slices.map(slice => slice.to));
    const days = from < to ? reader.days(siteId, from, to) : [];
    return slices.map(slice => answerSlice(slice, days, context, checkpoint));
  });

  return {
    answer(query, checkpoint) {
      for (const cache of [reader.cache, contributed, answered]) cache.beginWalk();
      try {
        return answer(query, checkpoint);
      } finally {
        scratch.trim(scratchBytesMax);
      }
    },
  };
};

/** Names the part of a day that a window leaves of it; whole days are told apart by nothing but their number. */
const cutKey = ({ day, firstAt, lastAt }: Day, { from, to }: Slice): string =>
  `${day}${firstAt < from ? ` from ${from}` : ''}${lastAt >= to ? ` to ${to}` : ''}`;
