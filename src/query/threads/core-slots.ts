/**
 * How many query threads may work at once: all of them while hits are few, and while hits keep the main thread busy so many that one core is
 * left to it. A thread takes a slot for each piece of its work, such as a day that it scans. Where slots are fewer than threads, a slot then
 * rests for a while, because the main thread is not alone in what is done for hits, and whoever shares a core waits for some milliseconds now
 * and then. Slots are words that threads share, so that nobody is asked for one.
 */
import { hrtime } from 'node:process';

/** As `viewsOf` divides it. */
export type SlotWords = SharedArrayBuffer;

/** A rest in the middle of work is at least so long: work that goes on for longer has whoever wakes up on its core wait for it to end. */
const restMinMs = 3;
/** However long a piece of work was. */
const restMaxMs = 500;
/** In the middle of one piece of work, together: somebody waits for what it finds out, and gives up in the end. */
const restsMaxMs = 2000;
/** Rests shorter than this are put together, since there are pieces of a hundredth of a millisecond. */
const owedMaxMs = 5;
/** So much later than others does a thread take the slot that it had before. */
const courtesyMs = 2;
/** How often a thread that waits for a slot looks whether its work is still wanted, at least. */
const lookMs = 100;

/**
 * Does some work in a slot, which it waits for. `throwIfCanceled` is called now and then meanwhile, and may throw to end the waiting. The work may
 * call `rest` as often as it likes: it returns at once unless a rest is due.
 */
export type InSlot = <T>(work: (rest: () => void) => T, throwIfCanceled: () => void) => Promise<T>;

export interface CoreSlots {
  words: SlotWords;
  /** From now on so many, of as many as there are threads; where that is fewer, each rests so many times as long as it was worked in. */
  allow(count: number, restsPerWork: number): void;
  /** Frees the slots of a thread that ended. */
  free(thread: number): void;
}

/** Bytes of a slot, and of what all slots have in common. */
const [slotBytes, commonBytes] = [16, 16];
const [allowedAt, changesAt, restsAt] = [0, 1, 2];
/** Words are whole numbers. */
const restsScale = 100;

/** Where each number stands. Ids of threads are above 0, and of one thread ever. */
const viewsOf = (words: SlotWords) => {
  const count = (words.byteLength - commonBytes) / slotBytes;
  return {
    /** By slot, when it has rested, by `sharedClock`. */
    restedAt: new BigInt64Array(words, 0, count),
    /** By slot, the id of the thread that has it, or 0. */
    holders: new Int32Array(words, 8 * count, count),
    /** By slot, the id of the thread that had it last, or 0. */
    formers: new Int32Array(words, 12 * count, count),
    /** How many slots there are now, how often something changed, and `restsPerWork` by `restsScale`. */
    common: new Int32Array(words, slotBytes * count, 3),
  };
};

const changed = (common: Int32Array): void => {
  Atomics.add(common, changesAt, 1);
  Atomics.notify(common, changesAt);
};

/** For as many threads, all of which may work until `allow` says otherwise. */
export const createCoreSlots = (threads: number): CoreSlots => {
  const words = new SharedArrayBuffer(slotBytes * threads + commonBytes);
  const { holders, common } = viewsOf(words);
  common[allowedAt] = threads;
  return {
    words,
    allow(count, restsPerWork) {
      Atomics.store(common, restsAt, Math.ceil(restsPerWork * restsScale));
      if (Atomics.exchange(common, allowedAt, count) !== count) changed(common);
    },
    free(thread) {
      for (let slot = 0; slot < threads; slot++) Atomics.compareExchange(holders, slot, thread, 0);
      changed(common);
    },
  };
};

/** Microseconds of a clock that all threads share. */
const sharedClock = (): number => Number(hrtime.bigint() / 1000n);

/** For one thread. While one of its jobs waits, the thread goes on with others and with what it is told. */
export const slotTaker = (words: SlotWords, thread: number): InSlot => {
  const { restedAt, holders, formers, common } = viewsOf(words);
  const areScarce = (): boolean => Atomics.load(common, allowedAt) < holders.length;
  const restOf = (workedMs: number): number =>
    Math.min(restMaxMs, (Atomics.load(common, restsAt) / restsScale) * workedMs);

  /** How long a free slot is not to be taken yet, in milliseconds. */
  const waitFor = (slot: number): number => {
    const owedMs = areScarce() ? (Number(Atomics.load(restedAt, slot)) - sharedClock()) / 1000 : 0;
    if (owedMs <= owedMaxMs) return 0;
    return Atomics.load(formers, slot) === thread ? owedMs + courtesyMs : owedMs;
  };

  const take = async (throwIfCanceled: () => void): Promise<number> => {
    while (true) {
      const changes = Atomics.load(common, changesAt);
      const allowed = Atomics.load(common, allowedAt);
      let waitMs = lookMs;
      for (let slot = 0; slot < allowed; slot++) {
        if (Atomics.load(holders, slot) !== 0) continue;
        const ms = waitFor(slot);
        waitMs = Math.min(waitMs, ms);
        if (ms === 0 && Atomics.compareExchange(holders, slot, 0, thread) === 0) return slot;
      }
      await Atomics.waitAsync(common, changesAt, changes, waitMs).value;
      throwIfCanceled();
    }
  };

  /** Nothing is owed for work that was done while there were slots for all, as far as it could have rested since. */
  const owe = (slot: number, workedMs: number): void => {
    if (!areScarce()) return;
    const owedFrom = Math.max(sharedClock(), Number(Atomics.load(restedAt, slot)));
    Atomics.store(restedAt, slot, BigInt(Math.ceil(owedFrom + 1000 * restOf(workedMs))));
  };

  const giveBack = (slot: number): void => {
    Atomics.store(formers, slot, thread);
    Atomics.compareExchange(holders, slot, thread, 0);
    changed(common);
  };

  /** Nobody changes it, so that waiting for a change is resting. */
  const still = new Int32Array(new SharedArrayBuffer(4));

  return async (work, throwIfCanceled) => {
    const slot = await take(throwIfCanceled);
    let began = performance.now();
    let restedMs = 0;
    const rest = (): void => {
      if (areScarce()) {
        const ms = Math.min(restOf(performance.now() - began), restsMaxMs - restedMs);
        if (ms < restMinMs) return;
        Atomics.wait(still, 0, 0, ms);
        restedMs += ms;
      }
      began = performance.now();
    };
    try {
      return work(rest);
    } finally {
      owe(slot, performance.now() - began);
      giveBack(slot);
    }
  };
};
