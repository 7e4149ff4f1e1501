/**
 * What a sign-in gives: random tokens that browsers and programs keep. Here are only
 * their digests, so whoever reads the file or a copy of it can make none.
 */
import { dayMs, hourMs, minuteMs } from '../../model/time.ts';
import type { Database } from '../database.ts';
import { digestOf } from './digest.ts';

/** A login that is not used for so long is over. */
export const loginIdleMs = 30 * dayMs;
/** Browsers keep no cookie for longer. */
export const knownIdleMs = 400 * dayMs;

/**
 * Each kind has a number for itself: one person may have so many of them at a time, and a further
 * one ends the one that was longest unused. So a widget that signs in each minute ends nobody's
 * login to the dashboard.
 */
const kinds = {
  /** A browser that is signed in to the dashboard. */
  browser: { idleMs: loginIdleMs, max: 100 },
  /** A program that signed in by password and keeps no cookie. Some sign in for each question. */
  program: { idleMs: loginIdleMs, max: 1000 },
  /** A browser that has signed in before (known-browsers.ts). It is not signed in by that. */
  known: { idleMs: knownIdleMs, max: 100 },
} as const;
export type LoginKind = keyof typeof kinds;

/**
 * The use of a login is written down at most this often, so that looking at a page does not become
 * writing.
 */
const stampMs = hourMs;
/** After a stamp that failed, the next is tried this much later: each may wait for the disk. */
const retryMs = minuteMs;

export interface Logins {
  /**
   * The person that a token of this kind is for; undefined when it is unknown or over. Each use
   * makes it last longer.
   */
  use(kind: LoginKind, token: string, now: number): number | undefined;
  begin(kind: LoginKind, personId: number, token: string, now: number): void;
  end(kind: LoginKind, token: string): void;
  /** Ends all of one kind that a person has. */
  endKind(kind: LoginKind, personId: number): void;
  /** Ends all that a person has, of every kind, or all but the one of this token. */
  endAll(personId: number, butToken?: string): void;
}

export const logins = (db: Database): Logins => {
  const find = db.prepare('select person_id as personId, used_at as usedAt from login where digest = ? and kind = ?');
  const stamp = db.prepare('update login set used_at = ? where digest = ?');
  const insert = db.prepare(
    'insert into login (kind, digest, person_id, used_at, begun_at, confirmed_at) values (?, ?, ?, ?, ?, ?)',
  );
  const end = db.prepare('delete from login where digest = ? and kind = ?');
  const endKind = db.prepare('delete from login where person_id = ? and kind = ?');
  const endAll = db.prepare('delete from login where person_id = ? and digest <> ?');
  const endIdle = db.prepare('delete from login where kind = ? and used_at <= ?');
  const endSurplus = db.prepare(
    `delete from login where digest in
     (select digest from login where person_id = ? and kind = ? order by used_at desc limit -1 offset ?)`,
  );
  let stampFrom = Number.NEGATIVE_INFINITY;
  const writeStamp = (digest: Buffer, now: number): void => {
    if (now < stampFrom) return;
    try {
      stamp.run(now, digest);
    } catch {
      // The login lasts from the stamp before. A full disk must not keep anybody from reading.
      stampFrom = now + retryMs;
    }
  };
  return {
    use(kind, token, now) {
      const digest = digestOf(token);
      const login = find.get(digest, kind) as { personId: number; usedAt: number } | undefined;
      if (login === undefined || login.usedAt <= now - kinds[kind].idleMs) return undefined;
      if (login.usedAt <= now - stampMs) writeStamp(digest, now);
      return login.personId;
    },
    begin: db.transaction((kind: LoginKind, personId: number, token: string, now: number) => {
      const { idleMs, max } = kinds[kind];
      endIdle.run(kind, now - idleMs);
      endSurplus.run(personId, kind, max - 1);
      insert.run(kind, digestOf(token), personId, now, now, now);
    }),
    end(kind, token) {
      end.run(digestOf(token), kind);
    },
    endKind(kind, personId) {
      endKind.run(personId, kind);
    },
    endAll(personId, butToken) {
      endAll.run(personId, butToken === undefined ? Buffer.alloc(0) : digestOf(butToken));
    },
  };
};
