/** Visitors over several days, each counted once: what the days count, without those of cookie mode that come back on a later one. */
import { addAt } from './buckets.ts';
import { type PersistentVisitors, takeRepeats } from './persistent.ts';
import { addTo, type United } from './unite.ts';

/** What a day counts, and those of them that may come back. */
interface DayVisitors<Counts> {
  visitors: Counts;
  persistent: PersistentVisitors | null;
}

/** Place of the one group, 0. */
const onlyPlace = Uint32Array.of(0);

/** All visitors of days that count them as one group, 0 (as `tallyVisitors` does). */
export const distinctVisitors = (days: readonly DayVisitors<number>[]): number => {
  const counts = Uint32Array.of(days.reduce((sum, { visitors }) => sum + visitors, 0));
  takeRepeats(
    days.map(({ persistent }) => ({ persistent, placeOf: onlyPlace })),
    counts,
  );
  return counts[0]!;
};

/** By the places of united ids, of days that count by id. Groups are ids, too; of one that is not united nothing is counted. */
export const distinctById = (
  days: readonly (DayVisitors<Uint32Array> & { ids: Uint32Array })[],
  united: United,
): Uint32Array => {
  const counts = new Uint32Array(united.ids.length);
  for (const { ids, visitors } of days) addTo(counts, united, ids, visitors);
  takeRepeats(
    days.map(({ persistent }) => ({ persistent, placeOf: united.placeOf })),
    counts,
  );
  return counts;
};

/** By bucket, of `count`. Days, ascending, count by bucket from the first that they touch, which has the place `first` among all; those are the groups. */
export const distinctByBucket = (
  days: readonly (DayVisitors<Uint32Array> & { first: number })[],
  count: number,
): Uint32Array => {
  const counts = new Uint32Array(count);
  for (const { first, visitors } of days) addAt(counts, visitors, first);
  if (shareBuckets(days)) {
    const placesFrom = ({ first, visitors: { length } }: (typeof days)[number]): Uint32Array =>
      Uint32Array.from({ length }, (_, bucket) => first + bucket);
    takeRepeats(
      days.map(day => ({ persistent: day.persistent, placeOf: placesFrom(day) })),
      counts,
    );
  }
  return counts;
};

/** Whether some bucket belongs to more than one day: nobody is counted twice in any other. */
const shareBuckets = (days: readonly { first: number; visitors: Uint32Array }[]): boolean =>
  days.some(({ first }, i) => i > 0 && days[i - 1]!.first + days[i - 1]!.visitors.length > first);
