/** Copies the database while it is in use. */
import { accessSync, constants, existsSync, renameSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { WorkDone } from '../../model/work-done.ts';
import { syncDirectory } from '../copies/directory.ts';
import {
  type Database,
  deleteDatabase,
  dropSalts,
  makePrivate,
  openCopy,
  openReader,
  orStoreError,
  StoreError,
} from '../database.ts';
import { damageIn } from './check.ts';

export interface BackupOptions {
  /** Whether a file that is there may be replaced. */
  replace: boolean;
  /** Whether a copy in which damage is found is kept all the same. */
  keepDamaged: boolean;
  /** Whether the copy holds the salt of the day, so that visits go on where it is restored. */
  withSalt: boolean;
  /** Told how far it is; may throw to stop. */
  onStep: (done: WorkDone) => void;
}

export interface BackupReport {
  bytes: number;
  /** Sentences on the damage in it; none unless such a copy was to be kept. */
  problems: string[];
}

/** Pages copied at a time, 8 MiB: in between, signals are heard. */
const stepPages = 2048;

/**
 * Copies the database of a data directory as it is at one moment, though hits keep coming, then
 * reads the whole copy and looks for damage. The file gets its name when it is whole, sound and on
 * disk. Throws StoreError when it is there already, cannot be written, or is damaged.
 */
export const backUp = async (dataDir: string, file: string, options: BackupOptions): Promise<BackupReport> => {
  if (!options.replace && existsSync(file)) throw new StoreError(`${file} is there already: --force replaces it.`);
  if (!existsSync(dirname(file))) throw new StoreError(`There is no directory ${dirname(file)}.`);
  refuseUnwritable(dirname(file));
  const partial = `${file}.partial`;
  deleteDatabase(partial);
  try {
    await copyPages(openReader(dataDir), partial, options.onStep);
    // Visitors of tomorrow need not be known by the salt that there is for them now.
    inCopy(partial, copied => dropSalts(copied, options.withSalt ? ['next_salt'] : undefined));
    const problems = await damageIn(partial, ({ done }) => options.onStep(done));
    if (problems.length > 0 && !options.keepDamaged) {
      throw new StoreError(
        `The copy is damaged, so it was deleted: ${problems[0]} daybook check tells whether the database is; --damaged keeps the copy.`,
      );
    }
    renameSync(partial, file);
    await syncDirectory(dirname(file));
    return { bytes: statSync(file).size, problems };
  } finally {
    deleteDatabase(partial);
  }
};

/** A command mostly runs as another user than the person who types it. */
const refuseUnwritable = (directory: string): void =>
  orStoreError(() => accessSync(directory, constants.W_OK), `${directory} cannot be written by the user of Daybook`);

/** Copies all that a connection reads at one moment to a file, and closes the connection. */
export const copyPages = async (db: Database, file: string, onStep: (done: WorkDone) => void): Promise<void> => {
  makePrivate(file);
  const pageBytes = db.pragma('page_size', { simple: true }) as number;
  try {
    // SQLite starts over when another process writes between two steps, which under load is always.
    // One read transaction prevents that.
    db.exec('begin');
    db.prepare('select count(*) from sqlite_schema').get();
    await db.backup(file, {
      progress({ totalPages, remainingPages }) {
        const [count, of] = [(totalPages - remainingPages) * pageBytes, totalPages * pageBytes];
        onStep({ unit: 'byte', verb: 'copied', count, of });
        return stepPages;
      },
    });
  } finally {
    db.close();
  }
};

const inCopy = (file: string, work: (copy: Database) => void): void => {
  const db = openCopy(file);
  try {
    work(db);
  } finally {
    db.close();
  }
};
