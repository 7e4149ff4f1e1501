/** What a demo site is made of: its pages, what people do on them, and how they come. Plain tables; visits.ts walks through them. */
import type { IdentityMode } from '../../model/site.ts';
import type { Browser } from './browsers.ts';
import type { Today } from './calendar.ts';
import type { Country } from './places.ts';
import type { Chance, Weighted } from './random.ts';

/** Somebody who visits the site, on one day or again and again. */
export interface Person {
  country: Country;
  ip: string;
  browser: Browser;
  language: string;
  /** The visitor id of cookie mode. */
  cookie: string;
  /** Set once they have signed up. */
  account: { email: string; plan: string; seats: number } | null;
}

/** Fields of a hit's body (model/hit.ts) besides those that every hit of the visit has. */
export type HitFields = Record<string, unknown>;

/** Something that happens on a page with a probability; null when it does not after all. */
export interface Action {
  probability: number;
  hit: (chance: Chance, person: Person, host: string) => HitFields | null;
}

/** Pages of one kind: people behave alike on them. */
export interface PageKind {
  /** Where the hosts of a site differ, its prefix, such as `docs.`. */
  host?: string;
  /** Path, with its query where it has one, and title. `{word}` in a path is replaced by one of the site's search words. */
  pages: Weighted<readonly [path: string, title: string]>;
  /** Median time that people look at one. */
  seconds: number;
  /** Probability that the visit ends here. */
  leave: number;
  next: Weighted<string>;
  actions?: readonly Action[];
}

export interface Source {
  /** How many visits it brings on a day, relative to the other sources and days. */
  visits: (today: Today) => number;
  referrer: string | null;
  /** Query of the landing page, such as its campaign. */
  query?: string;
  /** Kinds of page that people land on. */
  lands: Weighted<string>;
  /** How much likelier than usual people leave at once. */
  bounces: number;
  mobileShare: number;
  /** `customer`: people who have signed up; `staff`: the site's own. Anyone else otherwise. */
  who?: 'customer' | 'staff';
}

export interface Profile {
  domain: string;
  timezone: string;
  currency: string;
  identityMode: IdentityMode;
  excludedIps: string[];
  /** Share of all hits of the demo. */
  share: number;
  /** Of those who are no customers, how many have been here before. */
  returning: number;
  kinds: Readonly<Record<string, PageKind>>;
  sources: readonly Source[];
  searchWords: readonly string[];
}
