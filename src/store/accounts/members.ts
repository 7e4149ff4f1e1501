/** Which people are in which teams, as what, and what they see there. */
import type { MemberRole } from '../../model/person.ts';
import type { HideablePart } from '../../model/public-parts.ts';
import type { Database } from '../database.ts';
import { insertInto, rowValues, selected } from '../row-values.ts';

export interface Member {
  accountId: number;
  personId: number;
  role: MemberRole;
  /** UUIDs of the only sites that they may read; null for all of the team, those to come too. */
  sites: string[] | null;
  /** What they do not see of any. */
  hidden: HideablePart[];
  createdAt: number;
}

export type MemberStore = ReturnType<typeof members>;

export const members = (db: Database) => {
  const names = ['accountId', 'personId', 'role', 'sites', 'hidden', 'createdAt'];
  const fields = selected(names);
  const ofPerson = db.prepare(`select ${fields} from member where person_id = ? order by created_at, account_id`);
  const ofAccount = db.prepare(`select ${fields} from member where account_id = ? order by created_at, person_id`);
  const find = db.prepare(`select ${fields} from member where account_id = ? and person_id = ?`);
  const set = db.prepare(
    `${insertInto('member', names)}
     on conflict do update set role = excluded.role, sites = excluded.sites, hidden = excluded.hidden`,
  );
  const remove = db.prepare('delete from member where account_id = ? and person_id = ?');
  const { all, one, stored } = rowValues<Member>({ sites: 'json', hidden: 'json' });
  return {
    /** In which teams a person is, the oldest first. */
    ofPerson: (personId: number) => all(ofPerson.all(personId)),
    /** Who is in a team, the oldest first. */
    ofAccount: (accountId: number) => all(ofAccount.all(accountId)),
    find: (accountId: number, personId: number) => one(find.get(accountId, personId)),
    /** Adds a person, or changes what they are. */
    set: (member: Member): void => void set.run(stored(member)),
    remove: (accountId: number, personId: number): void => void remove.run(accountId, personId),
  };
};
