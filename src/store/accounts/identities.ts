/** Who people are at the provider that they sign in with (OpenID Connect). */
import type { Database } from '../database.ts';

export type Identities = ReturnType<typeof identities>;

export const identities = (db: Database) => {
  const find = db.prepare('select person_id from identity where issuer = ? and subject = ?').pluck();
  const link = db.prepare('insert or replace into identity values (?, ?, ?, ?)');
  const isLinked = db.prepare('select exists (select 1 from identity where person_id = ?)').pluck();
  const unlink = db.prepare('delete from identity where person_id = ?');
  return {
    /** The person of a subject; undefined for one who was never linked. */
    find: (issuer: string, subject: string) => find.get(issuer, subject) as number | undefined,
    /** Links a subject to a person, in the place of whoever it was linked to. */
    link(issuer: string, subject: string, personId: number, now: number) {
      link.run(issuer, subject, personId, now);
    },
    isLinked: (personId: number) => isLinked.get(personId) === 1,
    unlink: (personId: number): void => void unlink.run(personId),
  };
};
