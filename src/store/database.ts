/**
 * Opens the SQLite file: pragmas, schema, conversion, and the lock on the data directory. Only this
 * file loads better-sqlite3; statements live beside the tables they touch, in the other files of
 * this folder.
 *
 * One connection writes: the server's main thread, or a command. Every worker thread opens its own,
 * read-only.
 */
import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import Sqlite from 'better-sqlite3';
import { readShipped } from '../package-root.ts';
import { conversionOf, convertedVersion, converting, schemaVersion } from './conversion.ts';
import { prepareLate } from './late-statement.ts';

export type Database = Sqlite.Database;
export type Statement = Sqlite.Statement<unknown[]>;

/** Thrown for what an operator can fix; the message is one clear sentence. */
export class StoreError extends Error {}

/**
 * Does work that an operator may have to make possible. When it fails, it throws StoreError with
 * `problem` and the system's reason.
 */
export const orStoreError = <T>(work: () => T, problem: string): T => {
  try {
    return work();
  } catch (error) {
    throw new StoreError(`${problem}: ${(error as Error).message}`);
  }
};

export const databaseFile = (dataDir: string): string => join(dataDir, 'daybook.db');

/**
 * Opens the database for writing, creating it from schema.sql, or converting an older one
 * after a copy is made. Throws StoreError when the file is of another version, or is no
 * database.
 */
export const openDatabase = (dataDir: string): Database => {
  makeWritable(dataDir);
  const file = databaseFile(dataDir);
  makePrivate(file);
  const db = connect(file, {});
  try {
    // Full auto-vacuum would move pages on every trim; freed pages are simply used again by the
    // next day.
    db.pragma('journal_mode = wal');
    // A commit is synced by the writer itself, off the main thread (openLogSync); SQLite syncs at
    // checkpoints.
    db.pragma('synchronous = normal');
    // Checkpoints are the maintenance worker's, so that no commit has to wait for one.
    db.pragma('wal_autocheckpoint = 0');
    db.pragma('foreign_keys = on');
    bringUpToDate(db);
  } catch (error) {
    db.close();
    throw error;
  }
  return db;
};

/**
 * Makes a directory that is missing, for its owner alone: nobody else on the machine may read what
 * visitors and accounts left behind. Gives the first that it made, as a whole path. Throws
 * StoreError when this process may not write to it: SQLite says then only that it cannot open a
 * file.
 */
export const makeWritable = (dir: string): string | undefined => {
  try {
    const made = mkdirSync(resolve(dir), { recursive: true, mode: 0o700 });
    accessSync(dir, constants.W_OK);
    return made;
  } catch (error) {
    throw unwritable(dir, error);
  }
};

/** Why a directory could not be written, and what to do if only this process may not. */
export const unwritable = (dir: string, error: unknown): StoreError => {
  const { code, message } = readOnlyError(resolve(dir)) ?? (error as NodeJS.ErrnoException);
  const unit =
    ' Either the disk is read-only, or systemd lets the server write only what ReadWritePaths of its unit names.';
  return new StoreError(`${dir} cannot be written: ${message}${code === 'EROFS' ? `.${unit}` : ''}`);
};

/** Of a directory below a read-only file system Node says only that one above it is missing. */
const readOnlyError = (dir: string): NodeJS.ErrnoException | undefined => {
  try {
    accessSync(nearestExisting(dir), constants.W_OK);
    return undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EROFS' ? (error as NodeJS.ErrnoException) : undefined;
  }
};

/** The path, or the directory in which it will be made. */
export const nearestExisting = (path: string): string => (existsSync(path) ? path : nearestExisting(dirname(path)));

/**
 * Closes a file of the database to other users, whatever its directory and the umask, and makes it
 * if it is missing. SQLite gives its log the same permissions.
 */
export const makePrivate = (file: string): void => {
  // A file that is there is not opened: closing it would drop SQLite's locks on it.
  if (!existsSync(file)) {
    orStoreError(() => closeSync(openSync(file, 'a', 0o600)), `${file} cannot be written`);
    return;
  }
  for (const open of openToOthers(file)) {
    try {
      chmodSync(open, 0o600);
    } catch {
      // Another user's file, or a file system without permissions: daybook doctor tells.
    }
  }
};

/** Which files of a database other users may read or write. */
export const openToOthers = (file: string): string[] =>
  [file, `${file}-wal`, `${file}-shm`, `${file}-sync`].filter(
    name => ((statSync(name, { throwIfNoEntry: false })?.mode ?? 0) & 0o077) !== 0,
  );

/**
 * How long a connection waits while another program writes; ten seconds when it is opened. The
 * server's keeps every hit waiting meanwhile, so it waits less.
 */
export const setLockWait = (db: Database, ms: number): void => {
  db.pragma(`busy_timeout = ${ms}`);
};

/**
 * Whether nothing could be written because another program held the file, and not because of what
 * was to be written.
 */
export const isLocked = (error: unknown): boolean =>
  String((error as { code?: unknown } | null)?.code).startsWith('SQLITE_BUSY');

/**
 * Opens an existing database for a reading thread. The file is not mapped into memory: each
 * thread's mapped pages would count as memory of the process, and reading is hardly slower.
 */
export const openReader = (dataDir: string): Database => {
  const db = connect(databaseFile(dataDir), { readonly: true });
  db.pragma('cache_size = -8192');
  return db;
};

/** Opens a copy of a database, which nobody else uses, to look at what is in it. */
export const openCopy = (file: string): Database => connect(file, { fileMustExist: true });

/** Tells files of hits that were taken out (moved-hits/) from any other database. */
const removalFileId = 0x44425231;

/** Opens such a file. What is committed is on disk. */
export const openRemovalFile = (file: string): Database => {
  if (!existsSync(file)) throw new StoreError(`There is no file ${file}.`);
  const db = connect(file, { fileMustExist: true });
  try {
    if (db.pragma('application_id', { simple: true }) !== removalFileId)
      throw new StoreError(`${file} holds no hits that were taken out.`);
    db.pragma('synchronous = extra');
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
};

export type Checkpointer = ReturnType<typeof openCheckpointer>;

/** A connection for checkpoints alone, for a thread that may be slow. It writes nothing else. */
export const openCheckpointer = (dataDir: string) => {
  const db = connect(databaseFile(dataDir), { timeout: 0 });
  db.pragma('synchronous = normal');
  return {
    /**
     * Copies the log into the database file, as far as readers allow; with `truncate` it then
     * empties the log file. Never waits for others. Gives the pages that were in the log, or null
     * when another checkpoint or a reader was in the way.
     */
    run(truncate: boolean) {
      const [row] = db.pragma(`wal_checkpoint(${truncate ? 'truncate' : 'passive'})`) as [
        { busy: number; log: number },
      ];
      return row.busy !== 0 || row.log < 0 ? null : row.log;
    },
    close: () => void db.close(),
  };
};

/**
 * A private database that spills to a temporary file and goes when it is closed, or with the
 * process: for work that may not fit into memory. `cacheBytes` of it may stay there. The file is on
 * the disk of another database, the one that the operator knows of. It has no name.
 */
export const openScratch = (beside: Database, cacheBytes = 64 * 1024 * 1024): Database =>
  inScratchDir(dirname(beside.name), dir => {
    const db = new Sqlite(join(dir, 'scratch.db'));
    db.pragma('journal_mode = off');
    db.pragma('locking_mode = exclusive');
    db.pragma('synchronous = off');
    // From the first lock on the file needs its name no more.
    db.exec('begin exclusive; commit');
    db.pragma(`cache_size = -${cacheBytes / 1024}`);
    return db;
  });

/** Opens a file that has no name and goes with the process: its directory is deleted at once. */
export const inScratchDir = <T>(dataDir: string, open: (dir: string) => T): T =>
  orStoreError(() => {
    const dir = mkdtempSync(join(dataDir, 'scratch-'));
    try {
      return open(dir);
    } finally {
      rmSync(dir, { recursive: true });
    }
  }, `A temporary file in ${dataDir} cannot be written`);

/** Whether the directory holds a database already. */
export const databaseExists = (dataDir: string): boolean => existsSync(databaseFile(dataDir));

const connect = (file: string, options: Sqlite.Options): Database =>
  orStoreError(() => {
    const db = new Sqlite(file, { timeout: 10_000, ...options });
    db.pragma('user_version'); // reads the header, so that a file that is no database is found here
    prepareLate(db);
    return db;
  }, `${file} cannot be opened`);

const bringUpToDate = (db: Database): void => {
  if (db.pragma('user_version', { simple: true }) === 0) {
    db.transaction(() => {
      db.exec(readShipped('schema.sql').toString());
      db.pragma(`user_version = ${schemaVersion}`);
    }).immediate();
    return;
  }
  if (!isOlder(db)) return;
  const copy = copyBefore(db.name);
  if (!existsSync(copy)) copyBeforeConversion(db, copy);
  for (const _ of converting(db));
};

/** Whether the file is of a version that is converted. Throws StoreError where it is of another. */
const isOlder = (db: Database): boolean => {
  const found = db.pragma('user_version', { simple: true }) as number;
  if (found > schemaVersion)
    throw new StoreError(
      `${db.name} was written by a newer Daybook (its schema is version ${found}, this program knows ${schemaVersion}): update Daybook, or restore a backup.`,
    );
  if (found < convertedVersion)
    throw new StoreError(
      `${db.name} was written by an early Daybook (its schema is version ${found}, this program reads ${convertedVersion} to ${schemaVersion}). No release has that schema: start Daybook 0.1.0 on it once, then this program.`,
    );
  if (found < schemaVersion && hasRemovedHits(db))
    throw new StoreError(
      `${db.name} has hits that were removed before Daybook 0.1.0: start Daybook 0.1.0 on it once, then this program.`,
    );
  return found < schemaVersion;
};

/** What 0.1.0 moves to files when it starts. */
const hasRemovedHits = (db: Database): boolean =>
  db.prepare(`select 1 from sqlite_master where name = 'removed_hits'`).get() !== undefined &&
  db.prepare('select 1 from removed_hits limit 1').get() !== undefined;

/** Where the file is kept as it was before it was converted. */
export const copyBefore = (file: string): string => `${file}.before-version-${schemaVersion}`;

/** What opening a database with this program would change. */
export interface Upgrade {
  /** Versions of the schema: of the file, and of this program. */
  from: number;
  to: number;
  /** What changes and why, in a sentence; null for nothing. */
  change: string | null;
}

/** Throws StoreError as openDatabase does. */
export const upgradeOf = (dataDir: string): Upgrade => {
  const db = openReader(dataDir);
  try {
    const from = db.pragma('user_version', { simple: true }) as number;
    return { from, to: schemaVersion, change: isOlder(db) ? conversionOf(from) : null };
  } finally {
    db.close();
  }
};

/**
 * The copy is made by SQLite itself, so it is consistent and takes in what is still in the log. It
 * gets its name when it is whole.
 */
const copyBeforeConversion = (db: Database, copy: string): void => {
  const partial = `${copy}.partial`;
  deleteDatabase(partial);
  makePrivate(partial);
  db.prepare('vacuum into ?').run(partial);
  const copied = openCopy(partial);
  dropSalts(copied);
  copied.close();
  renameSync(partial, copy);
};

type SaltTable = 'salt' | 'next_salt';

/**
 * Takes the salts out of a copy, byte for byte. Whoever had one, and the visitors of its day, could
 * tell whether somebody with a known address and browser was among them. A server that goes on with
 * the copy makes another.
 */
export const dropSalts = (copy: Database, names: readonly SaltTable[] = ['salt', 'next_salt']): void => {
  // What is deleted is overwritten with zeros, and so is the rest of its page.
  copy.pragma('secure_delete = on');
  for (const table of names) copy.exec(`delete from ${table}`);
};

/** Deletes the file of a database that nobody uses, and the files that SQLite keeps beside it. */
export const deleteDatabase = (file: string): void => {
  for (const ending of ['', '-wal', '-shm', '-journal', '-sync']) rmSync(file + ending, { force: true });
};

/**
 * Counts up whenever another connection changes the file. A running server notices by it what a
 * command did.
 */
export const changeCounter = (db: Database): (() => number) => {
  const statement = db.prepare('pragma data_version').pluck();
  return () => statement.get() as number;
};

/** Of the write-ahead log's file; both are 0 where there is none. */
export interface LogState {
  bytes: number;
  /** When it was last written to, by the file system's clock. */
  changedAt: number;
}

export const logState = (db: Database): LogState => {
  const stats = statSync(`${db.name}-wal`, { throwIfNoEntry: false });
  return { bytes: stats?.size ?? 0, changedAt: stats?.mtimeMs ?? 0 };
};

/**
 * Holds the data directory for this process until it ends, however it ends. Throws StoreError when
 * another process holds it.
 */
export const lockDataDir = (dataDir: string): (() => void) =>
  lock(dataDir, lockName, `${dataDir} is in use by a running Daybook: stop it first.`);

const lockName = 'daybook.lock';

/** What lockDataDir leaves in a directory. */
export const lockFileIn = (dataDir: string): string => join(dataDir, lockName);

/** As lockDataDir, for imports and what puts removed hits back: one at a time writes days. */
export const lockImports = (dataDir: string): (() => void) =>
  lock(dataDir, 'import.lock', 'Hits are being imported or put back: wait until that is done.');

/** An exclusive transaction on an empty database beside the real one. */
const lock = (dataDir: string, name: string, problem: string): (() => void) => {
  makeWritable(dataDir);
  const file = join(dataDir, name);
  makePrivate(file);
  const lock = new Sqlite(file, { timeout: 0 });
  try {
    lock.exec('begin exclusive');
  } catch {
    lock.close();
    throw new StoreError(problem);
  }
  return () => lock.close();
};
