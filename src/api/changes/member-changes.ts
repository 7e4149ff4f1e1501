/** Members and invitations of teams as people and keys change them. */
import { HttpError } from '../../http/errors.ts';
import type { Body } from '../../http/json-body.ts';
import { makeToken } from '../../model/ids.ts';
import { openInvitationsMax } from '../../model/limits.ts';
import type { Account } from '../../model/site.ts';
import type { Invitation } from '../../store/accounts/invitations.ts';
import { refuseLastOwner } from '../../store/accounts/last-owner.ts';
import type { Member } from '../../store/accounts/members.ts';
import { type By, type ChangeParts, noteBy } from './by.ts';
import { isOn } from './fields.ts';
import { refuseManaged } from './managed.ts';
import { placeOf, refuseAbove, usualPlace } from './place.ts';

/** Makes a team, whose owner is a person. */
export const addTeam = (
  { db, accounts, members, now }: Pick<ChangeParts, 'db' | 'accounts' | 'members' | 'now'>,
  name: string,
  personId: number,
): Account =>
  db
    .transaction(() => {
      const account = accounts.add(name, 'unlimited', now());
      members.set({ accountId: account.id, personId, role: 'owner', sites: null, hidden: [], createdAt: now() });
      return account;
    })
    .immediate();

/** An invitation and its link, which is shown only this once. */
export interface MadeInvitation {
  invitation: Invitation;
  url: string;
}

/** Makes an invitation in place of an earlier one for the same e-mail. */
export const putInvitation = (
  parts: Pick<ChangeParts, 'invitations' | 'auditor' | 'now' | 'random'>,
  by: By,
  given: Omit<Invitation, 'id' | 'expiresAt' | 'accountId' | 'invitedBy' | 'madeBy'>,
): MadeInvitation => {
  const token = makeToken(parts.random);
  const of = { ...given, accountId: by.grant.account.id, invitedBy: by.person.email, madeBy: by.person.id };
  const invitation = parts.invitations.put(of, token, parts.now());
  const { email, role, sites, hidden } = given;
  noteBy(parts, by, 'invited', email, { role, sites, hidden });
  return { invitation, url: `${by.origin}/invitation#${token}` };
};

/**
 * Invites an e-mail that is no member's. `refuseTired` is called once nothing else is wrong. Throws
 * HttpError.
 */
export const invite = (
  parts: ChangeParts,
  by: By,
  email: string,
  body: Body,
  refuseTired: () => void = () => {},
): MadeInvitation => {
  const { persons, members, invitations, now } = parts;
  const accountId = by.grant.account.id;
  const place = placeOf(body, usualPlace, by, parts);
  refuseAbove(by, place.role);
  const person = persons.ofEmail(email);
  if (person !== undefined && members.find(accountId, person.id) !== undefined)
    throw new HttpError('app-is-member', { field: 'email' });
  const open = invitations.ofAccount(accountId, now());
  if (open.length >= openInvitationsMax && open.every(one => one.email !== email))
    throw new HttpError('app-too-many-invitations', { field: 'email' });
  refuseTired();
  return putInvitation(parts, by, { email, ...place });
};

/** Takes an open invitation back. Throws HttpError. */
export const removeInvitation = (parts: ChangeParts, by: By, { id, email, role }: Invitation): void => {
  refuseAbove(by, role);
  parts.invitations.remove(by.grant.account.id, id);
  noteBy(parts, by, 'invitation-removed', email);
};

/** Makes a change after which the team still has an owner. Throws HttpError. */
export const keepingOwner = ({ db }: Pick<ChangeParts, 'db'>, accountId: number, work: () => void): void => {
  db.transaction(() => {
    work();
    refuseLastOwner(db, accountId, () => new HttpError('app-last-owner'));
  }).immediate();
};

/** Changes what a member is and sees. Throws HttpError. */
export const changeMember = (parts: ChangeParts, by: By, member: Member, body: Body): Member => {
  const changed = { ...member, ...placeOf(body, member, by, parts) };
  refuseManaged(parts, 'members', by.grant.account.uuid, parts.persons.byId(member.personId)!.email);
  refuseAbove(by, member.role, changed.role);
  keepingOwner(parts, member.accountId, () => parts.members.set(changed));
  const details = { role: changed.role, was: member.role, sites: changed.sites, hidden: changed.hidden };
  noteBy(parts, by, 'role-changed', parts.persons.byId(member.personId)!.email, details);
  return changed;
};

/**
 * Takes somebody out of a team, and with `revokeKeys` the keys that they made. Throws HttpError.
 */
export const removeMember = (parts: ChangeParts, by: By, { accountId, personId, role }: Member, body: Body): void => {
  refuseAbove(by, role);
  const revokesKeys = isOn(body, 'revokeKeys');
  refuseManaged(parts, 'members', by.grant.account.uuid, parts.persons.byId(personId)!.email);
  keepingOwner(parts, accountId, () => {
    parts.members.remove(accountId, personId);
    if (!revokesKeys) return;
    for (const { id, madeBy } of parts.keys.list(accountId)) if (madeBy === personId) parts.keys.revoke(id);
  });
  noteBy(parts, by, 'removed', parts.persons.byId(personId)!.email, { revokeKeys: revokesKeys });
};
