/** Random visitors of cookie mode, day by day, and a naive recount of them. */
import {
  type DailyVisitors,
  firstOfVisitor,
  type PersistentVisitors,
  subtractDuplicates,
} from '../../src/query/visitors/daily-visitors.ts';
import { type Duplicates, findDuplicates } from '../../src/query/visitors/find-duplicates.ts';
import type { Part } from '../../src/store/day/part.ts';
import { poisonedScratch } from './poisoned-scratch.ts';
import type { Random } from './random-site.ts';

/** A day's visitors by hash, each with its groups. */
export type NaiveDay = Map<bigint, number[]>;

/** As a day contributes them; null when there are none. */
export const listed = (day: NaiveDay): PersistentVisitors | null => {
  if (day.size === 0) return null;
  const hashes = BigUint64Array.from(day.keys()).sort();
  const groups: number[] = [];
  for (const hash of hashes)
    for (const [i, group] of day.get(hash)!.entries()) groups.push(i === 0 ? group | firstOfVisitor : group);
  return { hashes: new Uint32Array(hashes.buffer), groups: Uint32Array.from(groups) };
};

/**
 * Adds up what a position counts on each day by itself, and what it counts when nobody is counted
 * twice.
 */
export const naiveCounts = (
  days: readonly NaiveDay[],
  positionOf: (day: number, group: number) => number,
  positions: number,
) => {
  const sums = new Uint32Array(positions);
  const seen = Array.from({ length: positions }, () => new Set<bigint>());
  days.forEach((visitors, day) => {
    const today = Array.from({ length: positions }, () => new Set<bigint>());
    for (const [hash, groups] of visitors)
      for (const group of groups) {
        today[positionOf(day, group)]?.add(hash);
        seen[positionOf(day, group)]?.add(hash);
      }
    today.forEach(({ size }, position) => {
      sums[position]! += size;
    });
  });
  return { sums, want: seen.map(({ size }) => size) };
};

/** The duplicates among the visitors of a part, found without a pause. */
export const duplicatesOf = (visitors: readonly DailyVisitors[], part: Part): Duplicates => {
  const search = findDuplicates(visitors, part, poisonedScratch());
  while (true) {
    const { done, value } = search.next();
    if (done) return value;
  }
};

/** By list of visitors, the counts when each visitor is counted once, looked for in some parts. */
export const countedOnce = (visitors: readonly DailyVisitors[], of = 1): number[][] => {
  const counts = visitors.map(some => some.counts.slice());
  for (let number = 0; number < of; number++)
    duplicatesOf(visitors, { number, of }).forEach((duplicates, i) => {
      subtractDuplicates(counts[i]!, duplicates);
    });
  return counts.map(some => Array.from(some));
};

const someGroups = (random: Random, groups: number): number[] => {
  const some = new Set([random.below(groups)]);
  while (random.chance(0.6)) some.add(random.below(groups));
  return [...some];
};

/** Days on which some of the visitors come, each with some of the groups. */
export const randomDays = (random: Random, days: number, hashes: readonly bigint[], groups: number): NaiveDay[] =>
  Array.from({ length: days }, () => {
    const share = random.pick([0, 0.1, 0.5, 1]);
    return new Map(hashes.filter(() => random.chance(share)).map(hash => [hash, someGroups(random, groups)]));
  });
