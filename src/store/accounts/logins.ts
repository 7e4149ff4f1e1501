/**
 * What a sign-in gives: random tokens that browsers and programs keep. Here are only
 * their digests, so whoever reads the file or a copy of it can make none.
 */
import { dayMs, hourMs, minuteMs } from '../../model/time.ts';
import type { Database } from '../database.ts';
import { digestOf } from './digest.ts';

/** Browsers keep no cookie for longer. */
export const knownIdleMs = 400 * dayMs;
/** A program’s login that is not used for so long is over. */
const programIdleMs = 30 * dayMs;

/** How long somebody stays signed in, in milliseconds. */
export interface LoginBounds {
  /** Without use. */
  idleMs: number;
  /** However much they do; null for ever. */
  maxMs: number | null;
  /** The same for somebody who came from a provider. */
  providerMs: number;
}
export const usualBounds: LoginBounds = { idleMs: 30 * dayMs, maxMs: null, providerMs: 12 * hourMs };

/**
 * Each kind has a number for itself: one person may have so many of them at a time, and a further
 * one ends the one that was longest unused. So a widget that signs in each minute ends nobody's
 * login to the dashboard.
 */
const kinds = {
  /** A browser that is signed in to the dashboard. */
  browser: { max: 100 },
  /** A program that signed in by password and keeps no cookie. Some sign in for each question. */
  program: { max: 1000 },
  /** A browser that has signed in before (known-browsers.ts). It is not signed in by that. */
  known: { max: 100 },
} as const;
export type LoginKind = keyof typeof kinds;

const loginMethods = ['password', 'passkey', 'oidc', 'link'] as const;
export type LoginMethod = (typeof loginMethods)[number];

/** How somebody came in. */
export interface LoginOrigin {
  method: LoginMethod;
  /** Of the browser, for the person’s list: Firefox, Linux. */
  label: string;
  /** Of the session at a provider. */
  sid?: string | undefined;
}

/** What a token gives. */
export interface LoginUse {
  personId: number;
  method: LoginMethod;
  /** When the person last proved who they are, in UTC milliseconds. */
  confirmedAt: number;
}

/** After a stamp that failed, the next is tried this much later: each may wait for the disk. */
const retryMs = minuteMs;

export interface Logins {
  /** When a person was last seen in the dashboard, to the hour; null for never or long ago. */
  lastUsed(personId: number): number | null;
  /**
   * Whose a token of this kind is; undefined when it is unknown or over. Each use makes it last
   * longer.
   */
  use(kind: LoginKind, token: string, now: number): LoginUse | undefined;
  begin(kind: LoginKind, personId: number, token: string, now: number, origin?: LoginOrigin): void;
  /** The same login under another token, of somebody who has proved who they are. */
  confirm(token: string, newToken: string, now: number): void;
  end(kind: LoginKind, token: string): void;
  endKind(kind: LoginKind, personId: number): void;
  /**
   * Ends all that a person has, of every kind, or all but the one of this token; and the access
   * that they gave to programs.
   */
  endAll(personId: number, butToken?: string): void;
}

export const logins = (db: Database, bounds: LoginBounds = usualBounds): Logins => {
  const idleMs: Record<LoginKind, number> = { browser: bounds.idleMs, program: programIdleMs, known: knownIdleMs };
  const find = db.prepare(
    `select person_id as personId, used_at as usedAt, begun_at as begunAt, confirmed_at as confirmedAt, method
     from login where digest = ? and kind = ?`,
  );
  const lastUsed = db.prepare(`select max(used_at) from login where person_id = ? and kind = 'browser'`).pluck();
  const stamp = db.prepare('update login set used_at = ? where digest = ?');
  const insert = db.prepare(
    `insert into login (kind, digest, person_id, used_at, begun_at, confirmed_at, method, label, sid)
     values (@kind, @digest, @personId, @now, @now, @now, @method, @label, @sid)`,
  );
  const confirm = db.prepare('update login set digest = ?, confirmed_at = ? where digest = ?');
  const end = db.prepare('delete from login where digest = ? and kind = ?');
  const endKind = db.prepare('delete from login where person_id = ? and kind = ?');
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
  /**
   * The use of a login is written down at most this often, so that looking at a page does not
   * become writing.
   */
  const stampMs = Math.min(hourMs, bounds.idleMs / 10);
  const isOver = (kind: LoginKind, login: LoginRow, now: number): boolean =>
    kind === 'browser' ? isBrowserOver(login, bounds, now) : login.usedAt <= now - idleMs[kind];
  return {
    use(kind, token, now) {
      const digest = digestOf(token);
      const login = find.get(digest, kind) as LoginRow | undefined;
      if (login === undefined || isOver(kind, login, now)) return undefined;
      if (login.usedAt <= now - stampMs) writeStamp(digest, now);
      const { personId, method, confirmedAt } = login;
      return { personId, method, confirmedAt };
    },
    lastUsed: personId => lastUsed.get(personId) as number | null,
    begin: db.transaction((kind: LoginKind, personId: number, token: string, now: number, origin = noOrigin) => {
      endIdle.run(kind, now - idleMs[kind]);
      endSurplus.run(personId, kind, kinds[kind].max - 1);
      const { method, label, sid = null } = origin;
      insert.run({ kind, digest: digestOf(token), personId, now, method, label, sid });
    }),
    confirm: (token, newToken, now) => void confirm.run(digestOf(newToken), now, digestOf(token)),
    end: (kind, token) => void end.run(digestOf(token), kind),
    endKind: (kind, personId) => void endKind.run(personId, kind),
    endAll: endOfAccess(db),
  };
};

/** As `endAll` of logins. */
export const endOfAccess = (db: Database): Logins['endAll'] => {
  const endLogins = db.prepare('delete from login where person_id = ? and digest <> ?');
  const endGrants = db.prepare('delete from oauth_grant where person_id = ?');
  return db.transaction((personId: number, butToken?: string) => {
    endLogins.run(personId, butToken === undefined ? Buffer.alloc(0) : digestOf(butToken));
    endGrants.run(personId);
  });
};

type LoginRow = LoginUse & LoginTimes;
/** What says how long a login lasts. */
export interface LoginTimes {
  usedAt: number;
  begunAt: number;
  method: LoginMethod;
}
/** Whether somebody has been signed in, or has not been there, for longer than the bounds allow. */
export const isBrowserOver = ({ usedAt, begunAt, method }: LoginTimes, bounds: LoginBounds, now: number): boolean => {
  const lasts = Math.min(bounds.maxMs ?? Infinity, method === 'oidc' ? bounds.providerMs : Infinity);
  return usedAt <= now - bounds.idleMs || begunAt <= now - lasts;
};
const noOrigin: LoginOrigin = { method: 'password', label: '' };
