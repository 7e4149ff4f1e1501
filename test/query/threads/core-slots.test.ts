/** Slots for threads that work: here several threads take them in turns as fast as they can. */
import { setTimeout as wait } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createCoreSlots, type InSlot, slotTaker } from '../../../src/query/threads/core-slots.ts';
import { startWorker } from '../../../src/start-worker.ts';

const threads = 3;
const restsPerWork = 6;

/**
 * Threads that work for so many milliseconds at a time. Counts, in shared words: those that work now, the most that ever did, and how often
 * each did.
 */
const startCrew = (slots: SharedArrayBuffer, piecesMs: readonly number[] = [0, 0, 0]) => {
  const counts = new SharedArrayBuffer(4 * (2 + threads));
  const crew = piecesMs.map((ms, thread) =>
    startWorker('', 'test/query/threads/slot-worker.ts', { slots, thread, counts, ms }),
  );
  const words = new Int32Array(counts);
  const worked = (): number[] => Array.from(words.subarray(2, 2 + piecesMs.length));
  return {
    worked,
    /** Waits until each has worked some times more, and returns the most that worked at once meanwhile. */
    async most(): Promise<number> {
      await wait(20);
      Atomics.store(words, 1, 0);
      const before = worked();
      while (worked().some((count, i) => count < before[i]! + 50)) await wait(5);
      return Atomics.load(words, 1);
    },
    end: () => Promise.all(crew.map((worker: Worker) => worker.terminate())),
  };
};

test('no more threads work at once than there are slots, and each has its turn', async () => {
  const slots = createCoreSlots(threads);
  slots.allow(1, restsPerWork);
  const { most, end } = startCrew(slots.words);
  assert.is(await most(), 1);
  slots.allow(2, restsPerWork);
  assert.ok((await most()) <= 2);
  slots.allow(1, restsPerWork);
  assert.is(await most(), 1);
  await end();
});

test('a thread whose work takes long leaves others their turn', async () => {
  const slots = createCoreSlots(threads);
  slots.allow(1, restsPerWork);
  const { worked, end } = startCrew(slots.words, [25, 1]);
  while (worked().some(count => count === 0)) await wait(5);
  const before = worked();
  while (worked()[0]! < before[0]! + 10) await wait(5);
  assert.ok(worked()[1]! >= before[1]! + 8);
  await end();
});

const nothing = (): void => {};

// Waiting for a slot does not keep a process, as what a thread may be asked does.
const keeping = setInterval(nothing, 1000);
test.after(() => clearInterval(keeping));

/** Returns the milliseconds that it took. */
const busyFor = (ms: number): number => {
  const began = performance.now();
  while (performance.now() - began < ms);
  return performance.now() - began;
};

test('the slot of a thread that ended in the middle of its work is free for others', async () => {
  const slots = createCoreSlots(threads);
  slots.allow(1, restsPerWork);
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

/** How long a piece of work waits for its slot, in milliseconds. */
const waitingOf = async (inSlot: InSlot): Promise<number> => {
  const began = performance.now();
  return inSlot(() => performance.now() - began, nothing);
};

test('where slots are fewer than threads, a slot rests longer than it was worked in, and who worked in it does not wait for that', async () => {
  const slots = createCoreSlots(threads);
  slots.allow(1, restsPerWork);
  const inSlot = slotTaker(slots.words, 1);
  const worked = await inSlot(() => busyFor(20), nothing);
  assert.ok((await waitingOf(inSlot)) > worked);
  slots.allow(1, restsPerWork / 60);
  await inSlot(() => busyFor(60), nothing);
  assert.ok((await waitingOf(inSlot)) < 60);
  slots.allow(threads, 0);
  await inSlot(() => busyFor(60), nothing);
  assert.ok((await waitingOf(inSlot)) < 60);
  slots.allow(1, restsPerWork); // which has nobody rest for what was done before
  assert.ok((await waitingOf(inSlot)) < 60);
});

test('rests of many short pieces are put together, and not forgotten', async () => {
  const slots = createCoreSlots(threads);
  slots.allow(1, restsPerWork);
  const inSlot = slotTaker(slots.words, 1);
  const began = performance.now();
  let [worked, waits] = [0, 0];
  for (let piece = 0; piece < 300; piece++) {
    if ((await waitingOf(inSlot)) > 0.5) waits++;
    worked += await inSlot(() => busyFor(0.1), nothing);
  }
  assert.ok(performance.now() - began > 3 * worked);
  assert.ok(waits < 200);
});

test('work that goes on for long rests in the middle, where slots are fewer than threads', async () => {
  const slots = createCoreSlots(threads);
  const inSlot = slotTaker(slots.words, 1);
  const restIn = (): Promise<number> =>
    inSlot(rest => {
      rest();
      busyFor(10);
      const began = performance.now();
      rest();
      rest();
      return performance.now() - began;
    }, nothing);
  assert.ok((await restIn()) < 25);
  slots.allow(threads - 1, restsPerWork);
  assert.ok((await restIn()) >= 59);
  slots.allow(threads - 1, restsPerWork / 12);
  const rested = await restIn();
  assert.ok(rested >= 4 && rested < 30);
});

test('one piece of work rests no longer than two seconds in its middle, however long it is, and not for what it did while there were slots for all', async () => {
  const slots = createCoreSlots(threads);
  const inSlot = slotTaker(slots.words, 1);
  const rested = await inSlot(rest => {
    busyFor(30);
    rest();
    slots.allow(threads - 1, 2000);
    let ms = 0;
    for (let i = 0; i < 8; i++) {
      const began = performance.now();
      rest();
      ms += performance.now() - began;
      if (i === 0) assert.ok(ms < 200, `for ${ms}`);
      busyFor(1);
    }
    return ms;
  }, nothing);
  assert.ok(rested >= 1990 && rested < 2400, `${rested}`);
});

test('who waits for a slot hears that nobody waits for its work any more', async () => {
  const slots = createCoreSlots(threads);
  slots.allow(1, restsPerWork);
  await slotTaker(slots.words, 1)(() => busyFor(100), nothing); // and now the slot rests for longer
  const canceled = (): never => {
    throw new Error('canceled');
  };
  assert.is(await slotTaker(slots.words, 2)(() => 'worked', canceled).catch(error => error.message), 'canceled');
});

test('work that throws gives its slot back', async () => {
  const slots = createCoreSlots(threads);
  slots.allow(1, restsPerWork);
  const inSlot = slotTaker(slots.words, 1);
  const fail = (): never => {
    throw new Error('no');
  };
  for (let i = 0; i < 3; i++) assert.is(await inSlot(fail, nothing).catch(error => error.message), 'no');
});

test.run();
