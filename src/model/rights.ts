/**
 * What members of a team may do: one row each, with the least role that may. Each route of the
 * dashboard names one of these rights (dashboard/route.ts).
 */
import { type MemberRole, memberRoles } from './person.ts';

export const rights = {
  /** Numbers of the sites that they may read, without the parts that are hidden from them. */
  read: 'viewer',
  /** Write notes. */
  notes: 'editor',
  /** Save segments, goals and funnels. */
  define: 'editor',
  /** A site's zone, currency, aliases, exclusions, suspect visits and alerts. */
  settings: 'editor',
  /** Add sites, and add, change and remove rollups. */
  sites: 'admin',
  /** Public pages of a site, reports that are mailed, and channels of the team. */
  share: 'admin',
  /** Import files, and take imports back. */
  import: 'admin',
  /** Leave hits out, and put them back. */
  leaveOut: 'admin',
  /** API keys of the team. */
  keys: 'admin',
  /** Reset or remove a site, and change how visitors are recognized. */
  reset: 'admin',
  /** Members and invitations below owner. */
  members: 'admin',
  /** What people did. */
  audit: 'admin',
  /** Owners, the team's name and rules, and its end. */
  team: 'owner',
} as const satisfies Record<string, MemberRole>;

export type Right = keyof typeof rights;
export const rightNames = Object.keys(rights) as Right[];

/** Whether a role is the other one or above it. */
export const isAtLeast = (role: MemberRole, least: MemberRole): boolean =>
  memberRoles.indexOf(role) >= memberRoles.indexOf(least);

const rightsByRole = Object.fromEntries(
  memberRoles.map(role => [role, new Set(rightNames.filter(right => isAtLeast(role, rights[right])))]),
) as unknown as Readonly<Record<MemberRole, ReadonlySet<Right>>>;

export const rightsOf = (role: MemberRole): ReadonlySet<Right> => rightsByRole[role];

/**
 * Whether people of a role may be limited to sites, and have parts hidden. Whoever makes keys or
 * invites others could get around that.
 */
export const isLimitable = (role: MemberRole): boolean => !isAtLeast(role, 'admin');
