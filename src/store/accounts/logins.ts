/**
 * Who is signed in to the dashboard. A login is known by a random token that the browser keeps;
 * here is only its digest.
 */
import { dayMs, hourMs, minuteMs } from '../../model/time.ts';
import type { Database } from '../database.ts';
import { digestOf } from './digest.ts';

/** A login that is not used for so long is over. */
export const loginIdleMs = 30 * dayMs;
/**
 * The use of a login is written down at most this often, so that looking at a page does not become
 * writing.
 */
const stampMs = hourMs;
/** After a stamp that failed, the next is tried this much later: each may wait for the disk. */
const retryMs = minuteMs;
/** Logins of one account at a time. A further one ends the one that was longest unused. */
const loginsMax = 100;

export interface Logins {
  /**
   * The account that a token is signed in to; undefined when the login is unknown or over. Each use
   * makes it last longer.
   */
  use(token: string, now: number): number | undefined;
  begin(accountId: number, token: string, now: number): void;
  end(token: string): void;
  /** Ends all logins of an account, or all but the one of this token. */
  endAll(accountId: number, butToken?: string): void;
}

export const logins = (db: Database): Logins => {
  const find = db.prepare('select account_id as accountId, used_at as usedAt from login where digest = ?');
  const stamp = db.prepare('update login set used_at = ? where digest = ?');
  const insert = db.prepare('insert into login (digest, account_id, used_at) values (?, ?, ?)');
  const end = db.prepare('delete from login where digest = ?');
  const endAll = db.prepare('delete from login where account_id = ? and digest <> ?');
  const endIdle = db.prepare('delete from login where used_at <= ?');
  const endSurplus = db.prepare(
    `delete from login where digest in
     (select digest from login where account_id = ? order by used_at desc limit -1 offset ${loginsMax - 1})`,
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
    use(token, now) {
      const digest = digestOf(token);
      const login = find.get(digest) as { accountId: number; usedAt: number } | undefined;
      if (login === undefined || login.usedAt <= now - loginIdleMs) return undefined;
      if (login.usedAt <= now - stampMs) writeStamp(digest, now);
      return login.accountId;
    },
    begin: db.transaction((accountId: number, token: string, now: number) => {
      endIdle.run(now - loginIdleMs);
      endSurplus.run(accountId);
      insert.run(digestOf(token), accountId, now);
    }),
    end(token) {
      end.run(digestOf(token));
    },
    endAll(accountId, butToken) {
      endAll.run(accountId, butToken === undefined ? Buffer.alloc(0) : digestOf(butToken));
    },
  };
};
