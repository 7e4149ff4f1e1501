/**
 * How many query threads may work at once: all of them while hits are few, and while hits keep the main thread busy so many that one core is
 * left to it. A thread takes a slot for each piece of its work, such as a day that it scans. Where slots are fewer than threads, a slot then
 * rests for a while, because the main thread is not alone in what is done for hits, and whoever shares a core waits for some milliseconds now
 * and then. Slots are words that threads share, so that nobody is asked for one.
 */

/**
 * Words: how many slots there are, how often something changed, and per slot the id of the thread that has it, or 0: ids are above 0 and
 * of one thread ever.
 */
export type SlotWords = SharedArrayBuffer;
const [allowedAt, changesAt, slotsAt] = [0, 1, 2];

/**
 * A slot rests so many times as long as it was worked in. On two cores with 5,000 hits a second the slowest hundredth of hits takes 2.4 times
 * as long beside questions as without them where slots rest once as long, 2 times where twice, 1.4 times where three times.
 */
const restsPerWork = 3;

/** How often a thread that waits for a slot looks whether its work is still wanted, at least. */
const lookMs = 100;

/** Does some work in a slot, which it waits for. `checkpoint` is called now and then meanwhile, and may throw to end the waiting. */
export type InSlot = <T>(work: () => T, checkpoint: () => void) => Promise<T>;

export interface CoreSlots {
  words: SlotWords;
  /** From now on so many, of as many as there are threads. */
  allow(count: number): void;
  /** Frees the slots of a thread that ended. */
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

/** For one thread. While one of its jobs waits, the thread goes on with others and with what it is told. */
export const slotTaker = (shared: SlotWords, thread: number): InSlot => {
  const words = new Int32Array(shared);

  const take = async (checkpoint: () => void): Promise<number> => {
    while (true) {
      const changes = Atomics.load(words, changesAt);
      const end = slotsAt + Atomics.load(words, allowedAt);
      for (let slot = slotsAt; slot < end; slot++)
        if (Atomics.compareExchange(words, slot, 0, thread) === 0) return slot;
      await Atomics.waitAsync(words, changesAt, changes, lookMs).value;
      checkpoint();
    }
  };

  const giveBack = (slot: number): void => {
    Atomics.compareExchange(words, slot, thread, 0);
    changed(words);
  };

  const areScarce = (): boolean => slotsAt + Atomics.load(words, allowedAt) < words.length;

  return async (work, checkpoint) => {
    const slot = await take(checkpoint);
    const began = performance.now();
    try {
      return work();
    } finally {
      const restMs = areScarce() ? restsPerWork * (performance.now() - began) : 0;
      if (restMs > 0) setTimeout(giveBack, restMs, slot);
      else giveBack(slot);
    }
  };
};
