/**
 * Writing whole days at once, as the demo does: a day with all that was found out of it is there,
 * or nothing of it.
 */
import type { Database } from '../database.ts';
import type { SiteDay } from './open/open-days.ts';
import { atOnce, type SealedDay, sealDay, sealer } from './seal.ts';

export interface WholeDays {
  /** UTC days of a site that are sealed. */
  sealed(siteId: number): Set<number>;
  /**
   * Keeps what `work` writes when it resolves and drops it when it rejects or the process ends.
   * Other processes can't write meanwhile.
   */
  write<T>(work: () => Promise<T>): Promise<T>;
  /**
   * Seals a finished day, with hits or without, and drops its rows. To be called inside `write`.
   */
  seal(siteDay: SiteDay, now: number): SealedDay;
  /** Moves the log into the database file, so that it does not grow with every day. */
  checkpoint(): void;
}

/** `partHitsMax` bounds the parts that a day is sealed in. */
export const wholeDays = (db: Database, partHitsMax?: number): WholeDays => {
  const sealedDays = db
    .prepare('select day from day_part where site_id = ? and import_id = 0 and sealed_at is not null')
    .pluck();
  const seal = sealer(db);
  return {
    sealed: siteId => new Set(sealedDays.all(siteId) as number[]),
    async write(work) {
      db.exec('begin immediate');
      try {
        const result = await work();
        db.exec('commit');
        return result;
      } catch (error) {
        // Some errors, a full disk for one, have SQLite roll back by itself.
        if (db.inTransaction) db.exec('rollback');
        throw error;
      }
    },
    seal(siteDay, now) {
      const sealed = atOnce(sealDay(db, seal, siteDay, now, partHitsMax));
      for (const _ of seal.trim());
      return sealed;
    },
    checkpoint() {
      db.pragma('wal_checkpoint(truncate)');
    },
  };
};
