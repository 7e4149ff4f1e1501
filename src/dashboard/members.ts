/** Who is in a team, as what, and what they see there. */
import { HttpError } from '../http/errors.ts';
import { isoTime } from '../model/time.ts';
import { refuseLastOwner } from '../store/accounts/last-owner.ts';
import type { Member } from '../store/accounts/members.ts';
import type { InTeam } from './allow.ts';
import { isOn } from './fields.ts';
import { invitationView } from './invitations.ts';
import type { AppParts } from './parts.ts';
import { placeOf, refuseAbove } from './place.ts';
import { type DashboardRoute, done, get, ok, post } from './route.ts';
import type { MemberList, MemberView } from './wire.ts';

export const memberRoutes = (parts: AppParts): DashboardRoute[] => {
  const { db, members, persons, invitations, keys, logins, auditor, now } = parts;
  const viewOf = ({ personId, role, sites, hidden }: Member): MemberView => {
    const { uuid, email, name, disabledAt } = persons.byId(personId)!;
    const seenAt = logins.lastUsed(personId);
    return {
      ...{ id: uuid, email, name, role, sites, hidden },
      isDisabled: disabledAt !== null,
      lastSeenAt: seenAt === null ? null : isoTime(seenAt),
    };
  };
  const listOf = ({ account }: InTeam) =>
    ok<MemberList>({
      data: members.ofAccount(account.id).map(viewOf),
      invitations: invitations.ofAccount(account.id, now()).map(invitationView),
    });

  /** The member that a path names. Throws HttpError. */
  const memberNamed = ({ account }: InTeam, uuid: string | undefined): Member => {
    const person = persons.byUuid(uuid ?? '');
    const member = person && members.find(account.id, person.id);
    if (member === undefined) throw new HttpError('app-no-member');
    return member;
  };

  /** Makes a change after which the team still has an owner. Throws HttpError. */
  const change = (accountId: number, work: () => void): void => {
    db.transaction(() => {
      work();
      refuseLastOwner(db, accountId, () => new HttpError('app-last-owner'));
    }).immediate();
  };

  return [
    get('/app/teams/:team/members', 'members', (_, on) => listOf(on)),

    post('/app/teams/:team/members/:person', 'members', ({ request, parameters, body }, on) => {
      const member = memberNamed(on, parameters.person);
      const changed = { ...member, ...placeOf(body, member, on, parts) };
      refuseAbove(parts, on, member.role, changed.role);
      change(on.account.id, () => members.set(changed));
      const details = { role: changed.role, was: member.role, sites: changed.sites, hidden: changed.hidden };
      const subject = persons.byId(member.personId)!.email;
      auditor.note({ request, person: on.person, accountId: on.account.id, action: 'role-changed', subject, details });
      return listOf(on);
    }),

    post('/app/teams/:team/members/:person/remove', 'members', ({ request, parameters, body }, on) => {
      const { personId, role } = memberNamed(on, parameters.person);
      refuseAbove(parts, on, role);
      const revokesKeys = isOn(body, 'revokeKeys');
      change(on.account.id, () => {
        members.remove(on.account.id, personId);
        if (!revokesKeys) return;
        for (const { id, madeBy } of keys.list(on.account.id)) if (madeBy === personId) keys.revoke(id);
      });
      const subject = persons.byId(personId)!.email;
      const details = { revokeKeys: revokesKeys };
      auditor.note({ request, person: on.person, accountId: on.account.id, action: 'removed', subject, details });
      return listOf(on);
    }),

    post('/app/teams/:team/leave', 'read', ({ request }, on) => {
      change(on.account.id, () => members.remove(on.account.id, on.person.id));
      auditor.note({ request, person: on.person, accountId: on.account.id, action: 'left' });
      return done();
    }),
  ];
};
