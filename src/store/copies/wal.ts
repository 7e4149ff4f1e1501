/**
 * Reads SQLite's write-ahead log, to learn which pages changed and where their newest content is.
 * Where the log ends, and how many commits there ever were, is in SQLite's own index of it. Both
 * formats are described in https://www.sqlite.org/walformat.html.
 */
import { closeSync, openSync, readSync } from 'node:fs';
import { StoreError } from '../database.ts';

export interface LogScan {
  /**
   * Reads what was committed since the last call. Calls `found` with each page in it, more than
   * once perhaps. Somebody must be reading the database, so that the log is in order.
   */
  read(found: (page: number) => void): void;
  /** The commits of the log: `last` counts them all, and `first` those before the log's first. */
  commits(): { first: number; last: number };
  /** Whether the log did not start over since it was read. */
  isSame(): boolean;
  /** Page numbers with the place in the log file of their newest committed content. */
  readonly pages: ReadonlyMap<number, number>;
  /** Pages of the database as of the newest commit in the log; null when it has none. */
  databasePages(): number | null;
  /** Copies a page's content from its place in the log. */
  copyPage(place: number, target: Buffer): void;
  /** Leaves the index open: closing it would drop the locks that SQLite holds on it. */
  close(): void;
}

const logHeaderBytes = 32;
const frameHeaderBytes = 24;
const indexHeaderBytes = 48;
/** A tenth of a second or more. A writer needs a microsecond, unless others use its processor. */
const triesMax = 50_000;

/** Of the index's header, what matters here. */
interface LogHeader {
  /** Counts up with each commit to the database; 32 bits. */
  commits: number;
  pageBytes: number;
  frames: number;
  databasePages: number;
  /** 8 bytes, which all frames repeat. They are other ones when the log starts over. */
  salts: Buffer;
}

/** Opens the log of a database file. It exists as long as a connection is open. */
export const openLogScan = (databaseFile: string): LogScan => {
  const log = openSync(`${databaseFile}-wal`, 'r');
  const index = openSync(`${databaseFile}-shm`, 'r');
  const pages = new Map<number, number>();
  const frame = Buffer.alloc(frameHeaderBytes);
  let header: LogHeader | null = null;
  /** Frames that were read, and commits among them. */
  let [frames, commits] = [0, 0];

  /** False when the log started over meanwhile. */
  const readFrames = ({ salts, pageBytes, frames: end }: LogHeader, found: (page: number) => void): boolean => {
    while (frames < end) {
      const place = logHeaderBytes + frames * (frameHeaderBytes + pageBytes);
      if (readSync(log, frame, 0, frameHeaderBytes, place) < frameHeaderBytes) return false;
      if (frame.compare(salts, 0, 8, 8, 16) !== 0) return false;
      const page = frame.readUInt32BE(0);
      pages.set(page, place + frameHeaderBytes);
      found(page);
      frames++;
      // The last frame of a commit says how many pages the database has then.
      if (frame.readUInt32BE(4) !== 0) commits++;
    }
    return true;
  };

  return {
    pages,
    read(found) {
      for (let tries = 0; tries < triesMax; tries++) {
        const next = readHeader(index);
        if (header === null || !header.salts.equals(next.salts)) {
          pages.clear();
          [frames, commits] = [0, 0];
        }
        header = next;
        if (readFrames(next, found)) return;
      }
      throw new StoreError('The log of the database does not match its index.');
    },
    commits: () => ({ first: header!.commits - commits, last: header!.commits }),
    isSame: () => header!.salts.equals(readHeader(index).salts),
    databasePages: () => (header!.frames === 0 ? null : header!.databasePages),
    copyPage(place, target) {
      readSync(log, target, 0, target.length, place);
    },
    close: () => closeSync(log),
  };
};

/**
 * A writer writes the second copy of the header first, and a reader reads the first one first: when
 * both are equal, both are whole. Numbers are in the machine's byte order.
 */
const readHeader = (index: number): LogHeader => {
  const [first, second] = [Buffer.alloc(indexHeaderBytes), Buffer.alloc(indexHeaderBytes)];
  for (let tries = 0; tries < triesMax; tries++) {
    readSync(index, first, 0, indexHeaderBytes, 0);
    readSync(index, second, 0, indexHeaderBytes, indexHeaderBytes);
    if (!first.equals(second)) continue;
    const words = new Uint32Array(first.buffer, first.byteOffset, indexHeaderBytes / 4);
    const pageBytes = new Uint16Array(first.buffer, first.byteOffset, indexHeaderBytes / 2)[7]!;
    return {
      commits: words[2]!,
      // 64 KiB do not fit into 16 bits.
      pageBytes: (pageBytes & 0xfe00) | ((pageBytes & 1) << 16),
      frames: words[4]!,
      databasePages: words[5]!,
      salts: first.subarray(32, 40),
    };
  }
  throw new StoreError('The index of the log of the database changes all the time.');
};
