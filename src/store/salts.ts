/**
 * The salt of the visitor hash: made at midnight UTC, kept so that a restart changes nobody, and
 * overwritten by the next (docs/collecting.md, "Visitors").
 */
import type { Database } from './database.ts';

export interface Salts {
  /** The newest day's salt, or undefined in a new database. */
  newest(): { day: number; salt: Buffer } | undefined;
  /** Puts the salt of a day in the place of any other. */
  replace(day: number, salt: Buffer): void;
}

export const salts = (db: Database): Salts => {
  const select = db.prepare('select day, salt from salt');
  const replace = db.prepare(
    'insert into salt (one, day, salt) values (1, ?, ?) on conflict do update set day = excluded.day, salt = excluded.salt',
  );
  return {
    newest: () => select.get() as { day: number; salt: Buffer } | undefined,
    replace(day, salt) {
      replace.run(day, salt);
    },
  };
};
