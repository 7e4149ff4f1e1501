/**
 * Which pages of the database changed since they were last copied: a bit for each, in memory that
 * the checkpoint thread and the copier share. A page's bit is set before a checkpoint lets the log
 * start over, so the copier misses none that is no longer in the log.
 */
import type { Database } from '../database.ts';
import { openLogScan } from './wal.ts';

/** Bits of a database of up to 256 GiB; of a larger one all pages are compared. */
const pagesMax = 64 * 1024 * 1024;
/** Word 0 says that pages may have changed unseen. */
const words = 1 + pagesMax / 32;

/** Memory for the bits, which costs nothing where no bit was ever set. */
export const makeChangedPages = (): SharedArrayBuffer => new SharedArrayBuffer(words * 4);

export interface PageWatch {
  /** Runs a checkpoint, after noting each page that it can take out of the log. */
  around<T>(checkpoint: () => T): T;
  close(): void;
}

/** `reader` is a connection of its own. */
export const watchPages = (reader: Database, changed: SharedArrayBuffer): PageWatch => {
  const bits = new Int32Array(changed);
  const scan = openLogScan(reader.name);
  const note = (): void => {
    const { missedSome } = scan.read();
    if (missedSome) Atomics.store(bits, 0, 1);
    for (const page of scan.pages.keys()) {
      if (page < pagesMax) Atomics.or(bits, 1 + (page >>> 5), 1 << (page & 31));
      else Atomics.store(bits, 0, 1);
    }
  };
  return {
    around(checkpoint) {
      // A checkpoint goes no further than this reader, and what it has read is noted.
      reader.exec('begin');
      try {
        reader.prepare('select 1 from sqlite_schema').get();
        note();
        return checkpoint();
      } finally {
        reader.exec('rollback');
      }
    },
    close() {
      scan.close();
      reader.close();
    },
  };
};

/**
 * Takes the pages that changed out of the shared bits, and calls `found` for each. Tells whether
 * others may have changed unseen.
 */
export const takeChangedPages = (changed: SharedArrayBuffer, found: (page: number) => void): boolean => {
  const bits = new Int32Array(changed);
  const missedSome = Atomics.exchange(bits, 0, 0) === 1;
  for (let word = 1; word < words; word++) {
    if (bits[word] === 0) continue;
    let set = Atomics.exchange(bits, word, 0);
    while (set !== 0) {
      const bit = 31 - Math.clz32(set & -set);
      found((word - 1) * 32 + bit);
      set &= set - 1;
    }
  }
  return missedSome;
};
