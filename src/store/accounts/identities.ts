/** Who people are at the provider that they sign in with (OpenID Connect). */
import type { Database } from '../database.ts';

export interface Identities {
  /** The person of a subject; undefined for one who was never linked. */
  find(issuer: string, subject: string): number | undefined;
  /** Links a subject to a person, in the place of whoever it was linked to. */
  link(issuer: string, subject: string, personId: number, now: number): void;
  isLinked(personId: number): boolean;
  unlink(personId: number): void;
}

export const identities = (db: Database): Identities => {
  const find = db.prepare('select person_id from identity where issuer = ? and subject = ?').pluck();
  const link = db.prepare('insert or replace into identity values (?, ?, ?, ?)');
  const isLinked = db.prepare('select exists (select 1 from identity where person_id = ?)').pluck();
  const unlink = db.prepare('delete from identity where person_id = ?');
  return {
    find: (issuer, subject) => find.get(issuer, subject) as number | undefined,
    link(issuer, subject, personId, now) {
      link.run(issuer, subject, personId, now);
    },
    isLinked: personId => isLinked.get(personId) === 1,
    unlink(personId) {
      unlink.run(personId);
    },
  };
};
