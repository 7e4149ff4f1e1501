/** Accounts, sites and keys as the rest of the program sees them. */
import type { KeyScope } from './scopes.ts';
import type { SuspectReason } from './suspects.ts';
import { isoTime } from './time.ts';

export const identityModes = ['hash', 'cookie'] as const;
export type IdentityMode = (typeof identityModes)[number];

export interface Site {
  /**
   * What everything of the site refers to inside the database; never leaves the process. A reset
   * gives the site a new one, so nothing cached can outlive it.
   */
  id: number;
  accountId: number;
  /** What the API calls the site's id. */
  uuid: string;
  /** `pk_live_` and 24 base62 characters. */
  publicKey: string;
  domain: string;
  /** Other names that hits and questions may know it by, as aliasOf of values.ts writes them. */
  aliases: string[];
  /** IANA name. */
  timezone: string;
  /** ISO 4217 code. */
  currency: string;
  identityMode: IdentityMode;
  /**
   * A secret that visitors with a cookie are named with. Empty where visitors were named without
   * one: theirs stay as they were.
   */
  visitorKey: string;
  /** Addresses or CIDR ranges whose hits are ignored. */
  excludedIps: string[];
  /** The tracker's path globs; hits on them are ignored. */
  excludedPaths: string[];
  /** Hosts whose pages' hits count, such as `example.com` and `*.example.com`; empty: all. */
  allowedHosts: string[];
  /** ISO 3166 codes of countries whose hits are ignored. */
  excludedCountries: string[];
  /** Older UTC days are deleted; null: as the server says. */
  keepDays: number | null;
  /** Hits a second from one sender, and hits at once; null for those of the server. */
  senderHits: number | null;
  senderBurst: number | null;
  /** Hosts whose pages may frame its public pages, such as `example.com` and `*.example.com`. */
  embedHosts: string[];
  /** Suspect visits for these reasons are left out of its numbers. */
  leftOut: SuspectReason[];
  /**
   * Of a rollup, the UUIDs of the sites that it reads as one: it has no hits of its own, and some
   * of them may have been removed. Null for a site.
   */
  members: string[] | null;
  /** UTC milliseconds. */
  createdAt: number;
}

/** Several sites read as one. */
export type Rollup = Site & { members: string[] };

export const isRollup = (site: Site): site is Rollup => site.members !== null;

/** Settings about hits themselves, which a rollup has none of. Its name is no domain. */
export const hitSettings: readonly (keyof Site)[] = [
  ...(['domain', 'identityMode', 'aliases', 'excludedIps', 'excludedPaths', 'senderHits', 'senderBurst'] as const),
  ...(['allowedHosts', 'excludedCountries', 'keepDays'] as const),
];

/** What `/sites` of the API and `daybook site list --json` show of a site. */
export interface SiteSummary extends Pick<Site, 'publicKey' | 'domain' | 'timezone' | 'currency' | 'identityMode'> {
  id: string;
  /** ISO 8601 with Z. */
  createdAt: string;
}

export const siteSummary = (site: Site): SiteSummary => ({
  id: site.uuid,
  publicKey: site.publicKey,
  domain: site.domain,
  timezone: site.timezone,
  currency: site.currency,
  identityMode: site.identityMode,
  createdAt: isoTime(site.createdAt),
});

/** What the owner of a site sees and sets besides. */
const ownersNames = [
  ...(['aliases', 'excludedIps', 'excludedPaths', 'allowedHosts', 'excludedCountries'] as const),
  ...(['senderHits', 'senderBurst', 'keepDays'] as const),
  ...(['embedHosts', 'leftOut'] as const),
] as const;

/** What the dashboard and `daybook site list` show the owner of a site. */
export interface OwnersSite extends SiteSummary, Pick<Site, (typeof ownersNames)[number]> {}

export const ownersSite = (site: Site): OwnersSite => ({
  ...siteSummary(site),
  ...(Object.fromEntries(ownersNames.map(name => [name, site[name]])) as Pick<Site, (typeof ownersNames)[number]>),
});

/** What `/rollups` of the API and `daybook rollup list --json` show of a rollup. */
export const rollupSummary = (rollup: Rollup, members: readonly Site[]) => ({
  id: rollup.uuid,
  name: rollup.domain,
  timezone: rollup.timezone,
  currency: rollup.currency,
  sites: members.map(({ uuid }) => uuid),
  createdAt: isoTime(rollup.createdAt),
});

export const plans = ['hobby', 'pro', 'business', 'unlimited'] as const;
export type Plan = (typeof plans)[number];

/** How many days back a plan lets its account read; null is no bound (docs/api.md, "Access"). */
export const planRetentionDays: Record<Plan, number | null> = { hobby: 30, pro: 730, business: 1826, unlimited: null };

/**
 * Price of each hundred thousand hits that a plan's quota does not include, in US dollars; null for
 * no price.
 */
export const planOverageUsd: Record<Plan, number | null> = { hobby: null, pro: 2, business: 1, unlimited: null };
export const overageHits = 100_000;

/** The owner of sites and keys, which people see as their team. */
export interface Account {
  id: number;
  /** What the dashboard calls the team's id. */
  uuid: string;
  name: string;
  plan: Plan;
  createdAt: number;
  /** Whether its members need a second factor. */
  secondFactor: boolean;
}

export interface ApiKey {
  id: number;
  accountId: number;
  name: string;
  lastFour: string;
  createdAt: number;
  lastUsedAt: number | null;
  scopes: KeyScope[];
  /** UUIDs of the only sites that it is for; null for all of the account, those to come too. */
  sites: string[] | null;
  /** UTC milliseconds; null for never. */
  expiresAt: number | null;
  /** Id of the person who made it; null for a command. */
  madeBy: number | null;
}
