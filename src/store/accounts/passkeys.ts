/** Passkeys of people (WebAuthn): public keys whose private halves never leave their devices. */
import type { Database } from '../database.ts';
import { rowValues } from '../row-values.ts';

export interface Passkey {
  credentialId: Buffer;
  personId: number;
  /** COSE. */
  publicKey: Buffer;
  /** How often it was used, as it says; 0 for those that do not count. */
  counter: number;
  /** How a browser reaches it: usb, internal and so on. */
  transports: string[];
  /** Whether its maker keeps a copy. */
  isBackedUp: boolean;
  name: string;
  /** UTC milliseconds. */
  createdAt: number;
  lastUsedAt: number | null;
}

export type Passkeys = ReturnType<typeof passkeys>;

const rows = rowValues<Passkey>({ transports: 'json', isBackedUp: 'flag' });

export const passkeys = (db: Database) => {
  const fields = `credential_id as credentialId, person_id as personId, public_key as publicKey, counter, transports,
    backed_up as isBackedUp, name, created_at as createdAt, last_used_at as lastUsedAt`;
  const ofPerson = db.prepare(`select ${fields} from passkey where person_id = ? order by created_at, credential_id`);
  const handleOf = db.prepare('select handle from person where id = ?').pluck();
  const find = db.prepare(`select ${fields} from passkey where credential_id = ?`);
  const insert = db.prepare(
    `insert or ignore into passkey
     values (@credentialId, @personId, @publicKey, @counter, @transports, @isBackedUp, @name, @createdAt, @lastUsedAt)`,
  );
  const use = db.prepare(
    `update passkey set counter = @counter, last_used_at = @now
     where credential_id = @credentialId and (counter < @counter or (counter = 0 and @counter = 0))`,
  );
  const remove = db.prepare('delete from passkey where credential_id = ?');
  return {
    /** By which devices know a person: 32 random bytes. */
    handleOf: (personId: number) => handleOf.get(personId) as Buffer,
    /** The oldest first. */
    ofPerson: (personId: number) => rows.all(ofPerson.all(personId)),
    find: (credentialId: Uint8Array) => rows.one(find.get(Buffer.from(credentialId))),
    /** False where there is such a passkey already. */
    add: (passkey: Passkey) => insert.run(rows.stored(passkey)).changes === 1,
    /** False where the counter did not rise since: another request, or a copy, has used it. */
    use: ({ credentialId }: Passkey, counter: number, now: number) =>
      use.run({ credentialId, counter, now }).changes === 1,
    remove: (credentialId: Uint8Array): void => void remove.run(Buffer.from(credentialId)),
  };
};
