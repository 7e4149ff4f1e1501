/** The e-mails of people, and the records of their passwords. */
import type { Database } from '../database.ts';
import { orUniqueViolation } from '../unique-violation.ts';
import { takenEmail } from './persons.ts';

export interface Credentials {
  personId: number;
  /** In lower case. */
  email: string;
  /** A record of src/dashboard/passwords.ts; null for somebody who has none. */
  password: string | null;
}

export type CredentialStore = ReturnType<typeof credentials>;

export const credentials = (db: Database) => {
  const fields = 'id as personId, email, password';
  const any = db.prepare('select exists (select 1 from person)').pluck();
  const ofEmail = db.prepare(`select ${fields} from person where email = ? and disabled_at is null`);
  const ofPerson = db.prepare(`select ${fields} from person where id = ? and disabled_at is null`);
  const set = db.prepare('update person set email = @email, password = @password where id = @personId');
  return {
    /** Whether there is anybody who may sign in. */
    any: () => any.get() === 1,
    /** Of somebody who is not disabled. */
    ofEmail: (email: string) => ofEmail.get(email) as Credentials | undefined,
    /** Likewise. */
    ofPerson: (personId: number) => ofPerson.get(personId) as Credentials | undefined,
    /** Throws UniqueViolation when the e-mail is another person's. */
    set(given: Credentials) {
      orUniqueViolation(
        () => set.run(given),
        () => takenEmail(given.email),
      );
    },
  };
};
