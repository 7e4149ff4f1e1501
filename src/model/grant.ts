/** What somebody may do with the sites of one account: a member, a key, or a public page. */
import type { MemberRole } from './person.ts';
import { type HideablePart, partsBesideHits, publicPartNames } from './public-parts.ts';
import { type Right, rightsOf } from './rights.ts';
import type { ShareLink } from './share.ts';
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
  /** Name of the segment of the site that is added to all that they ask; missing for none. */
  segment?: string;
}

/** Of a member of a team. */
export interface TeamGrant extends Grant {
  role: MemberRole;
}

/** What can be hidden from somebody. */
export const hideableParts: readonly HideablePart[] = [...publicPartNames, 'visits', 'members'];
/** What can be hidden from a member, who reads all sites of a rollup where they see it. */
export const memberParts = [...publicPartNames, 'visits'] as const;

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
export const publicGrant = (
  account: Account,
  { uuid }: Pick<Site, 'uuid'>,
  share: Pick<ShareLink, 'parts' | 'segment'>,
): Grant => ({
  account,
  rights: rightsOf('viewer'),
  sites: new Set([uuid]),
  hidden: hiddenOfShare(share),
  isPublic: true,
  ...(share.segment !== null && { segment: share.segment }),
});

/** What a public page does not show. */
export const hiddenOfShare = ({ parts, segment }: Pick<ShareLink, 'parts' | 'segment'>): Set<HideablePart> =>
  new Set([
    ...hideableParts.filter(part => !(parts as readonly string[]).includes(part)),
    ...(segment === null ? [] : partsBesideHits),
  ]);

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
