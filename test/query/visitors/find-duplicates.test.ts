/** Visitors that come back on other days are counted once, however many there are. */
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createScratchPool } from '../../../src/query/scratch.ts';
import { type DailyVisitors, firstOfVisitor } from '../../../src/query/visitors/daily-visitors.ts';
import { findDuplicates } from '../../../src/query/visitors/find-duplicates.ts';
import { repeat } from '../../repeat.ts';
import { type Random, randomFrom } from '../random-site.ts';
import { countedOnce, listed, type NaiveDay, naiveCounts, randomDays } from '../random-visitors.ts';

/** Days' visitors in some positions, and what counting each once should give; groups from `positions` on are not counted. */
const counted = (days: readonly NaiveDay[], groups: number, positions: number) => {
  const positionOf = Uint32Array.from({ length: groups }, (_, group) => Math.min(group, positions));
  const { sums, want } = naiveCounts(days, (_, group) => positionOf[group]!, positions);
  const visitors: DailyVisitors = { days: days.map(day => ({ persistent: listed(day), positionOf })), counts: sums };
  return { visitors, want };
};

const check = (random: Random, days: readonly NaiveDay[], groups: number): void => {
  const { visitors, want } = counted(days, groups, 1 + random.below(groups));
  for (const of of [1, 2, 3]) assert.equal(countedOnce([visitors], of), [want], `in ${of} parts`);
};

const halves = fc.oneof(
  fc.constant((random: Random) => random.below(2 ** 32)),
  fc.constant((random: Random) => random.below(3)),
  fc.constant((random: Random) => 2 ** 32 - 1 - random.below(3)),
  fc.constant(() => 0),
);

test('distinct visitors are counted, whatever their hashes have in common', () => {
  fc.assert(
    fc.property(
      fc.nat(2 ** 31 - 1),
      halves,
      halves,
      fc.integer({ min: 0, max: 5 }),
      fc.integer({ min: 1, max: 70 }),
      (seed, high, low, days, groups) => {
        const random = randomFrom(seed);
        const hashes = Array.from({ length: 60 }, () => (BigInt(high(random)) << 32n) | BigInt(low(random)));
        check(random, randomDays(random, days, [...new Set(hashes)], groups), groups);
      },
    ),
    { seed: 5, numRuns: 160 * repeat },
  );
});

test('counts are right for as many groups as a word has bits, one less and one more', () => {
  const random = randomFrom(6);
  const hashes = Array.from({ length: 200 }, () => BigInt(random.below(2 ** 32)) << 32n);
  for (const positions of [30, 31, 32, 33, 63, 64, 65]) {
    const groups = positions + 2;
    const { visitors, want } = counted(randomDays(random, 4, [...new Set(hashes)], groups), groups, positions);
    assert.equal(countedOnce([visitors]), [want], `in ${positions} positions`);
  }
});

test('counts are right for very many small groups', () => {
  fc.assert(
    fc.property(
      fc.nat(2 ** 31 - 1),
      halves,
      halves,
      fc.integer({ min: 15_000, max: 30_000 }),
      (seed, high, low, groups) => {
        const random = randomFrom(seed);
        const hashes = Array.from({ length: 60 }, () => (BigInt(high(random)) << 32n) | BigInt(low(random)));
        check(random, randomDays(random, 4, [...new Set(hashes)], groups), groups);
      },
    ),
    { seed: 8, numRuns: 20 },
  );
});

test('several counts at once do not disturb each other', () => {
  fc.assert(
    fc.property(fc.nat(2 ** 31 - 1), fc.integer({ min: 1, max: 3 }), (seed, of) => {
      const random = randomFrom(seed);
      const hashes = Array.from({ length: 40 }, () => BigInt(random.below(2 ** 32)) << BigInt(random.pick([0, 32])));
      const crowds = [0, 1].map(() => randomDays(random, 3, [...new Set(hashes)], 1));
      const lists = Array.from({ length: 5 }, () => {
        const [crowd, groups] = [random.pick(crowds), 1 + random.below(40)];
        // The same visitors, of which each is in groups of its own.
        const days = crowd.map(
          day =>
            new Map(Array.from(day.keys(), hash => [hash, [...new Set([random.below(groups), random.below(groups)])]])),
        );
        return { crowd, ...counted(days, groups, 1 + random.below(groups)) };
      });
      // Those about the same visitors have the very same hashes, as what is scanned together has.
      const visitors = lists.map(({ crowd, visitors: { days, counts } }) => {
        const same = lists.find(other => other.crowd === crowd)!.visitors.days;
        return {
          days: days.map(({ persistent, positionOf }, i) => ({
            persistent: persistent && { ...persistent, hashes: same[i]!.persistent!.hashes },
            positionOf,
          })),
          counts,
        };
      });
      assert.equal(
        countedOnce(visitors, of),
        lists.map(({ want }) => want),
      );
    }),
    { seed: 7, numRuns: 80 * repeat },
  );
});

test('counts are right in many pieces, and with one much larger than the others', () => {
  const random = randomFrom(1);
  const even = Array.from({ length: 12_000 }, () => (BigInt(random.below(2 ** 32)) << 32n) | BigInt(random.below(4)));
  const alike = Array.from({ length: 12_000 }, () => (77n << 32n) | BigInt(random.below(2 ** 32)));
  const hashes = [...new Set([...even, ...alike])];
  for (const groups of [1, 7, 5000, 50_000]) check(random, randomDays(random, 6, hashes, groups), groups);
});

test('parts meet without gap or overlap, however many there are', () => {
  for (let of = 1; of <= 64; of++) {
    // At the edges of parts and beside them. Each visitor comes on two days.
    const edges = Array.from({ length: of + 1 }, (_, number) => Math.floor((2 ** 32 / of) * number));
    const highs = edges.flatMap(edge => [edge - 1, edge, edge + 1]).filter(high => high >= 0 && high < 2 ** 32);
    const hashes = [...new Set(highs)].map(high => BigInt(high) << 32n);
    const day: NaiveDay = new Map(hashes.map(hash => [hash, [0]]));
    assert.equal(countedOnce([counted([day, day], 1, 1).visitors], of), [[hashes.length]], `in ${of} parts`);
  }
});

test('a search among many visitors lets others run, and one among few does not', () => {
  const random = randomFrom(3);
  const turnsFor = (count: number): number => {
    const hashes = Uint32Array.from({ length: 2 * count }, () => random.below(2 ** 32));
    new BigUint64Array(hashes.buffer).sort();
    const groups = new Uint32Array(count).fill(firstOfVisitor);
    const day = { persistent: { hashes, groups }, positionOf: Uint32Array.of(0) };
    const visitors: DailyVisitors = { days: [day, day], counts: Uint32Array.of(2 * count) };
    return [...findDuplicates([visitors], { number: 0, of: 1 }, createScratchPool())].length;
  };
  assert.is(turnsFor(1000), 0);
  assert.ok(turnsFor(300_000) >= 5);
});

test.run();
