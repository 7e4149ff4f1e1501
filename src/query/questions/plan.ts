/** How a question is answered: from what each day contributes. A sealed day contributes it once. */
import type { Room } from '../../store/day/day-sums.ts';
import type { Pace } from '../pace.ts';
import type { Answer, Filter, Question } from '../query.ts';
import type { Selection } from '../scan/selection.ts';
import type { Scratch } from '../scratch.ts';
import type { DailyVisitors } from '../visitors/daily-visitors.ts';

/**
 * The contribution of a day, or of a part of it. `scan` makes it and `merge` of the same plan uses
 * it, perhaps in another thread: plain data, whose arrays own exactly their memory.
 */
export interface DayPartial {
  day: number;
}

/** Where a plan finds what whole days contribute. */
export interface KeptSums<P extends DayPartial = DayPartial> {
  /** The names of the rows that it reads, of sums under some filters. */
  names(filters: readonly Filter[]): string[];
  /** In their order; lists lie in the room. Null where they do not tell. */
  read(rows: readonly Uint8Array[], day: number, room: Room): P | null;
  /** What some days contribute as if they were one, in memory of its own. */
  addUp(days: readonly P[], pace: Pace): Promise<P>;
  /** The same under a filter more, where it only leaves out some groups; null for other filters. */
  under?(filter: Filter): KeptSums<P> | null;
}

export interface QuestionPlan<P extends DayPartial = DayPartial> {
  /**
   * Names everything but the slice that a day's contribution depends on, to keep it for a sealed
   * day. Null when it is not to be kept.
   */
  key: ((day: number) => string) | null;
  /**
   * Null when the day has nothing to contribute; missing when no day has. `scratch` is for the time
   * of the call.
   */
  scan?(selection: Selection, scratch: Scratch): P | null;
  /**
   * Whether a day can still change the answer, given what some other days contribute. Missing where
   * every day counts.
   */
  needs?(day: number, partials: readonly P[]): boolean;
  /** Where whole days may have been summed already. */
  sums?: KeptSums<P> | undefined;
  /** Days are scanned from the newest to the oldest, unless this is true of a question. */
  oldestFirst?: boolean;
  /** `partials` are those of the days that have one, in the order of days, and of a day in any. */
  merge(partials: readonly P[], pace: Pace): Merged | Promise<Merged>;
}

/** The sum of what all days contribute. */
export interface Merged {
  /** A visitor who came on several days still counts once for each of them. */
  visitors: readonly DailyVisitors[];
  /** Call it when each visitor counts once. */
  answer(pace: Pace): Answered | Promise<Answered>;
}

/**
 * An answer, or how to make it from that to one question more about the same hits. Of an open day,
 * the second may know of hits that have come since the first.
 */
export type Answered = Answer | Unfinished;

export interface Unfinished {
  question: Question;
  finish(answer: Answer): Answer;
}

export const isUnfinished = (of: Answered): of is Unfinished => 'finish' in of;

/** The `merge` of a question that counts no visitors. */
export const withoutVisitors =
  <P>(answer: (partials: readonly P[], pace: Pace) => Answer | Promise<Answer>): ((partials: readonly P[]) => Merged) =>
  partials => ({ visitors: [], answer: pace => answer(partials, pace) });
