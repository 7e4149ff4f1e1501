/** Which task runs next, beside those that run. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Asker, shareOf } from '../../../src/query/threads/askers.ts';
import { createFairQueue, runningMax } from '../../../src/query/threads/fair-queue.ts';
import type { PendingTask } from '../../../src/query/threads/pending-task.ts';

let nextId = 1;
const taskOf = (asker: Asker): PendingTask => ({
  errand: { id: nextId++, asker, canceled: new SharedArrayBuffer(4) },
  query: { siteId: 1, currency: 'EUR', minorRates: {}, slices: [] },
  succeed() {},
  fail() {},
});

const account = (accountId: number): Asker => ({ accountId, isPublic: false });
const publicOf = (accountId: number): Asker => ({ accountId, isPublic: true });
const idsOf = (tasks: readonly (PendingTask | undefined)[]): (number | undefined)[] =>
  tasks.map(task => task?.errand.id);

/** Takes out all that may run together. */
const takeAll = (queue: ReturnType<typeof createFairQueue>, running: PendingTask[] = []): PendingTask[] => {
  while (true) {
    const next = queue.next(running);
    if (next === undefined) return running;
    running.push(next);
  }
};

test('one asker’s tasks run in their order, as many as may', () => {
  const queue = createFairQueue(100);
  const tasks = Array.from({ length: 20 }, () => taskOf(account(1)));
  tasks.forEach(queue.push);
  const { runningMax: most } = shareOf(account(1));
  const running = takeAll(queue);
  assert.equal(idsOf(running), idsOf(tasks.slice(0, most)));
  assert.is(queue.size(), 20 - most);
  running.shift();
  assert.is(queue.next(running), tasks[most]);
});

test('whoever has fewest running for their share is next', () => {
  const queue = createFairQueue(100);
  const [many, other, anybody] = [account(1), account(2), publicOf(2)];
  const tasks = [many, many, many, many, anybody, anybody, other, other].map(taskOf);
  tasks.forEach(queue.push);
  const order = takeAll(queue).map(({ errand }) => errand.asker);
  assert.equal(order.slice(0, 3), [many, anybody, other]);
  assert.equal(order.slice(3, 5), [many, other]);
  // One that is public counts as four of an account.
  assert.equal(order.slice(5), [many, many, anybody]);
});

test('no more than a bound run in all', () => {
  const queue = createFairQueue(1000);
  for (let id = 1; id <= runningMax + 5; id++) queue.push(taskOf(account(id)));
  assert.is(takeAll(queue).length, runningMax);
  assert.is(queue.size(), 5);
});

test('an asker fills its part of the queue and leaves room for others', () => {
  const queue = createFairQueue(16);
  const fill = (asker: Asker): number => {
    let count = 0;
    for (; queue.hasRoom(asker); count++) queue.push(taskOf(asker));
    return count;
  };
  assert.equal([publicOf(1), account(1), account(2), account(3)].map(fill), [2, 8, 6, 0]);
  assert.is(queue.size(), 16);
});

test('a task that is taken out is not given, and all can be', () => {
  const queue = createFairQueue(10);
  const [first, second, third] = [1, 2, 3].map(() => taskOf(account(1)));
  for (const task of [first, second, third]) queue.push(task!);
  queue.takeOut(first!);
  queue.takeOut(first!);
  assert.is(queue.next([]), second);
  assert.equal(queue.clear(), [third]);
  assert.is(queue.next([]), undefined);
});

test.run();
