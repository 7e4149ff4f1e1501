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

test('the slot of a thread that ended in the middle of its work is free for others', () => {
  const slots = createCoreSlots(threads);
  slots.allow(1);
  let worked = false;
  slotTaker(
    slots.words,
    1,
  )(() => {
    slots.free(1);
    // It would wait for ever if the slot were still taken.
    slotTaker(
      slots.words,
      2,
    )(() => {
      worked = true;
    });
  });
  assert.ok(worked);
});

test('where slots are fewer than threads, work that rests keeps its slot for as long again', () => {
  const slots = createCoreSlots(threads);
  slots.allow(threads - 1);
  const began = performance.now();
  const worked = slotTaker(slots.words, 1)(() => {
    while (performance.now() - began < 20);
    return performance.now() - began;
  }, true);
  assert.ok(performance.now() - began >= 1.9 * worked);
});

test('work that throws gives its slot back', () => {
  const slots = createCoreSlots(threads);
  slots.allow(1);
  const inSlot = slotTaker(slots.words, 1);
  for (let i = 0; i < 3; i++)
    assert.throws(
      () =>
        inSlot(() => {
          throw new Error('no');
        }),
      'no',
    );
});

test.run();
