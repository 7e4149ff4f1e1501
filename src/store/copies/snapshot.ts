/** Reads pages of the database as of one moment, while hits keep coming. */
import { openSync, readSync } from 'node:fs';
import { type Database, openReader } from '../database.ts';
import { type LogScan, openLogScan } from './wal.ts';

/** The database as it is at one moment. */
export interface Snapshot {
  /** How many pages it has; the first is 1. */
  readonly pages: number;
  /** Pages that are in the log. What changed lately is among them. */
  readonly inLog: Iterable<number>;
  /** The content of a page. The salt of the day is left out. */
  page(number: number): Buffer;
}

export interface SnapshotReader {
  readonly pageBytes: number;
  /**
   * Runs `work` on a snapshot and gives what it gives. It runs again when the log started over
   * meanwhile, so it must be as if it had not run before.
   */
  read<T>(work: (snapshot: Snapshot) => T): T;
  close(): void;
}

/** More often in a row the log does not start over. */
const triesMax = 5;

/**
 * Opens a database that a server writes to. While a read transaction is open, a checkpoint puts no
 * page into the file that is newer than the transaction, and the log keeps what is newer. So newest
 * pages of the log and, for all others, the file make one moment.
 *
 * The file's descriptor stays open until the process ends: closing it would drop the locks that
 * SQLite holds on it. The thread must be one that does not close it either.
 */
export const openSnapshots = (dataDir: string): SnapshotReader => {
  const db = openReader(dataDir);
  const log = openLogScan(db.name);
  const file = openSync(db.name, 'r');
  const pageBytes = db.pragma('page_size', { simple: true }) as number;

  const attempt = <T>(work: (snapshot: Snapshot) => T): { result: T } | null => {
    db.exec('begin');
    try {
      const saltPage = saltPageOf(db);
      log.read();
      const pages = log.databasePages() ?? pagesOf(file);
      const result = work({
        pages,
        inLog: log.pages.keys(),
        page: number => (number === saltPage ? emptyPage(pageBytes) : readPage(log, file, number, pageBytes)),
      });
      return log.isSame() ? { result } : null;
    } finally {
      db.exec('rollback');
    }
  };

  return {
    pageBytes,
    read(work) {
      for (let tries = 0; tries < triesMax; tries++) {
        const done = attempt(work);
        if (done !== null) return done.result;
      }
      throw new Error('the log of the database starts over all the time');
    },
    close() {
      log.close();
      db.close();
    },
  };
};

/** Begins the transaction, too: SQLite does that with the first question. */
const saltPageOf = (db: Database): number =>
  db.prepare(`select rootpage from sqlite_schema where name = 'salt'`).pluck().get() as number;

const readPage = (log: LogScan, file: number, page: number, pageBytes: number): Buffer => {
  const content = Buffer.allocUnsafe(pageBytes);
  const place = log.pages.get(page);
  if (place !== undefined) log.copyPage(place, content);
  else readSync(file, content, 0, pageBytes, (page - 1) * pageBytes);
  return content;
};

/** The number of pages stands in the header of the file. */
const pagesOf = (file: number): number => {
  const count = Buffer.alloc(4);
  readSync(file, count, 0, 4, 28);
  return count.readUInt32BE(0);
};

/** A table's page without rows. The table of the salt has one row, so its first page is all of it. */
const emptyPage = (pageBytes: number): Buffer => {
  const page = Buffer.alloc(pageBytes);
  page[0] = 0x0d;
  page.writeUInt16BE(pageBytes & 0xffff, 5);
  return page;
};
