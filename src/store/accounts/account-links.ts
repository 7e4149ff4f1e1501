/**
 * One-time links: whoever has an account's link may set its e-mail and password. The first run
 * prints one, and so does `daybook account link NAME`, for a new account or a password that was
 * forgotten.
 */
import { dayMs } from '../../model/time.ts';
import type { Database } from '../database.ts';
import { digestOf } from './digest.ts';

/** Time to use a link in. */
export const linkMs = 7 * dayMs;

export interface AccountLinks {
  /** Makes the token the account's link, in the place of any other. */
  put(accountId: number, token: string, now: number): void;
  /** The account of a link; undefined when it was used or replaced, or is too old. */
  find(token: string, now: number): number | undefined;
  remove(accountId: number): void;
}

export const accountLinks = (db: Database): AccountLinks => {
  const put = db.prepare('insert or replace into account_link (account_id, digest, expires_at) values (?, ?, ?)');
  const find = db.prepare('select account_id from account_link where digest = ? and expires_at > ?').pluck();
  const remove = db.prepare('delete from account_link where account_id = ?');
  return {
    put(accountId, token, now) {
      put.run(accountId, digestOf(token), now + linkMs);
    },
    find: (token, now) => find.get(digestOf(token), now) as number | undefined,
    remove(accountId) {
      remove.run(accountId);
    },
  };
};
