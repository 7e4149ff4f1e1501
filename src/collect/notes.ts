/**
 * Entries that nobody waits for: the counts of ignored and refused hits. They ride along with the
 * next batch of hits. When none comes they ask for a batch of their own, after a second or once
 * they are many.
 */
import type { Entry } from '../store/write/recorder.ts';

/** How long notes wait for a hit to ride along with, and how many of them do. */
const delayMs = 1000;
const waitingMax = 1000;
/** Beyond this, while the disk takes nothing, counts are lost: some 30 MB of them. */
const keptMax = 100_000;

export type OutcomeNotes = ReturnType<typeof createNotes>;

/** `askForBatch` is called when notes should be written soon; perhaps more than once. */
export const createNotes = (askForBatch: () => void) => {
  let notes: Entry[] = [];
  let timer: NodeJS.Timeout | undefined;
  const stopTimer = (): void => {
    clearTimeout(timer);
    timer = undefined;
  };
  return {
    add(entry: Entry): void {
      if (notes.length >= keptMax) return;
      notes.push(entry);
      if (notes.length >= waitingMax) askForBatch();
      else timer ??= setTimeout(askForBatch, delayMs).unref();
    },
    /** Gives all notes, for a batch that writes them. */
    take(): Entry[] {
      stopTimer();
      const taken = notes;
      notes = [];
      return taken;
    },
    /** Keeps notes that could not be written for a later batch. */
    putBack(entries: readonly Entry[]): void {
      notes = notes.concat(entries);
    },
    /** How many notes wait. */
    count: () => notes.length,
    /** Asks for no batch any more. */
    close: stopTimer,
  };
};
