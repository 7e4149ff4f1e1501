/**
 * What people sign in to the dashboard with: an account's e-mail and the record of its password.
 */
import type { Database } from '../database.ts';
import { orUniqueViolation } from '../unique-violation.ts';

export interface Credentials {
  accountId: number;
  /** In lower case. */
  email: string;
  /** A record of src/dashboard/passwords.ts. */
  password: string;
}

export interface CredentialStore {
  /** Whether any account can be signed in to. */
  any(): boolean;
  ofEmail(email: string): Credentials | undefined;
  ofAccount(accountId: number): Credentials | undefined;
  /** Throws UniqueViolation when the e-mail is another account's. */
  set(credentials: Credentials): void;
}

export const credentials = (db: Database): CredentialStore => {
  const fields = 'id as accountId, email, password';
  const any = db.prepare('select exists (select 1 from account where email is not null)').pluck();
  const ofEmail = db.prepare(`select ${fields} from account where email = ?`);
  const ofAccount = db.prepare(`select ${fields} from account where id = ? and email is not null`);
  const set = db.prepare('update account set email = @email, password = @password where id = @accountId');
  return {
    any: () => any.get() === 1,
    ofEmail: email => ofEmail.get(email) as Credentials | undefined,
    ofAccount: accountId => ofAccount.get(accountId) as Credentials | undefined,
    set(given) {
      orUniqueViolation(
        () => set.run(given),
        () => `There is an account with the e-mail ${given.email} already.`,
      );
    },
  };
};
