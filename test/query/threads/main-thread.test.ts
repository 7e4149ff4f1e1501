/** How many query threads may work beside the main thread, whose load is made up here. */
import type { EventLoopUtilization } from 'node:perf_hooks';
import { setTimeout as wait } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { watchMainThread } from '../../../src/query/threads/main-thread.ts';

/** A watch over a main thread of which `pass` says for how long it worked and was idle. */
const watched = (threads: number, cores: number) => {
  const allowed: number[] = [];
  const rests: number[] = [];
  const times = { active: 0, idle: 0 };
  let isNeeded = false;
  const begin = watchMainThread({
    threads,
    cores,
    allow(count, restsPerWork) {
      allowed.push(count);
      rests.push(restsPerWork);
    },
    isNeeded: () => isNeeded,
    utilization: (since = { active: 0, idle: 0, utilization: 0 }): EventLoopUtilization => {
      const [active, idle] = [times.active - since.active, times.idle - since.idle];
      return { active, idle, utilization: active / (active + idle) };
    },
  });
  return {
    allowed,
    rests,
    begin,
    pass(active: number, idle: number) {
      times.active += active;
      times.idle += idle;
    },
    need(needed: boolean) {
      isNeeded = needed;
    },
  };
};

for (const [threads, cores, beside] of [
  [2, 2, 1],
  [2, 1, 1],
  [7, 8, 7],
  [8, 8, 7],
  [3, 8, 3],
] as const) {
  test(`of ${threads} threads on ${cores} cores ${beside} may work beside a busy main thread`, () => {
    const { allowed, begin, pass } = watched(threads, cores);
    for (const [active, idle] of [
      [0, 1000],
      [200, 800],
      [200, 800],
      [100, 900],
    ] as const) {
      pass(active, idle);
      begin();
    }
    assert.equal(allowed, [threads, threads, beside, threads], 'busy is who is found busy twice in a row');
  });
}

test('the busier the main thread, the longer threads rest', () => {
  const { rests, begin, pass } = watched(2, 2);
  for (const active of [150, 175, 200, 250, 900, 900, 200, 100, 900]) {
    pass(active, 1000 - active);
    begin();
  }
  assert.equal(
    rests.map(times => Math.round(10 * times) / 10),
    [0, 0, 1.5, 3, 6, 6, 3, 0, 0],
    'by the lesser of two looks',
  );
});

test('of a short time nothing is told', () => {
  const { allowed, begin, pass } = watched(2, 2);
  for (let i = 0; i < 3; i++) {
    pass(10, 0);
    begin();
  }
  assert.equal(allowed, []);
  pass(10, 0);
  begin();
  assert.equal(allowed, [2]);
  pass(50, 0);
  begin();
  assert.equal(allowed, [2, 1]);
});

test('it is looked again for as long as threads work', async () => {
  const { allowed, begin, pass, need } = watched(2, 2);
  need(true);
  pass(0, 100);
  begin();
  pass(100, 0);
  begin();
  assert.equal(allowed, [2], 'it is not looked twice at once');
  while (allowed.length < 2) await wait(5);
  pass(100, 0);
  while (allowed.length < 3) await wait(5);
  need(false);
  pass(0, 100);
  while (allowed.length < 4) await wait(5);
  assert.equal(allowed, [2, 2, 1, 2]);
  pass(100, 0);
  await wait(150);
  assert.equal(allowed, [2, 2, 1, 2], 'nobody needs it any more');
  begin();
  assert.equal(allowed.length, 5);
});

test.run();
