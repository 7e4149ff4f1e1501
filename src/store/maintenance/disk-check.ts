/** Finds out whether a disk that refused a write or a sync can be trusted again. */
import { type Database, StoreError, setLockWait } from '../database.ts';

export type DiskCheck = ReturnType<typeof diskCheck>;

/** More than any free page that an earlier check left could satisfy by itself. */
const probeBytes = 64 * 1024;

export const diskCheck = (db: Database) => {
  const grow = db.prepare(
    `insert into sealed_column (part_id, name, data) values (0, 'disk-check', zeroblob(${probeBytes}))`,
  );
  const shrink = db.prepare('delete from sealed_column where part_id = 0');
  const probe = db.transaction(() => {
    grow.run();
    shrink.run();
  });
  /** Never waits for other programs: the collector asks again in a second. */
  const withoutWaiting = (work: () => void): void => {
    const wait = db.pragma('busy_timeout', { simple: true }) as number;
    setLockWait(db, 0);
    try {
      work();
    } finally {
      setLockWait(db, wait);
    }
  };
  return {
    /**
     * Throws unless the file can grow by some pages and a commit goes through; leaves nothing
     * behind.
     */
    write: () => withoutWaiting(probe.immediate),
    /**
     * Brings everything committed into the database file and starts the log over. After a failed
     * sync nobody knows which pages of the log are on disk, and a log is only good up to its first
     * bad page, so nothing that follows in it could be promised to anyone. Throws when that cannot
     * be done now.
     */
    renewLog: () =>
      withoutWaiting(() => {
        const [{ busy }] = db.pragma('wal_checkpoint(truncate)') as [{ busy: number }];
        if (busy !== 0) throw new StoreError('the log is in use');
      }),
  };
};
