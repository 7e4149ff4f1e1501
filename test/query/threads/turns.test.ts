/** Who gets the next turn of a thread: the clock is the test's, and work takes as long as it says. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { QueryCanceled } from '../../../src/query/errors.ts';
import type { Pace } from '../../../src/query/pace.ts';
import type { Asker } from '../../../src/query/threads/askers.ts';
import { createTurns } from '../../../src/query/threads/turns.ts';

const account = (accountId: number): Asker => ({ accountId, isPublic: false });
const publicOf = (accountId: number): Asker => ({ accountId, isPublic: true });

/** A thread with a clock that only work moves. */
const startThread = () => {
  let [clock, arrivals] = [0, 0];
  const turns = createTurns(
    () => arrivals,
    () => clock,
  );
  /** What began its turns, in their order. */
  const log: string[] = [];
  /** Works for so many turns of so many milliseconds each; resolves to when it was done. */
  const work = async (name: string, asker: Asker, count: number, ms: number): Promise<number> => {
    const pace = turns.paceOf(asker, () => false);
    for (let i = 0; i < count; i++) {
      await pace.turn();
      log.push(name);
      clock += ms;
    }
    return clock;
  };
  return {
    log,
    work,
    paceOf: (asker: Asker, isCanceled = () => false): Pace => turns.paceOf(asker, isCanceled),
    pass: (ms: number): void => {
      clock += ms;
    },
    arrive: (): void => {
      arrivals++;
    },
    now: (): number => clock,
  };
};

/** How often a name is among the first turns. */
const countOf = (log: readonly string[], name: string, first: number): number =>
  log.slice(0, first).filter(one => one === name).length;

test('a short work overtakes long ones, of the same asker and of others', async () => {
  for (const asker of [account(1), account(2), publicOf(1)]) {
    const thread = startThread();
    const long = [1, 2, 3].map(() => thread.work('long', account(1), 100, 10));
    while (thread.log.length < 60) await new Promise(setImmediate);
    const began = thread.now();
    const done = await thread.work('short', asker, 3, 5);
    assert.ok(done - began <= 3 * 5 + 2 * 10, `${done - began} ms`);
    await Promise.all(long);
  }
});

test('askers have the same part of the time, and public pages a quarter of it, however much each asks', async () => {
  const thread = startThread();
  await Promise.all([
    ...[1, 2, 3, 4, 5].map(() => thread.work('many', account(1), 1000, 10)),
    thread.work('one', account(2), 1000, 10),
    ...[1, 2].map(() => thread.work('public', publicOf(2), 500, 10)),
  ]);
  const turns = [1500, 2000].map(first => ['many', 'one', 'public'].map(name => countOf(thread.log, name, first)));
  const [many, one, anybody] = turns[1]!.map((count, i) => count - turns[0]![i]!) as [number, number, number];
  assert.ok(Math.abs(many - one) <= 20, `${many} and ${one}`);
  assert.ok(anybody > 0 && anybody < one / 2, `${anybody} and ${one}`);
});

test('many short works of one asker do not starve a long one of another', async () => {
  const thread = startThread();
  const long = thread.work('long', account(1), 300, 10);
  let isDone = false;
  const flood = async (): Promise<void> => {
    while (!isDone) await thread.work('short', account(2), 1, 10);
  };
  const floods = [1, 2, 3].map(flood);
  await long;
  isDone = true;
  await Promise.all(floods);
  assert.ok(thread.log.length < 4 * 300, `${thread.log.length} turns`);
});

test('what was used long ago no longer counts', async () => {
  const thread = startThread();
  await thread.work('much', account(1), 100, 10);
  // The last turn ends with the turn of the event loop.
  for (let turn = 0; turn < 2; turn++) await new Promise(setImmediate);
  thread.pass(120_000);
  const [much, little] = [thread.work('much', account(1), 10, 10), thread.work('little', account(2), 10, 10)];
  await Promise.all([much, little]);
  assert.ok(Math.abs(countOf(thread.log.slice(100), 'much', 10) - 5) <= 2);
});

test('work goes on where nobody waits, and gives way to a message or to who has used less', async () => {
  const thread = startThread();
  const pace = thread.paceOf(account(1));
  assert.is(pace.mayGoOn(), false, 'before its first turn');
  await pace.turn();
  assert.is(pace.mayGoOn(), true);
  thread.pass(500);
  assert.is(pace.mayGoOn(), true, 'alone');
  thread.arrive();
  assert.is(pace.mayGoOn(), false, 'somebody may have come');
  await pace.turn();
  thread.arrive();
  assert.is(pace.mayGoOn(), true, 'a turn is not ended as soon as it began');
  await pace.turn();
  const other = thread.paceOf(account(2)).turn();
  thread.pass(50);
  assert.is(pace.mayGoOn(), false);
  await Promise.all([pace.turn(), other]);
});

test('canceled work throws where it stands, and when its turn comes', async () => {
  const thread = startThread();
  let isCanceled = false;
  const pace = thread.paceOf(account(1), () => isCanceled);
  await pace.turn();
  pace.throwIfCanceled();
  const waiting = pace.turn();
  isCanceled = true;
  assert.throws(pace.throwIfCanceled, (error: Error) => error instanceof QueryCanceled);
  assert.throws(pace.mayGoOn, (error: Error) => error instanceof QueryCanceled);
  for (const turn of [waiting, pace.turn()].map(turn => turn.catch((error: Error) => error)))
    assert.instance(await turn, QueryCanceled);
});

test('canceled work ends with the next turn, whoever else waits', async () => {
  const thread = startThread();
  const others = [2, 3, 4].map(id => thread.work('other', account(id), 50, 10));
  await thread.work('much', account(1), 100, 10);
  let isCanceled = false;
  const more = [2, 3, 4].map(id => thread.work('other', account(id), 50, 10));
  const waiting = thread.paceOf(account(1), () => isCanceled).turn();
  isCanceled = true;
  const turns = thread.log.length;
  assert.instance(await waiting.catch((error: Error) => error), QueryCanceled);
  assert.ok(thread.log.length - turns <= 1);
  await Promise.all([...others, ...more]);
});

test.run();
