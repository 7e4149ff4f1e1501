/** Visitors over several days: what the days count, and those of cookie mode, of whom each is to be counted once. */
import type { DailyVisitors, PersistentVisitors } from './daily-visitors.ts';
import { addAt, addTo, type MergedIds } from './merge-ids.ts';

/** What a day counts, and those of them that may come back. */
interface CountedDay<Counts> {
  visitors: Counts;
  persistent: PersistentVisitors | null;
}

/** Place of the one group, 0. */
const onlyPlace = Uint32Array.of(0);

/** All visitors of days that count them as one group, 0 (as `tallyVisitors` does). There is one count. */
export const allVisitors = (days: readonly CountedDay<number>[]): DailyVisitors => ({
  days: days.map(({ persistent }) => ({ persistent, placeOf: onlyPlace })),
  counts: Uint32Array.of(days.reduce((sum, { visitors }) => sum + visitors, 0)),
});

/** By the places of united ids, of days that count by id. Groups are ids, too; of one that is not united nothing is counted. */
export const visitorsById = (
  days: readonly (CountedDay<Uint32Array> & { ids: Uint32Array })[],
  united: MergedIds,
): DailyVisitors => {
  const counts = new Uint32Array(united.ids.length);
  for (const { ids, visitors } of days) addTo(counts, united, ids, visitors);
  return { days: days.map(({ persistent }) => ({ persistent, placeOf: united.placeOf })), counts };
};

/**
 * By bucket, of `count`. Days, ascending, count by bucket from the first that they touch, which has the place `first` among all; those are
 * the groups.
 */
export const visitorsByBucket = (
  days: readonly (CountedDay<Uint32Array> & { first: number })[],
  count: number,
): DailyVisitors => {
  const counts = new Uint32Array(count);
  for (const { first, visitors } of days) addAt(counts, visitors, first);
  const placesFrom = ({ first, visitors: { length } }: (typeof days)[number]): Uint32Array =>
    Uint32Array.from({ length }, (_, bucket) => first + bucket);
  const repeating = shareBuckets(days) ? days : [];
  return { days: repeating.map(day => ({ persistent: day.persistent, placeOf: placesFrom(day) })), counts };
};

/** Whether some bucket belongs to more than one day: nobody is counted twice in any other. */
const shareBuckets = (days: readonly { first: number; visitors: Uint32Array }[]): boolean =>
  days.some(({ first }, i) => i > 0 && days[i - 1]!.first + days[i - 1]!.visitors.length > first);
