import { randomBytes } from 'node:crypto';
import * as fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { activeVisits } from '../../src/collect/visits.ts';
import { makeKeyedHash } from '../../src/model/keyed-hash.ts';
import { dayMs, minuteMs, utcDayOf } from '../../src/model/time.ts';
import { repeat } from '../repeat.ts';

const idle = 30 * minuteMs;
const noon = 20_000 * dayMs + dayMs / 2;

/** The visit's id, and whether it began. */
const hit = (visits: ReturnType<typeof activeVisits>, visitor: string, at: number): number =>
  visits.extend(visitor, at) ?? visits.begin(visitor, at);

test('any sequence of hits is cut into visits as defined', () => {
  const gaps = fc.oneof(
    fc.integer({ min: 0, max: 5 * minuteMs }),
    fc.constantFrom(idle - 1, idle, idle + 1),
    fc.integer({ min: 0, max: 3 * idle }),
    fc.integer({ min: 0, max: dayMs }),
  );
  const sequences = fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c'), gaps), { maxLength: 60 });
  fc.assert(
    fc.property(sequences, sequence => {
      const visits = activeVisits(makeKeyedHash(randomBytes), 1);
      const last = new Map<string, { at: number; id: number }>();
      let at = noon;
      let ids = 0;
      for (const [visitor, gap] of sequence) {
        at += gap;
        const before = last.get(visitor);
        const goesOn = before !== undefined && at - before.at <= idle && utcDayOf(at) === utcDayOf(before.at);
        const id = goesOn ? before.id : ++ids;
        assert.is(hit(visits, visitor, at), id);
        last.set(visitor, { at, id });
      }
    }),
    { seed: 1, numRuns: 1200 * repeat },
  );
});

test('a late hit belongs to the visit and does not shorten it', () => {
  const visits = activeVisits(makeKeyedHash(randomBytes), 1);
  assert.is(hit(visits, 'a', noon), 1);
  assert.is(hit(visits, 'a', noon - 5000), 1);
  assert.is(hit(visits, 'a', noon + idle), 1);
});

test('a forgotten visit begins again', () => {
  const visits = activeVisits(makeKeyedHash(randomBytes), 7);
  assert.is(hit(visits, 'a', noon), 7);
  assert.is(hit(visits, 'b', noon), 8);
  visits.forget('a');
  visits.forget('nobody');
  assert.is(hit(visits, 'a', noon), 9);
  assert.is(hit(visits, 'b', noon), 8);
});

test('visits of the newest day go on after a restart', () => {
  const visitor = (name: string): Buffer => Buffer.from(name.padEnd(8));
  const ongoing = [
    { siteId: 1, day: 20_000, id: 5, visitor: visitor('b'), lastAt: noon - 1 },
    { siteId: 1, day: 20_000, id: 3, visitor: visitor('a'), lastAt: noon - 10 * minuteMs },
    { siteId: 1, day: 19_999, id: 2, visitor: visitor('c'), lastAt: noon - dayMs },
  ];
  const visits = activeVisits(makeKeyedHash(randomBytes), 6, ongoing);
  assert.is(hit(visits, 'a'.padEnd(8), noon + 20 * minuteMs), 3);
  assert.is(hit(visits, 'b'.padEnd(8), noon + 29 * minuteMs), 5);
  assert.is(hit(visits, 'c'.padEnd(8), noon), 6);
});

test('with too many visits at once, those silent the longest begin again', () => {
  const visits = activeVisits(makeKeyedHash(randomBytes), 1, [], 10);
  for (let i = 0; i < 15; i++) hit(visits, `v${i}`, noon + i);
  assert.is(hit(visits, 'v0', noon + 15), 1, 'still there');
  for (let i = 15; i < 25; i++) hit(visits, `v${i}`, noon + i);
  assert.is(hit(visits, 'v0', noon + 25), 1, 'its hit kept it');
  assert.is(hit(visits, 'v5', noon + 25), 26, 'gone');
});

test.run();
