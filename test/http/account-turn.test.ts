import { setImmediate as turn } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { accountTurn } from '../../src/http/account-turn.ts';

/** Keeps the event loop busy, as a request does that is large. */
const busy = (ms: number): void => {
  for (const end = performance.now() + ms; performance.now() < end; );
};

test('requests of an account begin one after the other, and turns without one come between', async () => {
  const begun: number[] = [];
  let turns = 0;
  const turnsBetween: number[] = [];
  const all = Promise.all(
    [0, 1, 2, 3].map(async number => {
      await accountTurn(1);
      begun.push(number);
      turnsBetween.push(turns);
      turns = 0;
      busy(20);
    }),
  );
  let isOver = false;
  void all.then(() => {
    isOver = true;
  });
  while (!isOver) {
    await turn();
    turns++;
  }
  assert.equal(begun, [0, 1, 2, 3]);
  assert.ok(
    turnsBetween.slice(1).every(count => count > 1),
    turnsBetween.join(),
  );
});

test('another account does not wait for it', async () => {
  const begun: string[] = [];
  const one = async (account: number, name: string): Promise<void> => {
    await accountTurn(account);
    begun.push(name);
    busy(10);
  };
  await Promise.all([one(2, 'first'), one(2, 'second'), one(3, 'other')]);
  assert.equal(begun, ['first', 'other', 'second']);
});

test.run();
