/** What somebody is to be in a team, as requests say it. */
import { HttpError } from '../../http/errors.ts';
import type { Body } from '../../http/json-body.ts';
import { covers, type Grant, memberParts } from '../../model/grant.ts';
import { type MemberRole, memberRoles } from '../../model/person.ts';
import type { HideablePart } from '../../model/public-parts.ts';
import { isLimitable } from '../../model/rights.ts';
import { isRollup } from '../../model/site.ts';
import { ValueError } from '../../model/values.ts';
import type { Member } from '../../store/accounts/members.ts';
import type { By, ChangeParts } from './by.ts';
import { optional, optionalList } from './fields.ts';

/**
 * Owners are made, changed and removed by owners; owners and admins by somebody who proves who they
 * are. Throws HttpError.
 */
export const refuseAbove = (by: By, ...roles: MemberRole[]): void => {
  if (roles.includes('owner') && !by.grant.rights.has('team')) throw new HttpError('app-not-allowed');
  if (!roles.every(isLimitable)) by.prove();
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
  { grant }: Pick<By, 'grant'>,
  parts: Pick<ChangeParts, 'directory'>,
): MemberPlace => {
  const { role = was.role } = optional(body, 'role', roleOf);
  if (!isLimitable(role)) {
    // Whoever may make keys and invite could get around a limit.
    return { role, sites: null, hidden: [] };
  }
  // Of who could not be limited, nothing was hidden.
  const before = isLimitable(was.role) ? was : usualPlace;
  const { sites = before.sites } =
    body.sites === null ? { sites: null } : optionalList(body, 'sites', typed => sitesIn(grant, parts, typed));
  const { hidden = before.hidden } = optionalList(body, 'hidden', hiddenOf);
  return { role, sites, hidden };
};

/** What a viewer does not see unless somebody says otherwise: visits may name people. */
export const usualPlace: MemberPlace = { role: 'viewer', sites: null, hidden: ['visits'] };

/** The ids of sites of the team. Throws HttpError for one that is not, and ValueError for none. */
export const sitesIn = (
  grant: Grant,
  { directory }: Pick<ChangeParts, 'directory'>,
  typed: readonly string[],
): string[] => {
  if (typed.length === 0) throw new ValueError('Choose a site.');
  const all = directory.ofAccount(grant.account.id).filter(site => covers(grant, site, directory.members));
  const found = [...new Set(typed)].map(name => all.find(({ uuid, domain }) => uuid === name || domain === name));
  const sites = found.flatMap(site => (site === undefined || isRollup(site) ? [] : site.uuid));
  if (sites.length < found.length) throw new HttpError('app-no-site');
  return sites;
};

export const roleOf = (typed: string): MemberRole => {
  const role = memberRoles.find(each => each === typed);
  if (role === undefined) throw new ValueError(`A role is one of ${memberRoles.join(', ')}.`);
  return role;
};

export const hiddenOf = (typed: readonly string[]): HideablePart[] => {
  const unknown = typed.find(name => !memberParts.some(part => part === name));
  if (unknown !== undefined) throw new ValueError(`What can be hidden is ${memberParts.join(', ')}.`);
  return memberParts.filter(part => typed.includes(part));
};
