/**
 * How many query threads may work at once: all of them while hits are few, and while hits keep the main thread busy so many that one core is
 * left to it. A thread takes a slot for each day that it scans, and to add up. Where slots are fewer than threads it keeps that of a day for as
 * long again without working: the main thread is not alone in what is done for hits, and whoever shares a core waits for some milliseconds now
 * and then. Slots are words that threads share, so that nobody is asked for one.
 */

/** Words: how many slots there are, how often something changed, and per slot the id of the thread that has it, or 0: ids are above 0 and of one thread ever. */
export type SlotWords = SharedArrayBuffer;
const [allowedAt, changesAt, slotsAt] = [0, 1, 2];

/** Does some work in a slot, which it waits for; one that `rests` is followed by a rest where cores are short. */
export type InSlot = <T>(work: () => T, rests?: boolean) => T;

export interface CoreSlots {
  words: SlotWords;
  /** From now on so many, of as many as there are threads. */
  allow(count: number): void;
  /** Frees the slot of a thread that ended. */
  free(thread: number): void;
}

const changed = (words: Int32Array): void => {
  Atomics.add(words, changesAt, 1);
  Atomics.notify(words, changesAt);
};

/** For as many threads, all of which may work until `allow` says otherwise. */
export const createCoreSlots = (threads: number): CoreSlots => {
  const shared = new SharedArrayBuffer(4 * (slotsAt + threads));
  const words = new Int32Array(shared);
  words[allowedAt] = threads;
  return {
    words: shared,
    allow(count) {
      if (Atomics.exchange(words, allowedAt, count) !== count) changed(words);
    },
    free(thread) {
      for (let slot = slotsAt; slot < words.length; slot++) Atomics.compareExchange(words, slot, thread, 0);
      changed(words);
    },
  };
};

/** For one thread. It blocks while it waits: there is nothing else that it could do. */
export const slotTaker = (shared: SlotWords, thread: number): InSlot => {
  const words = new Int32Array(shared);
  const take = (): number => {
    while (true) {
      const changes = Atomics.load(words, changesAt);
      const end = slotsAt + Atomics.load(words, allowedAt);
      for (let slot = slotsAt; slot < end; slot++)
        if (Atomics.compareExchange(words, slot, 0, thread) === 0) return slot;
      Atomics.wait(words, changesAt, changes);
    }
  };
  /** Nobody changes it, so that waiting for a change is resting. */
  const still = new Int32Array(new SharedArrayBuffer(4));
  const rest = (workedMs: number): void => {
    if (slotsAt + Atomics.load(words, allowedAt) < words.length) Atomics.wait(still, 0, 0, workedMs);
  };
  return (work, rests = false) => {
    const slot = take();
    const began = performance.now();
    try {
      return work();
    } finally {
      if (rests) rest(performance.now() - began);
      Atomics.compareExchange(words, slot, thread, 0);
      changed(words);
    }
  };
};
