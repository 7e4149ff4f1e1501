import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { dayClock } from '../../src/collect/clock.ts';
import type { LogFields } from '../../src/log.ts';
import { dayMs } from '../../src/model/time.ts';

const midnight = 20_000 * dayMs;

test('the clock may go back within a day, never over a midnight', () => {
  let now = midnight + 1000;
  const clock = dayClock(
    () => now,
    Number.NEGATIVE_INFINITY,
    () => {},
  );
  for (const [at, want] of [
    [midnight + 1000, midnight + 1000],
    [midnight + 500, midnight + 500],
    [midnight - 1, midnight],
    [midnight - 5 * dayMs, midnight],
    [midnight + 2, midnight + 2],
    [midnight + dayMs, midnight + dayMs],
    [midnight + dayMs - 1, midnight + dayMs],
  ] as const) {
    now = at;
    assert.is(clock.read(), want);
  }
});

test('the clock starts no earlier than the first open day', () => {
  const at = (firstDay: number): number =>
    dayClock(
      () => midnight + 5,
      firstDay,
      () => {},
    ).read();
  assert.is(at(20_001), midnight + dayMs);
  assert.is(at(20_000), midnight + 5);
});

test('a clock that was ahead and is right again is told, and that its time has come', () => {
  let now = midnight + 5;
  const logged: [string, LogFields | undefined][] = [];
  const clock = dayClock(
    () => now,
    20_000,
    (event, fields) => logged.push([event, fields]),
  );
  for (const at of [now, midnight + 3 * dayMs + 7, midnight + 10, midnight + 20]) {
    now = at;
    clock.read();
  }
  assert.is(clock.aheadMs(), 3 * dayMs - 20);
  assert.equal(logged, [['clock-behind', { clock: '2024-10-04T00:00:00.010Z', hitsCountFor: '2024-10-07' }]]);
  now = midnight + 3 * dayMs - 30_000;
  assert.is(clock.aheadMs(), 30_000);
  now += dayMs;
  assert.is(clock.aheadMs(), 0);
  assert.equal(logged.slice(1), [['clock-right', undefined]]);
});

test.run();
