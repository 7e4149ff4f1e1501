/** A team keeps an owner who may sign in. */
import type { Database } from '../database.ts';

/**
 * Throws what `problem` makes where an account has members, and no owner who may sign in. To be
 * called in the transaction of a change, which its error takes back. An account without members is
 * one that nobody has signed in to.
 */
export const refuseLastOwner = (db: Database, accountId: number, problem: () => Error): void => {
  const owners = db
    .prepare(
      `select count(*) from member m join person p on p.id = m.person_id
       where m.account_id = ? and m.role = 'owner' and p.disabled_at is null`,
    )
    .pluck()
    .get(accountId);
  if (owners === 0) throw problem();
};

/** The accounts of which somebody is the only owner who may sign in. */
export const soleOwnerOf = (db: Database, personId: number): number[] =>
  db
    .prepare(
      `select account_id from member mine where person_id = ? and role = 'owner' and not exists (
         select 1 from member m join person p on p.id = m.person_id
         where m.account_id = mine.account_id and m.role = 'owner' and p.disabled_at is null and p.id <> mine.person_id)`,
    )
    .pluck()
    .all(personId) as number[];
