/**
 * Visitors over several days: the sum of the days' counts, and the visitors of cookie mode, who
 * must count once.
 */
import type { DailyVisitors, PersistentVisitors } from './daily-visitors.ts';
import { addAt, addTo, type MergedIds } from './merge-ids.ts';

/** What a day counts, and the visitors among them who may come back. */
interface CountedDay<Counts> {
  visitors: Counts;
  persistent: PersistentVisitors | null;
}

/** Position of the one group, 0. */
const onlyPosition = Uint32Array.of(0);

/**
 * All visitors of days that count them as one group, 0 (as `tallyVisitors` does). There is one
 * count.
 */
export const allVisitors = (days: readonly CountedDay<number>[]): DailyVisitors => ({
  days: days.map(({ persistent }) => ({ persistent, positionOf: onlyPosition })),
  counts: Uint32Array.of(days.reduce((sum, { visitors }) => sum + visitors, 0)),
});

/**
 * By the position of each merged id, for days that count by id. Groups are ids too; one that is not
 * merged is not counted.
 */
export const visitorsById = (
  days: readonly (CountedDay<Uint32Array> & { ids: Uint32Array })[],
  merged: MergedIds,
): DailyVisitors => {
  const counts = new Uint32Array(merged.ids.length);
  for (const { ids, visitors } of days) addTo(counts, merged, ids, visitors);
  return { days: days.map(({ persistent }) => ({ persistent, positionOf: merged.positionOf })), counts };
};

/**
 * By bucket, of `count`. Days ascend. Each counts by bucket from its first one, `first`; those are
 * its groups.
 */
export const visitorsByBucket = (
  days: readonly (CountedDay<Uint32Array> & { first: number })[],
  count: number,
): DailyVisitors => {
  const counts = new Uint32Array(count);
  for (const { first, visitors } of days) addAt(counts, visitors, first);
  const bucketsFrom = ({ first, visitors: { length } }: (typeof days)[number]): Uint32Array =>
    Uint32Array.from({ length }, (_, bucket) => first + bucket);
  const overlapping = shareBuckets(days) ? days : [];
  return { days: overlapping.map(day => ({ persistent: day.persistent, positionOf: bucketsFrom(day) })), counts };
};

/**
 * Whether some bucket belongs to more than one day. Only such a bucket can count a visitor twice.
 */
const shareBuckets = (days: readonly { first: number; visitors: Uint32Array }[]): boolean =>
  days.some(({ first }, i) => i > 0 && days[i - 1]!.first + days[i - 1]!.visitors.length > first);
