import { setImmediate as turn } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { endsOfTurns } from '../../src/collect/arrivals.ts';

test('what takes long is done in several turns, in its order, and others come between', async () => {
  let now = 0;
  const done: number[] = [];
  const atEndOfTurn = endsOfTurns(() => now);
  const take = (number: number, ms: number): void =>
    atEndOfTurn(() => {
      done.push(number);
      now += ms;
    }, 100);
  for (let number = 1; number <= 4; number++) take(number, 3);
  take(5, 100);
  take(6, 0);
  const after: number[][] = [];
  for (let i = 0; i < 4; i++) {
    await turn();
    after.push([...done]);
    if (i === 0) take(7, 0);
  }
  assert.equal(after[0], [1, 2]);
  assert.equal(after[1], [1, 2, 3, 4]);
  assert.equal(after[2], [1, 2, 3, 4, 5]);
  assert.equal(after[3], [1, 2, 3, 4, 5, 6, 7]);
  take(8, 0);
  await turn();
  assert.is(done.at(-1), 8);
});

test('small bodies go before large ones, of which each turn takes one at least', async () => {
  let now = 0;
  const done: string[] = [];
  const atEndOfTurn = endsOfTurns(() => now);
  const take = (name: string, ms: number, bytes: number): void =>
    atEndOfTurn(() => {
      done.push(name);
      now += ms;
    }, bytes);
  for (const name of ['list 1', 'list 2', 'list 3']) take(name, 10, 30_000);
  take('page 1', 1, 300);
  await turn();
  assert.equal(done, ['page 1', 'list 1']);
  for (const name of ['page 2', 'page 3', 'page 4']) take(name, 4, 300);
  await turn();
  assert.equal(done.slice(2), ['page 2', 'page 3', 'list 2']);
  await turn();
  assert.equal(done.slice(5), ['page 4', 'list 3']);
});

test.run();
