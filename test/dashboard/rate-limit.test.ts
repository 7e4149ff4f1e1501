import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createRateLimit, networkOf } from '../../src/dashboard/rate-limit.ts';

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

test('with too many keys, the one whose window began first is forgotten', () => {
  let now = 0;
  const attempts = createRateLimit({ now: () => now++, max: 1, windowMs: 100_000, keysMax: 3 });
  for (const key of ['a', 'b', 'c']) assert.is(attempts.take(key), 0);
  assert.ok(attempts.take('a') > 0);
  attempts.take('d');
  assert.ok(attempts.take('b') > 0);
  assert.ok(attempts.take('c') > 0);
  assert.is(attempts.take('a'), 0);
});

test('addresses of one network count as one', () => {
  const rows: [address: string, network: string][] = [
    ['192.0.2.1', '192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
    ['2001:db8:1:2::ffff', '2001:db8:1:2'],
    ['::1', '0:0:0:0'],
    ['', ''],
  ];
  for (const [address, network] of rows) assert.is(networkOf(address), network);
});

test.run();
