/** How a question is answered: from what each day contributes, which a sealed day contributes once and for all. */
import type { DayReader } from '../../store/day/day-reader.ts';
import type { Answer, Query } from '../query.ts';
import type { Selection } from '../scan/selection.ts';
import type { DailyVisitors } from '../visitors/daily-visitors.ts';

/**
 * A day's contribution, made by `scan` and consumed by `addUp` of the same plan, perhaps in another thread: plain data, whose arrays own
 * exactly their memory.
 */
export interface DayPartial {
  day: number;
}

export interface Plan<P extends DayPartial = DayPartial> {
  /**
   * Names everything but the slice that a day's contribution depends on, so that it can be kept for a sealed day;
   * null when nothing of it is to be kept.
   */
  key: ((day: number) => string) | null;
  /** Null when the day has nothing to contribute; missing when no day does. */
  scan?(selection: Selection): P | null;
  /** From the contributions of the days that have one, in the order of days. */
  merge(partials: readonly P[]): Merged;
}

/** What the contributions of all days add up to. */
export interface Merged {
  /** Whoever came on several days still counts once for each of them. */
  visitors: readonly DailyVisitors[];
  /** To be called when everybody counts once. */
  answer(): Answer;
}

/** How to add up where no visitors are counted. */
export const withoutVisitors =
  <P>(answer: (partials: readonly P[]) => Answer): ((partials: readonly P[]) => Merged) =>
  partials => ({ visitors: [], answer: () => answer(partials) });

/** What plans know of the query they belong to. */
export interface PlanContext {
  query: Query;
  reader: DayReader;
  /** The site's text of an id; null for 0. */
  text(id: number): string | null;
}
