import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { dayMs } from '../../../src/model/time.ts';
import { alone } from '../../../src/query/pace.ts';
import {
  eachOnce,
  inBuckets,
  narrowed,
  type SumsById,
  sumById,
  visitorsById,
} from '../../../src/query/rows/sum-by-id.ts';
import { allVisitors } from '../../../src/query/visitors/daily-visitors.ts';
import { restless } from '../paces.ts';
import { randomFrom } from '../random-site.ts';
import { countedOnce, listed, type NaiveDay, naiveCounts, randomDays } from '../random-visitors.ts';

/** Counts of some ids below a bound. */
const randomCounts = (length: number, bound: number, seed: number): SumsById => {
  const random = randomFrom(seed);
  const ids = Uint32Array.from(new Set(Array.from({ length }, () => random.below(bound)))).sort();
  const counts = (most: number) => narrowed(ids.map(() => 1 + random.below(most)));
  const sums = Float64Array.from(ids, () => random.below(1000) * 1e9 - 5);
  return { ids, columns: [counts(random.pick([9, 900, 90_000])), counts(300), sums] };
};

const naiveSum = (lists: readonly SumsById[]): number[][] => {
  const sums = new Map<number, number[]>();
  for (const { ids, columns } of lists)
    ids.forEach((id, i) => {
      const before = sums.get(id) ?? columns.map(() => 0);
      sums.set(
        id,
        columns.map((column, at) => before[at]! + column[i]!),
      );
    });
  return [...sums].map(([id, values]) => [id, ...values]).sort((a, b) => a[0]! - b[0]!);
};

const rowsOf = ({ ids, columns }: SumsById): number[][] =>
  Array.from(ids, (id, i) => [id, ...columns.map(column => column[i]!)]);

const kinds = ['count', 'count', 'sum'] as const;

const rows: [string, number, number][] = [
  ['many of all ids', 500, 600],
  ['few of very many ids', 20, 1_000_000],
  ['one', 1, 3],
];
for (const [name, length, bound] of rows)
  test(`counts of days are added up by id: ${name}`, async () => {
    const lists = [1, 2, 3, 4].map(seed => randomCounts(length, bound, seed));
    assert.equal(rowsOf(await sumById(lists, kinds, restless())), naiveSum(lists));
  });

test('what is added up stays as it is, and so does one list alone', async () => {
  const only = randomCounts(10, 50, 1);
  const before = rowsOf(only);
  const sum = await sumById([only], kinds, alone);
  sum.columns[1]!.fill(0);
  assert.equal(rowsOf(only), before);
  assert.equal(rowsOf(await sumById([], kinds, alone)), []);
});

test('adding up the days of many pages gives way after each of them', async () => {
  let turns = 0;
  const lists = [1, 2, 3, 4].map(seed => randomCounts(500, 600, seed));
  const pace = restless(
    () => {},
    () => ++turns > 0,
  );
  await sumById(lists, kinds, pace);
  assert.is(turns, 4);
});

test('the ids of several lists come once each, ascending', () => {
  const lists = [Uint32Array.of(1, 4), Uint32Array.of(), Uint32Array.of(2, 4, 7)];
  assert.equal(Array.from(eachOnce(lists)), [1, 2, 4, 7]);
  assert.equal(Array.from(lists[0]!), [1, 4]);
});

const random = randomFrom(2);
const hashes = Array.from({ length: 50 }, () => BigInt(random.below(2 ** 32)));

/** What a day counts by group, where anybody is in it, with some more visitors of hash mode, who are on no list. */
const countsOf = (day: NaiveDay, groups: readonly number[], ofHashMode: number) => {
  const visitorsIn = (group: number): number => [...day.values()].filter(of => of.includes(group)).length;
  const ids = Uint32Array.from(groups.filter(group => visitorsIn(group) > 0));
  return { ids, columns: [ids.map(group => ofHashMode + visitorsIn(group))], persistent: listed(day) };
};

test('all visitors of one or several days are counted once', () => {
  for (const days of [0, 1, 2, 5].map(count => randomDays(random, count, hashes, 1))) {
    const counted = days.map(day => ({ visitors: day.size + 3, persistent: listed(day) }));
    const [want] = naiveCounts(days, () => 0, 1).want;
    assert.equal(countedOnce([allVisitors(counted)]), [[want! + 3 * days.length]]);
  }
});

test('visitors are counted once by id, without the null group', async () => {
  for (let round = 0; round < 20; round++) {
    const days = randomDays(random, 4, hashes.slice(0, 8), 6);
    const counted = days.map(day => countsOf(day, [1, 2, 3, 4, 5], 2));
    const { ids, columns } = await sumById(counted, ['count'], alone);
    const { want } = naiveCounts(days, (_, id) => ids.indexOf(id), ids.length);
    const ofHashMode = Array.from(ids, id => 2 * counted.filter(of => of.ids.includes(id)).length);
    assert.equal(countedOnce([visitorsById(counted, ids, columns[0] as Uint32Array)]), [
      want.map((count, i) => count + ofHashMode[i]!),
    ]);
  }
});

test('visitors are counted once by bucket, whether days share one or not', async () => {
  // Where the buckets of three days begin, in parts of a day.
  for (const [name, bounds, firsts] of [
    ['two in each day', [0, 0.5, 1, 1.5, 2, 2.5, 3], [0, 2, 4]],
    ['one that two days share', [0, 0.5, 1.5, 2, 3], [0, 1, 3]],
    ['one that all share', [-1, 0.5, 2.5, 4], [0, 1, 1]],
  ] as const)
    for (let round = 0; round < 10; round++) {
      const days = randomDays(random, 3, hashes, 2);
      const counted = days.map((day, i) => ({ day: i, ...countsOf(day, [0, 1], 0) }));
      const ofDays = inBuckets(
        counted,
        bounds.map(at => at * dayMs),
      );
      const { ids, columns } = await sumById(ofDays, ['count'], alone);
      const { want } = naiveCounts(days, (day, bucket) => firsts[day]! + bucket, bounds.length);
      const [found] = countedOnce([visitorsById(ofDays, ids, columns[0] as Uint32Array)]);
      assert.equal(
        found,
        Array.from(ids, bucket => want[bucket]),
        name,
      );
    }
});

test.run();
