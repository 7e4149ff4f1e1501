/** Visitors that come back on other days are counted once, however many there are. */
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  type Appearances,
  firstOfVisitor,
  onlyPlace,
  type PersistentVisitors,
  takeRepeats,
  takeRepeatsByBucket,
} from '../../src/query/persistent.ts';
import { type Random, randomFrom } from './random-site.ts';

/** A day's visitors by hash, each with its groups. */
type NaiveDay = Map<bigint, number[]>;

const listed = (day: NaiveDay): PersistentVisitors | null => {
  if (day.size === 0) return null;
  const hashes = [...day.keys()].sort((a, b) => (a < b ? -1 : 1));
  return {
    hashes: new Uint32Array(BigUint64Array.from(hashes).buffer),
    groups: Uint32Array.from(
      hashes.flatMap(hash => day.get(hash)!.map((group, i) => (i === 0 ? group | firstOfVisitor : group))),
    ),
  };
};

/** Adds up what a place counts on each day by itself, and what it counts when nobody is counted twice. */
const naiveCounts = (days: readonly NaiveDay[], placeOf: (day: number, group: number) => number, places: number) => {
  const sums = new Uint32Array(places);
  const seen = Array.from({ length: places }, () => new Set<bigint>());
  days.forEach((visitors, day) => {
    const today = Array.from({ length: places }, () => new Set<bigint>());
    for (const [hash, groups] of visitors)
      for (const group of groups) {
        today[placeOf(day, group)]?.add(hash);
        seen[placeOf(day, group)]?.add(hash);
      }
    today.forEach(({ size }, place) => {
      sums[place]! += size;
    });
  });
  return { sums, want: seen.map(({ size }) => size) };
};

const someGroups = (random: Random, groups: number): number[] => {
  const some = new Set([random.below(groups)]);
  while (random.chance(0.6)) some.add(random.below(groups));
  return [...some];
};

const randomDays = (random: Random, days: number, hashes: readonly bigint[], groups: number): NaiveDay[] =>
  Array.from({ length: days }, () => {
    const share = random.pick([0, 0.1, 0.5, 1]);
    return new Map(hashes.filter(() => random.chance(share)).map(hash => [hash, someGroups(random, groups)]));
  });

const check = (random: Random, days: readonly NaiveDay[], groups: number): void => {
  const places = 1 + random.below(groups);
  // Those from `places` on are not counted.
  const table = Uint32Array.from({ length: groups }, (_, group) => Math.min(group, places));
  const { sums, want } = naiveCounts(days, (_, group) => table[group]!, places);
  takeRepeats(
    days.map((day): Appearances => ({ visitors: listed(day), placeOf: table })),
    sums,
  );
  assert.equal(Array.from(sums), want);
};

const halves = fc.oneof(
  fc.constant((random: Random) => random.below(2 ** 32)),
  fc.constant((random: Random) => random.below(3)),
  fc.constant((random: Random) => 2 ** 32 - 1 - random.below(3)),
  fc.constant(() => 0),
);

test('distinct visitors per place, whatever their hashes have in common', () => {
  fc.assert(
    fc.property(
      fc.nat(2 ** 31 - 1),
      halves,
      halves,
      fc.integer({ min: 0, max: 5 }),
      fc.integer({ min: 1, max: 40 }),
      (seed, high, low, days, groups) => {
        const random = randomFrom(seed);
        const hashes = Array.from({ length: 60 }, () => (BigInt(high(random)) << 32n) | BigInt(low(random)));
        check(random, randomDays(random, days, [...new Set(hashes)], groups), groups);
      },
    ),
    { seed: 5, numRuns: 400 },
  );
});

test('in many pieces, and in one that is much larger than the others', () => {
  const random = randomFrom(1);
  const even = Array.from({ length: 12_000 }, () => (BigInt(random.below(2 ** 32)) << 32n) | BigInt(random.below(4)));
  const alike = Array.from({ length: 12_000 }, () => (77n << 32n) | BigInt(random.below(2 ** 32)));
  const hashes = [...new Set([...even, ...alike])];
  for (const groups of [1, 7, 5000]) check(random, randomDays(random, 6, hashes, groups), groups);
});

test('in one place, and on one day', () => {
  const visitors = listed(
    new Map([
      [5n, [0]],
      [2n ** 63n, [0]],
    ]),
  );
  const counts = Uint32Array.of(2);
  takeRepeats([{ visitors, placeOf: onlyPlace }], counts);
  assert.is(counts[0], 2);
  counts[0] = 5;
  takeRepeats(
    [visitors, null, listed(new Map([[5n, [0]]])), visitors].map(visitors => ({ visitors, placeOf: onlyPlace })),
    counts,
  );
  assert.is(counts[0], 2);
});

test('in buckets, whether days share one or not', () => {
  const random = randomFrom(2);
  const hashes = Array.from({ length: 50 }, () => BigInt(random.below(2 ** 32)));
  for (const firsts of [
    [0, 2, 4],
    [0, 1, 2],
    [0, 0, 0],
    [0, 1, 3],
  ]) {
    const days = randomDays(random, 3, hashes, 2);
    const { sums, want } = naiveCounts(days, (day, bucket) => firsts[day]! + bucket, 6);
    takeRepeatsByBucket(
      days.map((day, i) => ({ first: firsts[i]!, visitors: new Uint32Array(2), persistent: listed(day) })),
      sums,
    );
    assert.equal(Array.from(sums), want);
  }
});

test.run();
