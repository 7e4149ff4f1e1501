/** What days count, each visitor once: in all, by id and by bucket. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { DailyVisitors } from '../../../src/query/visitors/daily-visitors.ts';
import { mergeIds } from '../../../src/query/visitors/merge-ids.ts';
import { allVisitors, visitorsByBucket, visitorsById } from '../../../src/query/visitors/sums-over-days.ts';
import { randomFrom } from '../random-site.ts';
import { countedOnce, listed, type NaiveDay, naiveCounts, randomDays } from '../random-visitors.ts';

const random = randomFrom(2);
const hashes = Array.from({ length: 50 }, () => BigInt(random.below(2 ** 32)));

/** How many visitors of a day are in each of some groups, and with them some of hash mode, who are on no list. */
const countsOf = (day: NaiveDay, groups: readonly number[], ofHashMode: number): Uint32Array =>
  Uint32Array.from(groups, group => ofHashMode + [...day.values()].filter(of => of.includes(group)).length);

/** The counts, each visitor counted once. */
const once = (visitors: DailyVisitors): number[] => countedOnce([visitors])[0]!;

test('all visitors of one or several days are counted once', () => {
  for (const days of [0, 1, 2, 5].map(count => randomDays(random, count, hashes, 1))) {
    const counted = days.map(day => ({ visitors: day.size + 3, persistent: listed(day) }));
    const [want] = naiveCounts(days, () => 0, 1).want;
    assert.equal(once(allVisitors(counted)), [want! + 3 * days.length]);
  }
});

test('visitors are counted by id, without the null group', () => {
  for (let round = 0; round < 20; round++) {
    const days = randomDays(random, 4, hashes.slice(0, 8), 6);
    const counted = days.map(day => {
      const ids = [1, 2, 3, 4, 5].filter(id => [...day.values()].flat().includes(id));
      return { ids: Uint32Array.from(ids), visitors: countsOf(day, ids, 2), persistent: listed(day) };
    });
    const united = mergeIds(counted.map(({ ids }) => ids));
    const positions = [...united.ids];
    const { want } = naiveCounts(days, (_, id) => positions.indexOf(id), positions.length);
    const ofHashMode = positions.map(id => 2 * counted.filter(({ ids }) => ids.includes(id)).length);
    assert.equal(
      once(visitorsById(counted, united)),
      want.map((count, i) => count + ofHashMode[i]!),
    );
  }
});

test('visitors are counted by bucket, whether days share one or not', () => {
  for (const firsts of [
    [0, 2, 4],
    [0, 1, 2],
    [0, 0, 0],
    [0, 1, 3],
  ])
    for (let round = 0; round < 10; round++) {
      const days = randomDays(random, 3, hashes, 2);
      const { want } = naiveCounts(days, (day, bucket) => firsts[day]! + bucket, 6);
      const counted = days.map((day, i) => ({
        first: firsts[i]!,
        visitors: countsOf(day, [0, 1], 0),
        persistent: listed(day),
      }));
      assert.equal(once(visitorsByBucket(counted, 6)), want);
    }
});

test.run();
