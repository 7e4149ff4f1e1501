/**
 * The salts of the visitor hash: that of the newest day, made at midnight UTC and kept so that a
 * restart changes nobody, and overwritten by the next (docs/collecting.md, "Visitors"). In a
 * cluster the next one is made before its day begins, so that all collectors have it then.
 */
import type { Random } from '../model/ids.ts';
import type { Database } from './database.ts';

export interface DaySalt {
  /** UTC day. */
  day: number;
  salt: Buffer;
}

export interface Salts {
  /** The newest day's salt, or undefined in a new database. */
  newest(): DaySalt | undefined;
  /** The salt that is kept for a day: the newest or the next one. */
  of(day: number): Buffer | undefined;
  /** Puts the salt of a day in the place of any other, of which nothing is left. */
  replace(day: number, salt: Buffer): void;
  /** Keeps the salt of a day that has not begun. */
  keepNext(next: DaySalt): void;
}

const saltBytes = 16;

export const makeSalt = (random: Random): Buffer => Buffer.from(random(saltBytes));

export const salts = (db: Database): Salts => {
  const select = db.prepare('select day, salt from salt');
  const next = db.prepare('select salt from next_salt where day = ? and salt <> zeroblob(length(salt))').pluck();
  const put = (table: string) =>
    db.prepare(
      `insert into ${table} (one, day, salt) values (1, ?, ?)
       on conflict do update set day = excluded.day, salt = excluded.salt`,
    );
  const [replace, keepNext] = [put('salt'), put('next_salt')];
  // A value of the same length is written in its place in the file, where a deleted one would stay.
  const wipe = db.prepare('update next_salt set salt = zeroblob(length(salt)) where day <= ?');
  const newest = () => select.get() as DaySalt | undefined;
  return {
    newest,
    of(day) {
      const kept = newest();
      return kept?.day === day ? kept.salt : (next.get(day) as Buffer | undefined);
    },
    replace: db.transaction((day: number, salt: Buffer) => {
      replace.run(day, salt);
      wipe.run(day);
    }),
    keepNext: ({ day, salt }) => void keepNext.run(day, salt),
  };
};
