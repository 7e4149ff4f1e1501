/** A thread that works in a slot again and again: see core-slots.test.ts. */
import { threadId, workerData } from 'node:worker_threads';
import { slotTaker } from '../../../src/query/threads/core-slots.ts';

const { slots, thread, counts, ms } = workerData as {
  slots: SharedArrayBuffer;
  thread: number;
  counts: SharedArrayBuffer;
  /** Of a piece of its work. */
  ms: number;
};
const words = new Int32Array(counts);
const inSlot = slotTaker(slots, threadId);

// Waiting for a slot does not keep a thread, as what may be asked of it does.
setInterval(() => {}, 1000);

while (true) {
  await inSlot(
    () => {
      const working = Atomics.add(words, 0, 1) + 1;
      if (working > Atomics.load(words, 1)) Atomics.store(words, 1, working);
      for (const began = performance.now(); performance.now() - began < ms; );
      Atomics.sub(words, 0, 1);
    },
    () => {},
  );
  Atomics.add(words, 2 + thread, 1);
}
