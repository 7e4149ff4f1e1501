/**
 * Reads SQLite's write-ahead log, to learn which pages changed and where their newest content is.
 * The format is SQLite's own and stable: https://www.sqlite.org/fileformat2.html#walformat
 */
import { closeSync, openSync, readSync } from 'node:fs';

/** Where a log stands: it starts over with other salts. */
export interface LogScan {
  /**
   * Reads what was committed since the last call. Tells whether the log started over since then,
   * and whether it did so more than once: what stood in between was never seen.
   */
  read(): { startedOver: boolean; missedSome: boolean };
  /** Whether the log is still the one that was read, and not started over since. */
  isSame(): boolean;
  /** Page numbers with the place in the log file of their newest committed content. */
  readonly pages: ReadonlyMap<number, number>;
  /** Pages of the database as of the newest commit in the log; null when it has none. */
  databasePages(): number | null;
  /** Copies a page's content from its place in the log. */
  copyPage(place: number, target: Buffer): void;
  close(): void;
}

const headerBytes = 32;
const frameHeaderBytes = 24;
/** Magic number of a log whose checksums read words in big-endian order; one less is little. */
const magicBigEndian = 0x377f0683;

interface LogHeader {
  pageBytes: number;
  bigEndian: boolean;
  sequence: number;
  /** Both salts, as the bytes that every valid frame repeats. */
  salts: Buffer;
  sum: readonly [number, number];
}

/** Opens the log of a database file. It exists as long as a connection is open. */
export const openLogScan = (databaseFile: string): LogScan => {
  const descriptor = openSync(`${databaseFile}-wal`, 'r');
  const pages = new Map<number, number>();
  let header: LogHeader | null = null;
  let end = headerBytes;
  let sum: readonly [number, number] = [0, 0];
  let databasePages: number | null = null;
  const head = Buffer.alloc(headerBytes);

  const readHeader = (): LogHeader | null =>
    readSync(descriptor, head, 0, headerBytes, 0) < headerBytes ? null : headerOf(head);

  const startOver = (next: LogHeader): void => {
    pages.clear();
    [header, end, sum, databasePages] = [next, headerBytes, next.sum, null];
  };

  /** Reads frames up to the last whole commit; what comes after it may still be overwritten. */
  const readFrames = (log: LogHeader): void => {
    const frameBytes = frameHeaderBytes + log.pageBytes;
    const frame = Buffer.alloc(frameBytes);
    let [place, running] = [end, sum];
    const pending: [number, number][] = [];
    while (readSync(descriptor, frame, 0, frameBytes, place) === frameBytes) {
      if (frame.compare(log.salts, 0, 8, 8, 16) !== 0) break;
      running = checksum(frame, 0, 8, log.bigEndian, running);
      running = checksum(frame, frameHeaderBytes, frameBytes, log.bigEndian, running);
      if (frame.readUInt32BE(16) !== running[0] || frame.readUInt32BE(20) !== running[1]) break;
      pending.push([frame.readUInt32BE(0), place + frameHeaderBytes]);
      place += frameBytes;
      const committed = frame.readUInt32BE(4);
      if (committed === 0) continue;
      for (const [page, at] of pending) pages.set(page, at);
      pending.length = 0;
      [end, sum, databasePages] = [place, running, committed];
    }
  };

  const isSame = (): boolean => {
    const now = readHeader();
    return now === null ? header === null : header !== null && now.salts.equals(header.salts);
  };

  return {
    pages,
    isSame,
    read() {
      const now = readHeader();
      const before = header;
      if (now === null) {
        pages.clear();
        [header, databasePages] = [null, null];
        return { startedOver: before !== null, missedSome: false };
      }
      const startedOver = before === null || !now.salts.equals(before.salts);
      if (startedOver) startOver(now);
      readFrames(now);
      return { startedOver, missedSome: startedOver && before !== null && now.sequence !== before.sequence + 1 };
    },
    databasePages: () => databasePages,
    copyPage(place, target) {
      readSync(descriptor, target, 0, target.length, place);
    },
    close: () => closeSync(descriptor),
  };
};

/** Null for a header that is being written, or is of no log. */
const headerOf = (head: Buffer): LogHeader | null => {
  const magic = head.readUInt32BE(0);
  const bigEndian = magic === magicBigEndian;
  if (!bigEndian && magic !== magicBigEndian - 1) return null;
  const sum = checksum(head, 0, 24, bigEndian, [0, 0]);
  if (sum[0] !== head.readUInt32BE(24) || sum[1] !== head.readUInt32BE(28)) return null;
  return {
    pageBytes: head.readUInt32BE(8),
    bigEndian,
    sequence: head.readUInt32BE(12),
    salts: Buffer.from(head.subarray(16, 24)),
    sum,
  };
};

/** SQLite's checksum goes on from frame to frame, so each proves all before it. */
const checksum = (
  bytes: Buffer,
  from: number,
  to: number,
  bigEndian: boolean,
  [first, second]: readonly [number, number],
): readonly [number, number] => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let [a, b] = [first, second];
  for (let at = from; at < to; at += 8) {
    a = (a + view.getUint32(at, !bigEndian) + b) >>> 0;
    b = (b + view.getUint32(at + 4, !bigEndian) + a) >>> 0;
  }
  return [a, b];
};
