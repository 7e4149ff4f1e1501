import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { dayClock } from '../../src/collect/clock.ts';
import { dayMs } from '../../src/model/time.ts';

const midnight = 20_000 * dayMs;

test('the clock may go back within a day, never over a midnight', () => {
  let now = midnight + 1000;
  const clock = dayClock(() => now, Number.NEGATIVE_INFINITY);
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
    assert.is(clock(), want);
  }
});

test('the clock starts no earlier than the first open day', () => {
  assert.is(dayClock(() => midnight + 5, 20_001)(), midnight + dayMs);
  assert.is(dayClock(() => midnight + 5, 20_000)(), midnight + 5);
});

test.run();
