import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createRateLimit } from '../../src/http/rate-limit.ts';

test('after so many attempts in a window the rest wait until it ends', () => {
  let now = 1000;
  const attempts = createRateLimit({ now: () => now, max: 3, windowMs: 100 });
  const take = () => attempts.take('a');
  assert.equal([take(), take(), take()], [0, 0, 0]);
  now += 40;
  assert.equal([take(), take()], [60, 60]);
  assert.is(attempts.take('b'), 0);
  now += 59;
  assert.is(take(), 1);
  now += 1;
  assert.equal([take(), take(), take(), take()], [0, 0, 0, 100]);
});

test('a returned attempt does not count, and a forgotten key begins again', () => {
  const attempts = createRateLimit({ now: () => 0, max: 2, windowMs: 100 });
  const take = () => attempts.take('a');
  for (let i = 0; i < 10; i++) {
    assert.is(take(), 0);
    attempts.giveBack('a');
  }
  assert.equal([take(), take(), take()], [0, 0, 100]);
  attempts.forget('a');
  assert.equal([take(), take(), take()], [0, 0, 100]);
  attempts.giveBack('never seen');
});

test('no number of other keys makes it forget one, and asking counts nothing', () => {
  let now = 0;
  const attempts = createRateLimit({ now: () => now, max: 1, windowMs: 100 });
  attempts.take('a');
  for (let i = 0; i < 50_000; i++) attempts.take(String(i));
  assert.is(attempts.waitMs('a'), 100);
  for (let i = 0; i < 10; i++) assert.is(attempts.waitMs('new'), 0);
  now = 100;
  assert.is(attempts.waitMs('a'), 0);
});

test('a full table lets no new key in, and goes on with those that it has', () => {
  let now = 0;
  const attempts = createRateLimit({ now: () => now, max: 2, windowMs: 100, keysMax: 2 });
  assert.is(attempts.take('a'), 0);
  now = 30;
  assert.is(attempts.take('b'), 0);
  assert.equal([attempts.take('c'), attempts.take('a'), attempts.take('b')], [70, 0, 0]);
  now = 100;
  assert.equal([attempts.take('c'), attempts.take('a')], [0, 30]);
});

test.run();
