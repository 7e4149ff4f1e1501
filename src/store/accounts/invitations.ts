/** Open invitations to teams, one for each e-mail and team. */
import type { MemberRole } from '../../model/person.ts';
import type { HideablePart } from '../../model/public-parts.ts';
import { dayMs } from '../../model/time.ts';
import type { Database } from '../database.ts';
import { insertInto, rowValues, selected } from '../row-values.ts';
import { digestOf } from './digest.ts';

/** Time to accept one in. */
export const invitationMs = 7 * dayMs;

export interface Invitation {
  id: number;
  accountId: number;
  /** In lower case. */
  email: string;
  role: MemberRole;
  /** As a member has them. */
  sites: string[] | null;
  hidden: HideablePart[];
  /** E-mail of who invited, or `cli`. */
  invitedBy: string;
  /** Id of who invited; null for a command. */
  madeBy: number | null;
  expiresAt: number;
}

/** An invitation is no more once who made it may not invite to its role. */
export interface InvitationStore {
  /** Those that can still be accepted, the newest first. */
  ofAccount(accountId: number, now: number): Invitation[];
  ofEmail(email: string, now: number): Invitation[];
  /** Undefined for a token that was used or replaced, or is too old. */
  ofToken(token: string, now: number): Invitation | undefined;
  /** Takes the place of an earlier one for the same e-mail and team. */
  put(invitation: Omit<Invitation, 'id' | 'expiresAt'>, token: string, now: number): Invitation;
  /** False when there is none. */
  remove(accountId: number, id: number): boolean;
}

export const invitations = (db: Database): InvitationStore => {
  const names = ['accountId', 'email', 'role', 'sites', 'hidden', 'invitedBy', 'madeBy', 'expiresAt'];
  const fields = selected(['id', ...names]);
  const by = (column: string) =>
    db.prepare(
      `select ${fields} from invitation i where ${column} = ? and expires_at > ? and (made_by is null or exists (
         select 1 from member m join person p on p.id = m.person_id
         where m.account_id = i.account_id and p.id = i.made_by and p.disabled_at is null
           and (m.role = 'owner' or (m.role = 'admin' and i.role <> 'owner'))))
       order by id desc`,
    );
  const [ofAccount, ofEmail, ofDigest] = [by('account_id'), by('email'), by('digest')];
  const dropOld = db.prepare('delete from invitation where expires_at <= ?');
  const dropSame = db.prepare('delete from invitation where account_id = ? and email = ?');
  const insert = db.prepare(`${insertInto('invitation', [...names, 'digest', 'createdAt'])} returning ${fields}`);
  const remove = db.prepare('delete from invitation where account_id = ? and id = ?');
  const { all, read, stored } = rowValues<Invitation>({ sites: 'json', hidden: 'json' });
  return {
    ofAccount: (accountId, now) => all(ofAccount.all(accountId, now)),
    ofEmail: (email, now) => all(ofEmail.all(email, now)),
    ofToken: (token, now) => all(ofDigest.all(digestOf(token), now))[0],
    put: db.transaction((given: Omit<Invitation, 'id' | 'expiresAt'>, token: string, now: number) => {
      const { accountId, email } = given;
      dropOld.run(now);
      dropSame.run(accountId, email);
      const row = { ...stored(given), digest: digestOf(token), createdAt: now, expiresAt: now + invitationMs };
      return read(insert.get(row));
    }),
    remove: (accountId, id) => remove.run(accountId, id).changes > 0,
  };
};
