/**
 * One-time links: whoever has a person's link may set their e-mail and password, and whoever has
 * that of an account without an owner becomes the owner. The first run prints one, and so do
 * `daybook account link NAME` and `daybook person link EMAIL`.
 */
import { dayMs } from '../../model/time.ts';
import type { Database } from '../database.ts';
import { digestOf } from './digest.ts';

/** Time to use a link in. */
export const linkMs = 7 * dayMs;

/** Whom a link is for: one of the two is null. */
export interface LinkOwner {
  personId: number | null;
  accountId: number | null;
}

export interface SignInLinks {
  /**
   * Makes the token the link of the account's first owner who may sign in, or of the account where
   * it has none, in the place of any other.
   */
  putForAccount(accountId: number, token: string, now: number): void;
  /** Makes the token the person's link, likewise. */
  put(personId: number, token: string, now: number): void;
  /** Whom a link is for; undefined when it was used or replaced, or is too old. */
  find(token: string, now: number): LinkOwner | undefined;
  /** Takes the person's link away. */
  remove(personId: number): void;
}

export const signInLinks = (db: Database): SignInLinks => {
  const put = db.prepare(
    `insert or replace into sign_in_link (digest, person_id, account_id, expires_at)
     values (@digest, @personId, @accountId, @expiresAt)`,
  );
  const owner = `select p.id from member m join person p on p.id = m.person_id
    where m.role = 'owner' and p.disabled_at is null and m.account_id = `;
  const firstOwner = db.prepare(`${owner} ? order by m.created_at, p.id limit 1`).pluck();
  const find = db.prepare(
    `select person_id as personId, account_id as accountId from sign_in_link l left join person on person.id = person_id
     where digest = ? and expires_at > ? and disabled_at is null
     and not exists (${owner} l.account_id)`,
  );
  const remove = db.prepare('delete from sign_in_link where person_id = ?');
  const removeOfAccount = db.prepare('delete from sign_in_link where account_id = ?');
  const write = (of: LinkOwner, token: string, now: number): void => {
    put.run({ ...of, digest: digestOf(token), expiresAt: now + linkMs });
  };
  return {
    putForAccount: db.transaction((accountId: number, token: string, now: number) => {
      const personId = firstOwner.get(accountId) as number | undefined;
      // A link that was made before there was an owner.
      removeOfAccount.run(accountId);
      write(personId === undefined ? { personId: null, accountId } : { personId, accountId: null }, token, now);
    }),
    put(personId, token, now) {
      write({ personId, accountId: null }, token, now);
    },
    find: (token, now) => find.get(digestOf(token), now) as LinkOwner | undefined,
    remove: personId => void remove.run(personId),
  };
};
