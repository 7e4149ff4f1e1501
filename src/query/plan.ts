/** How an ask is answered: from what each day contributes, which a sealed day contributes once and for all. */
import type { DayReader } from '../store/day/day-reader.ts';
import type { DailyVisitors } from './persistent.ts';
import type { Answer, Query } from './query.ts';
import type { Selection } from './selection.ts';

/**
 * A day's contribution, made by `scan` and consumed by `addUp` of the same plan, perhaps in another thread: plain data, whose arrays own
 * exactly their memory.
 */
export interface Partial {
  day: number;
}

export interface Plan<P extends Partial = Partial> {
  /**
   * Names everything but the slice that a day's contribution depends on, so that it can be kept for a sealed day;
   * null when nothing of it is to be kept.
   */
  key: ((day: number) => string) | null;
  /** Null when the day has nothing to contribute; missing when no day does. */
  scan?(selection: Selection): P | null;
  /** From the contributions of the days that have one, in the order of days. */
  addUp(partials: readonly P[]): Sum;
}

/** What the contributions of all days add up to. */
export interface Sum {
  /** Whoever came on several days still counts once for each of them. */
  visitors: readonly DailyVisitors[];
  /** To be called when everybody counts once. */
  answer(): Answer;
}

/** How to add up where no visitors are counted. */
export const withoutVisitors =
  <P>(answer: (partials: readonly P[]) => Answer): ((partials: readonly P[]) => Sum) =>
  partials => ({ visitors: [], answer: () => answer(partials) });

/** What plans know of the query they belong to. */
export interface PlanContext {
  query: Query;
  reader: DayReader;
  /** The site's text of an id; null for 0. */
  text(id: number): string | null;
}
