/** Who is in a team, as what, and what they see there. */

import { changeMember, keepingOwner, removeMember } from '../api/changes/member-changes.ts';
import { HttpError } from '../http/errors.ts';
import { isDone } from '../http/reply.ts';
import { isoTimeOrNull } from '../model/time.ts';
import type { Member } from '../store/accounts/members.ts';
import type { InTeam } from './allow.ts';
import { byOf } from './by.ts';
import { invitationView } from './invitations.ts';
import type { AppParts } from './parts.ts';
import { type DashboardRoute, get, ok, post } from './route.ts';
import type { MemberList, MemberView } from './wire.ts';

export const memberRoutes = (parts: AppParts): DashboardRoute[] => {
  const { members, persons, invitations, logins, now } = parts;
  const viewOf = ({ personId, role, sites, hidden }: Member): MemberView => {
    const { uuid, email, name, disabledAt } = persons.byId(personId)!;
    return {
      ...{ id: uuid, email, name, role, sites, hidden },
      isDisabled: disabledAt !== null,
      lastSeenAt: isoTimeOrNull(logins.lastUsed(personId)),
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

  return [
    get('/app/teams/:team/members', 'members', (_, on) => listOf(on)),

    post('/app/teams/:team/members/:person', 'members', (call, on) => {
      changeMember(parts, byOf(parts, call, on), memberNamed(on, call.parameters.person), call.body);
      return listOf(on);
    }),

    post('/app/teams/:team/members/:person/remove', 'members', (call, on) => {
      removeMember(parts, byOf(parts, call, on), memberNamed(on, call.parameters.person), call.body);
      return listOf(on);
    }),

    post('/app/teams/:team/leave', 'read', ({ note }, on) => {
      keepingOwner(parts, on.account.id, () => members.remove(on.account.id, on.person.id));
      note({ person: on.person, accountId: on.account.id, action: 'left' });
      return isDone();
    }),
  ];
};
