/** What somebody is to be in a team, as requests say it. */
import { HttpError } from '../http/errors.ts';
import { memberParts } from '../model/grant.ts';
import { type MemberRole, memberRoles } from '../model/person.ts';
import type { HideablePart } from '../model/public-parts.ts';
import { isLimitable } from '../model/rights.ts';
import { ValueError } from '../model/values.ts';
import type { Member } from '../store/accounts/members.ts';
import type { InTeam } from './allow.ts';
import { type Body, optional, optionalList } from './fields.ts';
import { sitesIn } from './keys.ts';
import type { AppParts } from './parts.ts';
import { requireProof } from './proof.ts';

/**
 * Owners are made, changed and removed by owners; owners and admins by somebody who proves who they
 * are. Throws HttpError.
 */
export const refuseAbove = (parts: AppParts, on: InTeam, ...roles: MemberRole[]): void => {
  if (roles.includes('owner') && !on.grant.rights.has('team')) throw new HttpError('app-not-allowed');
  if (!roles.every(isLimitable)) requireProof(parts, on);
};

/** What somebody is to be in a team. */
export type MemberPlace = Pick<Member, 'role' | 'sites' | 'hidden'>;

/**
 * What a request says that somebody is to be, and for the rest what they were. `sites` null is all.
 * Throws HttpError that names the field.
 */
export const placeOf = (
  body: Body,
  was: MemberPlace,
  on: InTeam,
  { directory }: Pick<AppParts, 'directory'>,
): MemberPlace => {
  const { role = was.role } = optional(body, 'role', roleOf);
  if (!isLimitable(role)) {
    // Whoever may make keys and invite could get around a limit.
    return { role, sites: null, hidden: [] };
  }
  // Of who could not be limited, nothing was hidden.
  const before = isLimitable(was.role) ? was : usualPlace;
  const { sites = before.sites } =
    body.sites === null ? { sites: null } : optionalList(body, 'sites', typed => sitesIn(on, directory, typed));
  const { hidden = before.hidden } = optionalList(body, 'hidden', hiddenOf);
  return { role, sites, hidden };
};

/** What a viewer does not see unless somebody says otherwise: visits may name people. */
export const usualPlace: MemberPlace = { role: 'viewer', sites: null, hidden: ['visits'] };

const roleOf = (typed: string): MemberRole => {
  const role = memberRoles.find(each => each === typed);
  if (role === undefined) throw new ValueError(`A role is one of ${memberRoles.join(', ')}.`);
  return role;
};

const hiddenOf = (typed: readonly string[]): HideablePart[] => {
  const unknown = typed.find(name => !memberParts.some(part => part === name));
  if (unknown !== undefined) throw new ValueError(`What can be hidden is ${memberParts.join(', ')}.`);
  return memberParts.filter(part => typed.includes(part));
};
