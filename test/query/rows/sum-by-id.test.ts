import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type CountsById, narrowed, sumById } from '../../../src/query/rows/sum-by-id.ts';
import { randomFrom } from '../random-site.ts';

/** Counts of some ids below a bound. */
const randomCounts = (length: number, bound: number, seed: number): CountsById => {
  const random = randomFrom(seed);
  const ids = Uint32Array.from(new Set(Array.from({ length }, () => random.below(bound)))).sort();
  const counts = (most: number) => narrowed(ids.map(() => 1 + random.below(most)));
  return { ids, hits: counts(random.pick([9, 900, 90_000])), visitors: counts(300) };
};

const naiveSum = (lists: readonly CountsById[]): [number, number, number][] => {
  const sums = new Map<number, [number, number]>();
  for (const { ids, hits, visitors } of lists)
    ids.forEach((id, i) => {
      const [ofHits, ofVisitors] = sums.get(id) ?? [0, 0];
      sums.set(id, [ofHits + hits[i]!, ofVisitors + visitors[i]!]);
    });
  return [...sums]
    .map(([id, [hits, visitors]]): [number, number, number] => [id, hits, visitors])
    .sort((a, b) => a[0] - b[0]);
};

const rowsOf = ({ ids, hits, visitors }: CountsById): [number, number, number][] =>
  Array.from(ids, (id, i) => [id, hits[i]!, visitors[i]!]);

const rows: [string, number, number][] = [
  ['many of all ids', 500, 600],
  ['few of very many ids', 20, 1_000_000],
  ['one', 1, 3],
];
for (const [name, length, bound] of rows)
  test(`counts of days are added up by id: ${name}`, () => {
    const lists = [1, 2, 3, 4].map(seed => randomCounts(length, bound, seed));
    assert.equal(rowsOf(sumById(lists)), naiveSum(lists));
  });

test('what is added up stays as it is, and so does one list alone', () => {
  const only = randomCounts(10, 50, 1);
  const before = rowsOf(only);
  const sum = sumById([only]);
  sum.visitors.fill(0);
  assert.equal(rowsOf(only), before);
  assert.equal(rowsOf(sumById([])), []);
});

test.run();
