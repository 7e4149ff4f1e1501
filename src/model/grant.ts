/** What somebody may do with the sites of one account: a member, a key, or a public page. */
import type { MemberRole } from './person.ts';
import { type HideablePart, publicPartNames } from './public-parts.ts';
import { type Right, rightsOf } from './rights.ts';
import { type Account, isRollup, type Rollup, type Site } from './site.ts';

export interface Grant {
  account: Account;
  rights: ReadonlySet<Right>;
  /** UUIDs of the only sites; null for all of the account, those to come too. */
  sites: ReadonlySet<string> | null;
  /** What they do not see of any. */
  hidden: ReadonlySet<HideablePart>;
  /** For everybody who has the address of a public page. */
  isPublic: boolean;
}

/** Of a member of a team. */
export interface TeamGrant extends Grant {
  role: MemberRole;
}

/** What can be hidden from somebody. */
const hideableParts: readonly HideablePart[] = [...publicPartNames, 'visits', 'members'];
/** What can be hidden from a member, who reads all sites of a rollup where they see it. */
export const memberParts: readonly HideablePart[] = [...publicPartNames, 'visits'];

/** What a member of a team may do there. */
export const teamGrant = (
  account: Account,
  { role, sites, hidden }: { role: MemberRole; sites: readonly string[] | null; hidden: readonly HideablePart[] },
): TeamGrant => ({
  account,
  role,
  rights: rightsOf(role),
  sites: sites === null ? null : new Set(sites),
  hidden: new Set(hidden),
  isPublic: false,
});

/** What everybody may do who has the address of a public page. */
export const publicGrant = (account: Account, { uuid, publicParts }: Pick<Site, 'uuid' | 'publicParts'>): Grant => ({
  account,
  rights: rightsOf('viewer'),
  sites: new Set([uuid]),
  hidden: new Set(hideableParts.filter(part => !(publicParts as readonly string[]).includes(part))),
  isPublic: true,
});

/**
 * Whether a grant is about a site. Who may not read all sites of a rollup does not see the rollup,
 * since its numbers less those of the others would be those of the rest.
 */
export const covers = (
  { account, sites, isPublic }: Grant,
  site: Site,
  members: (rollup: Rollup) => readonly Site[],
): boolean => {
  if (site.accountId !== account.id) return false;
  if (sites === null || sites.has(site.uuid)) return true;
  if (isPublic || !isRollup(site)) return false;
  const all = members(site);
  return all.length > 0 && all.every(({ uuid }) => sites.has(uuid));
};
