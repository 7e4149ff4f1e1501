/** The secret of somebody’s authenticator app, and the codes for the day on which it is gone. */
import type { Database } from '../database.ts';
import { digestOf } from './digest.ts';

export interface TotpSecret {
  totp: Buffer;
  /** The newest step whose code was used. */
  totpStep: number | null;
}

export interface SecondFactors {
  /** Undefined for somebody who has none. */
  find(personId: number): TotpSecret | undefined;
  /** `step` is that of the code that proved it. `codes` replace all recovery codes. */
  set(personId: number, secret: Uint8Array, step: number, codes: readonly string[]): void;
  setCodes(personId: number, codes: readonly string[]): void;
  /** Takes the secret and all recovery codes away. */
  remove(personId: number): void;
  /** False where a code of this step or a newer one was used already. */
  useStep(personId: number, step: number): boolean;
  /** False where the person has no such recovery code, or has used it. */
  useCode(personId: number, code: string): boolean;
  codesLeft(personId: number): number;
  /** Whether a team of the person asks for a second factor, and they have no codes. */
  isMissing(personId: number): boolean;
}

export const secondFactors = (db: Database): SecondFactors => {
  const find = db.prepare('select totp, totp_step as totpStep from person where id = ? and totp is not null');
  const set = db.prepare('update person set totp = ?, totp_step = ? where id = ?');
  const useStep = db.prepare(
    'update person set totp_step = @step where id = @personId and coalesce(totp_step, -1) < @step',
  );
  const useCode = db.prepare('delete from recovery_code where digest = ? and person_id = ?');
  const dropCodes = db.prepare('delete from recovery_code where person_id = ?');
  const addCode = db.prepare('insert into recovery_code (digest, person_id) values (?, ?)');
  const count = db.prepare('select count(*) from recovery_code where person_id = ?').pluck();
  const isMissing = db
    .prepare(
      `select exists (select 1 from member join account on account.id = account_id where person_id = @id and second_factor = 1)
       and exists (select 1 from person where id = @id and totp is null)`,
    )
    .pluck();
  const setCodes = (personId: number, codes: readonly string[]): void => {
    dropCodes.run(personId);
    for (const code of codes) addCode.run(digestOf(code), personId);
  };
  return {
    find: personId => find.get(personId) as TotpSecret | undefined,
    set: db.transaction((personId: number, secret: Uint8Array, step: number, codes: readonly string[]) => {
      set.run(Buffer.from(secret), step, personId);
      setCodes(personId, codes);
    }),
    setCodes: db.transaction(setCodes),
    remove: db.transaction((personId: number) => {
      set.run(null, null, personId);
      dropCodes.run(personId);
    }),
    useStep: (personId, step) => useStep.run({ personId, step }).changes === 1,
    useCode: (personId, code) => useCode.run(digestOf(code), personId).changes === 1,
    codesLeft: personId => count.get(personId) as number,
    isMissing: personId => isMissing.get({ id: personId }) === 1,
  };
};
