import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { alone } from '../../../src/query/pace.ts';
import { narrowed, type SumsById, sumById } from '../../../src/query/rows/sum-by-id.ts';
import { restless } from '../paces.ts';
import { randomFrom } from '../random-site.ts';

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

test.run();
