/** Visitors that come back on other days are counted once, however many there are. */
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type DailyVisitors, repeatsIn, takeRepeats } from '../../src/query/persistent.ts';
import { type Random, randomFrom } from './random-site.ts';
import { listed, type NaiveDay, naiveCounts, randomDays } from './random-visitors.ts';

const check = (random: Random, days: readonly NaiveDay[], groups: number): void => {
  const places = 1 + random.below(groups);
  // Those from `places` on are not counted.
  const table = Uint32Array.from({ length: groups }, (_, group) => Math.min(group, places));
  const { sums, want } = naiveCounts(days, (_, group) => table[group]!, places);
  const visitors: DailyVisitors = {
    days: days.map(day => ({ persistent: listed(day), placeOf: table })),
    counts: sums,
  };
  for (const of of [1, 2, 3]) {
    const counts = sums.slice();
    for (let number = 0; number < of; number++)
      takeRepeats(
        counts,
        repeatsIn(visitors, { number, of }, () => {}),
      );
    assert.equal(Array.from(counts), want, `in ${of} parts`);
  }
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

test('parts meet without a gap and without overlap, however many there are', () => {
  for (let of = 1; of <= 64; of++) {
    // At the edges of parts and beside them. Each visitor comes on two days.
    const edges = Array.from({ length: of + 1 }, (_, number) => Math.floor((2 ** 32 / of) * number));
    const highs = edges.flatMap(edge => [edge - 1, edge, edge + 1]).filter(high => high >= 0 && high < 2 ** 32);
    const hashes = [...new Set(highs)].map(high => BigInt(high) << 32n);
    const persistent = listed(new Map(hashes.map(hash => [hash, [0]])));
    const day = { persistent, placeOf: Uint32Array.of(0) };
    const visitors = { days: [day, day], counts: Uint32Array.of(2 * hashes.length) };
    for (let number = 0; number < of; number++)
      takeRepeats(
        visitors.counts,
        repeatsIn(visitors, { number, of }, () => {}),
      );
    assert.is(visitors.counts[0], hashes.length, `in ${of} parts`);
  }
});

test('a checkpoint that throws ends the work', () => {
  const random = randomFrom(3);
  const hashes = Array.from({ length: 10_000 }, () => BigInt(random.below(2 ** 32)) << 32n);
  const days = [0, 1].map(() => ({
    persistent: listed(new Map(hashes.map(hash => [hash, [0]]))),
    placeOf: Uint32Array.of(0),
  }));
  let checkpoints = 0;
  const stop = (): void => {
    if (++checkpoints === 2) throw new Error('stop');
  };
  assert.throws(() => repeatsIn({ days, counts: Uint32Array.of(2) }, { number: 0, of: 1 }, stop), 'stop');
});

test.run();
