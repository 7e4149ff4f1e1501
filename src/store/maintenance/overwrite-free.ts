/** Has a database file and its log hold nothing but what is in the database. */
import type { Database } from '../database.ts';

/**
 * Writes the whole file anew, as freed pages keep what was in them. Takes as much room on the disk
 * as the database, until it is done. Only while nobody else has it open.
 */
export const overwriteFree = (db: Database): void => {
  db.exec('vacuum');
  db.pragma('wal_checkpoint(truncate)');
};
