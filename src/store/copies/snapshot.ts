/** Reads pages of the database as of one moment, while hits keep coming. */
import { openSync, readSync } from 'node:fs';
import { type Database, openReader } from '../database.ts';
import { followLog } from './page-watch.ts';
import { type LogScan, openLogScan } from './wal.ts';

/** The database as it is at one moment. */
export interface Snapshot {
  /** How many pages it has; the first is 1. */
  readonly pages: number;
  /** The content of a page. The salts are left out. */
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

export interface SnapshotOptions {
  dataDir: string;
  /** Bits of pages that changed (page-watch.ts). */
  changed: SharedArrayBuffer;
  /** Called with each page that was committed to the log, before the work that sees it begins. */
  found: (page: number) => void;
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
export const openSnapshots = ({ dataDir, changed, found }: SnapshotOptions): SnapshotReader => {
  const db = openReader(dataDir);
  const log = openLogScan(db.name);
  const file = openSync(db.name, 'r');
  const pageBytes = db.pragma('page_size', { simple: true }) as number;
  const contentOf = (page: number): Buffer => readPage(log, file, page, pageBytes);

  const attempt = <T>(work: (snapshot: Snapshot) => T): { result: T } | null => {
    db.exec('begin');
    try {
      const saltPages = saltPagesOf(db);
      followLog(log, changed, found);
      // Tables may have moved between the two: then the salts are on other pages.
      if (contentOf(1).readUInt32BE(schemaVersionAt) !== db.pragma('schema_version', { simple: true })) return null;
      const result = work({
        pages: log.databasePages() ?? contentOf(1).readUInt32BE(pageCountAt),
        page: number => (saltPages.includes(number) ? emptyPage(pageBytes) : contentOf(number)),
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

/** Where the header of the file, which is in its first page, has these numbers. */
const pageCountAt = 28;
const schemaVersionAt = 40;

/** Begins the transaction, too: SQLite does that with the first question. */
const saltPagesOf = (db: Database): number[] =>
  db.prepare(`select rootpage from sqlite_schema where name in ('salt', 'next_salt')`).pluck().all() as number[];

/** What the file lacks is zeros, as to SQLite. */
const readPage = (log: LogScan, file: number, page: number, pageBytes: number): Buffer => {
  const content = Buffer.alloc(pageBytes);
  const place = log.pages.get(page);
  if (place !== undefined) log.copyPage(place, content);
  else readSync(file, content, 0, pageBytes, (page - 1) * pageBytes);
  return content;
};

/** A table's page without rows. A table of a salt has one row, so its first page is all of it. */
const emptyPage = (pageBytes: number): Buffer => {
  const page = Buffer.alloc(pageBytes);
  page[0] = 0x0d;
  page.writeUInt16BE(pageBytes & 0xffff, 5);
  return page;
};
