/** Which bucket an instant lies in, as a day sees it. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { dayMs, hourMs, minuteMs } from '../../../src/model/time.ts';
import { bucketAt, bucketsOfDay } from '../../../src/query/scan/day-buckets.ts';
import { randomFrom } from '../random-site.ts';

const day = 20_000;
const midnight = day * dayMs;

test('a day has the buckets it touches', () => {
  const rows: [string, number[], number, number[]][] = [
    ['days in UTC', [midnight - dayMs, midnight, midnight + dayMs], 1, []],
    ['days in Berlin', [midnight - 2 * hourMs, midnight + 22 * hourMs, midnight + 46 * hourMs], 0, [22 * hourMs]],
    [
      'days in Kathmandu',
      [midnight - 345 * minuteMs, midnight + 1095 * minuteMs, midnight + dayMs],
      0,
      [1095 * minuteMs],
    ],
    ['one bucket around it', [midnight - dayMs, midnight + 2 * dayMs], 0, []],
    ['one bucket inside it', [midnight + hourMs, midnight + 2 * hourMs], 0, []],
    ['the last bucket reaches into it', [midnight - 2 * dayMs, midnight - dayMs, midnight + hourMs], 1, []],
    ['all buckets are later', [midnight + 2 * dayMs, midnight + 3 * dayMs, midnight + 4 * dayMs], 0, []],
    ['all buckets are earlier', [midnight - 3 * dayMs, midnight - 2 * dayMs, midnight - dayMs], 1, []],
  ];
  for (const [name, bounds, first, edges] of rows) {
    const buckets = bucketsOfDay(bounds, day);
    assert.is(buckets.first, first, name);
    assert.equal(buckets.edges, edges, name);
  }
});

test('every instant is in the bucket that a linear search finds', () => {
  const random = randomFrom(3);
  for (let round = 0; round < 300; round++) {
    const step = random.pick([1, minuteMs, 15 * minuteMs, hourMs]);
    const inner = Array.from({ length: random.below(30) }, () => midnight + random.below(3 * dayMs) - dayMs);
    const bounds = [
      ...new Set([midnight - dayMs, ...inner, midnight + 2 * dayMs].map(at => Math.floor(at / step) * step)),
    ];
    bounds.sort((a, b) => a - b);
    const buckets = bucketsOfDay(bounds, day);
    for (let i = 0; i < 50; i++) {
      const time = random.chance(0.3)
        ? random.pick([0, dayMs - 1, ...buckets.edges, ...buckets.edges.map(e => e - 1)])
        : random.below(dayMs);
      const want = bounds.findLastIndex(bound => bound <= midnight + time);
      assert.is(buckets.first + bucketAt(buckets, time), want, `${time} in ${bounds.map(bound => bound - midnight)}`);
    }
  }
});

test.run();
