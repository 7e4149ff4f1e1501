/** Copies the database while it is in use. */
import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { openReader, StoreError } from '../database.ts';

export interface BackupOptions {
  /** Whether a file that is there may be replaced. */
  replace: boolean;
  /** Told how much is done, 0 to 1; may throw to stop. */
  onStep: (part: number) => void;
}

/** Pages copied at a time, 8 MiB: in between, signals are heard. */
const stepPages = 2048;

/**
 * Copies the database of a data directory as it is at one moment, though hits keep coming. The file gets its name when it is whole and on disk:
 * what has the name is a backup. Resolves to its size in bytes; throws StoreError when it is there already or cannot be written.
 */
export const backUp = async (dataDir: string, file: string, { replace, onStep }: BackupOptions): Promise<number> => {
  if (!replace && existsSync(file)) throw new StoreError(`${file} is there already: --force replaces it.`);
  if (!existsSync(dirname(file))) throw new StoreError(`There is no directory ${dirname(file)}.`);
  const partial = `${file}.partial`;
  rmSync(partial, { force: true });
  const db = openReader(dataDir);
  try {
    // SQLite begins anew when another process writes between two steps, which under load is always; not so within one read transaction.
    db.exec('begin');
    db.prepare('select count(*) from account').get();
    await db.backup(partial, {
      progress({ totalPages, remainingPages }) {
        onStep(totalPages === 0 ? 0 : 1 - remainingPages / totalPages);
        return stepPages;
      },
    });
    renameSync(partial, file);
    syncDirectory(dirname(file));
  } finally {
    db.close();
    rmSync(partial, { force: true });
  }
  return statSync(file).size;
};

/** Without this, a power cut may take the name away again. */
const syncDirectory = (directory: string): void => {
  const descriptor = openSync(directory, 'r');
  fsyncSync(descriptor);
  closeSync(descriptor);
};
