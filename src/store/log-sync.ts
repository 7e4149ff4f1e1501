/** Syncs the write-ahead log to disk, and makes sure that the disk was still well afterwards. */
import { closeSync, fdatasync, ftruncateSync, openSync } from 'node:fs';
import type { Database } from './database.ts';

export interface LogSync {
  /**
   * Resolves when everything committed so far is on disk, rejects when the disk refused. The sync
   * runs in libuv's thread pool, and does not block the event loop.
   */
  sync(): Promise<void>;
  close(): void;
}

/**
 * Only ever the `-wal` file is opened here: closing a descriptor of the database file itself would
 * drop SQLite's POSIX locks on it.
 *
 * When ext4 fails in the middle of a sync, `fdatasync` sometimes succeeds although what it should
 * have written is lost: the journal's transaction was dropped and is not asked for any more. So
 * after each sync the length of another file is changed. That begins a transaction in the journal,
 * which a journal that has failed refuses. A second sync does not notice it each time.
 */
export const openLogSync = (db: Database): LogSync => {
  db.transaction(() => {}).immediate(); // an empty write makes sure that the log exists
  const log = openSync(`${db.name}-wal`, 'r+');
  const witness = openSync(`${db.name}-sync`, 'w', 0o600);
  let length = 0;

  const throwIfDiskFailed = (): void => {
    length = 1 - length;
    ftruncateSync(witness, length);
  };
  return {
    sync: () =>
      new Promise((resolve, reject) =>
        fdatasync(log, error => {
          try {
            if (error !== null) throw error;
            throwIfDiskFailed();
            resolve();
          } catch (problem) {
            reject(problem);
          }
        }),
      ),
    close() {
      closeSync(log);
      closeSync(witness);
    },
  };
};
