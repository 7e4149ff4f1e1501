/** Slots for threads that work: here several threads take them in turns as fast as they can. */
import { setTimeout as wait } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createCoreSlots, slotTaker } from '../../src/query/core-slots.ts';
import { startWorker } from '../../src/start-worker.ts';

const threads = 3;

/** Counts, in shared words: those that work now, the most that ever did, and how often each did. */
const startCrew = (slots: SharedArrayBuffer) => {
  const counts = new SharedArrayBuffer(4 * (2 + threads));
  const crew = Array.from({ length: threads }, (_, thread) =>
    startWorker('', 'test/query/slot-worker.ts', { slots, thread, counts }),
  );
  const words = new Int32Array(counts);
  return {
    /** Waits until each has worked some times more, and returns the most that worked at once meanwhile. */
    async most(): Promise<number> {
      await wait(20);
      Atomics.store(words, 1, 0);
      const before = Array.from(words.subarray(2));
      while (before.some((count, i) => words[2 + i]! < count + 50)) await wait(5);
      return Atomics.load(words, 1);
    },
    end: () => Promise.all(crew.map((worker: Worker) => worker.terminate())),
  };
};

test('no more threads work at once than there are slots, and each has its turn', async () => {
  const slots = createCoreSlots(threads);
  slots.allow(1);
  const { most, end } = startCrew(slots.words);
  assert.is(await most(), 1);
  slots.allow(2);
  assert.ok((await most()) <= 2);
  slots.allow(1);
  assert.is(await most(), 1);
  await end();
});

const nothing = (): void => {};

// Waiting for a slot does not keep a process, as what a thread may be asked does.
const keeping = setInterval(nothing, 1000);
test.after(() => clearInterval(keeping));

const busyFor = (ms: number): void => {
  for (const began = performance.now(); performance.now() - began < ms; );
};

test('the slot of a thread that ended in the middle of its work is free for others', async () => {
  const slots = createCoreSlots(threads);
  slots.allow(1);
  const [one, other] = [slotTaker(slots.words, 1), slotTaker(slots.words, 2)];
  let worked: Promise<string> | undefined;
  await one(() => {
    worked = other(() => 'worked', nothing);
    // The slot would rest for longer than the test has.
    busyFor(5);
    slots.free(1);
  }, nothing);
  assert.is(await worked, 'worked');
});

test('where slots are fewer than threads, a slot rests longer than it was worked in, and who worked in it does not wait for that', async () => {
  const slots = createCoreSlots(threads);
  slots.allow(threads - 1);
  const inSlot = slotTaker(slots.words, 1);
  const freeSlots = (): number =>
    new Int32Array(slots.words).subarray(2, 1 + threads).filter(thread => thread === 0).length;
  await inSlot(() => busyFor(20), nothing);
  assert.is(freeSlots(), threads - 2);
  await wait(20);
  assert.is(freeSlots(), threads - 2);
  while (freeSlots() < threads - 1) await wait(5);
  slots.allow(threads);
  await inSlot(() => busyFor(20), nothing);
  assert.is(freeSlots(), threads - 1);
});

test('who waits for a slot hears that nobody waits for its work any more', async () => {
  const slots = createCoreSlots(threads);
  slots.allow(1);
  const inSlot = slotTaker(slots.words, 1);
  let isCanceled = false;
  const checkpoint = (): void => {
    if (isCanceled) throw new Error('canceled');
  };
  const taken = new Int32Array(slots.words);
  Atomics.store(taken, 2, 7); // another thread has it, for ever
  const waiting = inSlot(() => 'worked', checkpoint).catch(error => (error as Error).message);
  await wait(10);
  isCanceled = true;
  assert.is(await waiting, 'canceled');
});

test('work that throws gives its slot back', async () => {
  const slots = createCoreSlots(threads);
  slots.allow(1);
  const inSlot = slotTaker(slots.words, 1);
  const fail = (): never => {
    throw new Error('no');
  };
  for (let i = 0; i < 3; i++) assert.is(await inSlot(fail, nothing).catch(error => error.message), 'no');
});

test.run();
