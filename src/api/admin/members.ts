/** Members of a team, and who is invited. */
import { HttpError } from '../../http/errors.ts';
import { isDone, json, type Reply } from '../../http/reply.ts';
import { memberParts } from '../../model/grant.ts';
import { type MemberRole, memberRoles } from '../../model/person.ts';
import { emailOf } from '../../model/values.ts';
import type { By } from '../changes/by.ts';
import { reading } from '../changes/fields.ts';
import { changeMember, invite, putInvitation, removeInvitation, removeMember } from '../changes/member-changes.ts';
import { placeOf, refuseAbove } from '../changes/place.ts';
import { done } from '../operation.ts';
import type { ApiCall } from '../route.ts';
import { described, list, nullable, object, oneOf, text, truth } from '../schema.ts';
import { type AdminOperation, inTeam } from './admin-operation.ts';

const place = { role: oneOf(memberRoles), sites: nullable(list(text)), hidden: list(oneOf(memberParts)) };
const memberSchema = object(
  { email: text, ...place, isInvited: described(truth, 'Whether they have not accepted yet') },
  { url: described(text, 'The link of a new invitation, which is shown this once') },
);
interface Placed {
  role: MemberRole;
  sites: string[] | null;
  hidden: readonly string[];
}
const memberJson = (email: string, { role, sites, hidden }: Placed, isInvited: boolean, url?: string): object => ({
  ...{ email, role, sites, hidden, isInvited },
  ...(url && { url }),
});

/** Who has an e-mail in a team: a member, or somebody who is invited. */
const memberAt = (call: ApiCall, { grant }: By) => {
  const { persons, members, invitations, now } = call.changes();
  const accountId = grant.account.id;
  const email = reading('email', () => emailOf(call.parameters.email!));
  const person = persons.ofEmail(email);
  const member = person && members.find(accountId, person.id);
  const invitation = invitations.ofAccount(accountId, now()).find(one => one.email === email);
  return { email, member, invitation };
};

const putMember = async (call: ApiCall, by: By): Promise<Reply> => {
  const body = await call.body();
  const { email, member, invitation } = memberAt(call, by);
  const changes = call.changes();
  if (member !== undefined) {
    const isSame = isSamePlace(member, placeOf(body, member, by, changes));
    return json(200, memberJson(email, isSame ? member : changeMember(changes, by, member, body), false));
  }
  if (invitation === undefined) {
    const made = invite(changes, by, email, body);
    return json(201, memberJson(email, made.invitation, true, made.url));
  }
  const given = placeOf(body, invitation, by, changes);
  if (isSamePlace(invitation, given)) return json(200, memberJson(email, invitation, true));
  refuseAbove(by, invitation.role, given.role);
  const made = putInvitation(changes, by, { email, ...given });
  return json(200, memberJson(email, made.invitation, true, made.url));
};
const isSamePlace = (a: Placed, b: Placed): boolean =>
  JSON.stringify([a.role, a.sites, a.hidden]) === JSON.stringify([b.role, b.sites, b.hidden]);

const path = '/api/ext/teams/:team/members';
export const memberOperations: AdminOperation[] = [
  inTeam({
    ...{ method: 'GET', path, name: 'listMembers', right: 'members', gives: object({ data: list(memberSchema) }) },
    summary: 'Members of a team, and who is invited',
    answer(call, { grant }) {
      const { members, invitations, persons, now } = call.changes();
      const { id } = grant.account;
      const emailOfMember = (personId: number): string => persons.byId(personId)!.email;
      const data = [
        ...members.ofAccount(id).map(one => memberJson(emailOfMember(one.personId), one, false)),
        ...invitations.ofAccount(id, now()).map(one => memberJson(one.email, one, true)),
      ];
      return json(200, { data });
    },
  }),
  inTeam({
    ...{ method: 'PUT', path: `${path}/:email`, name: 'putMember', right: 'members', makes: true },
    ...{ takes: object({}, place), gives: memberSchema },
    summary: 'Invites somebody, or changes what they are and see',
    answer: putMember,
  }),
  inTeam({
    ...{ method: 'DELETE', path: `${path}/:email`, name: 'removeMember', right: 'members', gives: done },
    summary: 'Takes somebody out of a team, or an invitation back',
    answer(call, by) {
      const { member, invitation } = memberAt(call, by);
      if (member !== undefined) removeMember(call.changes(), by, member, {});
      else if (invitation !== undefined) removeInvitation(call.changes(), by, invitation);
      else throw new HttpError('app-no-member');
      return isDone();
    },
  }),
];
