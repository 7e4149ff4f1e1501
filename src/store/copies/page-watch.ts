/**
 * Which pages of the database changed since they were last copied: a bit for each, in memory that
 * the checkpoint thread and the copier share. A page's bit is set before a checkpoint lets the log
 * start over, so the copier misses none that is no longer in the log. SQLite counts commits: by
 * that both notice when another program made a checkpoint, and commits left the log unseen.
 */
import type { Database } from '../database.ts';
import { type LogScan, openLogScan } from './wal.ts';

/** Word 0 says that pages may have changed unseen. */
const unseenWord = 0;
/** Word 1 is the number of the newest commit whose pages are noted, or known to the copier. */
const commitsWord = 1;
const firstWord = 2;

/** Bits of a database of up to 256 GiB; of a larger one all pages are compared. */
const pagesDefault = 64 * 1024 * 1024;

/** Memory for the bits, which costs nothing where no bit was ever set. */
export const makeChangedPages = (pages = pagesDefault): SharedArrayBuffer =>
  new SharedArrayBuffer((firstWord + pages / 32) * 4);

/**
 * Reads the log on, and calls `found` with each page that was committed to it. Notes when commits
 * were never seen, neither by the copier nor by the checkpoint thread.
 */
export const followLog = (log: LogScan, changed: SharedArrayBuffer, found: (page: number) => void): void => {
  const bits = new Int32Array(changed);
  const before = Atomics.load(bits, commitsWord);
  log.read(found);
  const { first, last } = log.commits();
  let seen = Atomics.load(bits, commitsWord);
  // The count goes round after 2^32. It begins anew where a writer died in the middle of a commit.
  const beganAnew = isBefore(last, before);
  if (beganAnew || isBefore(seen, first)) Atomics.store(bits, unseenWord, 1);
  while (beganAnew || isBefore(seen, last)) {
    const held = Atomics.compareExchange(bits, commitsWord, seen, last | 0);
    if (held === seen) return;
    seen = held;
  }
};

const isBefore = (one: number, other: number): boolean => ((one - other) | 0) < 0;

export interface PageWatch {
  /** Runs a checkpoint, after noting each page that it can take out of the log. */
  around<T>(checkpoint: () => T): T;
  close(): void;
}

/** `reader` is a connection of its own. */
export const watchPages = (reader: Database, changed: SharedArrayBuffer): PageWatch => {
  const bits = new Int32Array(changed);
  const log = openLogScan(reader.name);
  const pages = (bits.length - firstWord) * 32;
  const note = (page: number): void => {
    if (page < pages) Atomics.or(bits, firstWord + (page >>> 5), 1 << (page & 31));
    else Atomics.store(bits, unseenWord, 1);
  };
  return {
    around(checkpoint) {
      // A checkpoint goes no further than this reader, and what it has read is noted.
      reader.exec('begin');
      try {
        reader.prepare('select 1 from sqlite_schema').get();
        followLog(log, changed, note);
        return checkpoint();
      } finally {
        reader.exec('rollback');
      }
    },
    close() {
      log.close();
      reader.close();
    },
  };
};

/**
 * Calls `found` with each page that is noted, and tells whether others may have changed unseen.
 * With `take` all of that is forgotten: only what is read of the database afterwards is sure to
 * hold those changes.
 */
export const changedPages = (
  changed: SharedArrayBuffer,
  { take }: { take: boolean },
  found: (page: number) => void,
): boolean => {
  const bits = new Int32Array(changed);
  const get = (word: number): number => (take ? Atomics.exchange(bits, word, 0) : Atomics.load(bits, word));
  const unseen = get(unseenWord) === 1;
  for (let word = firstWord; word < bits.length; word++) {
    if (bits[word] === 0) continue;
    for (let set = get(word); set !== 0; set &= set - 1) {
      const bit = 31 - Math.clz32(set & -set);
      found((word - firstWord) * 32 + bit);
    }
  }
  return unseen;
};
