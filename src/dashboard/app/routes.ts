/** Which path shows which page: one list for the router, the navigation and the shortcuts. */
import type { PublicPart } from '../../model/public-parts.ts';
import { t } from './texts/text.ts';

/**
 * The pages of a site, in the order of the navigation. `key` follows `g` on the keyboard. A shared
 * dashboard has the public pages; visits are not public, since they show single people and may name
 * them.
 */
export const sitePages = {
  '': { key: 'o', isPublic: true },
  events: { key: 'e', isPublic: true, part: 'events' },
  funnels: { key: 'f', isPublic: true },
  journeys: { key: 'j', isPublic: true },
  visits: { key: 'v', isPublic: false },
  realtime: { key: 'r', isPublic: true },
  vitals: { key: 'w', isPublic: true },
  crawlers: { key: 'c', isPublic: true, part: 'crawlers' },
  failures: { key: 'n', isPublic: false },
  health: { key: 'h', isPublic: true, part: 'outcomes' },
  settings: { key: 's', isPublic: false },
} as const satisfies Record<string, SitePageRow>;

export interface SitePageRow {
  key: string;
  isPublic: boolean;
  /** What it tells of, where a public page may not show that. */
  part?: PublicPart;
}

export type SitePage = keyof typeof sitePages;
/** What it is called on the pages. */
export const pageLabel = (page: SitePage): string => t(`page.${page === '' ? 'overview' : page}`);
export const sitePageNames = Object.keys(sitePages) as SitePage[];

export type PageRoute =
  | { kind: 'sites' }
  | { kind: 'sign-in' }
  | { kind: 'first-run' }
  | { kind: 'set-password' }
  | { kind: 'settings' }
  | { kind: 'add-site' }
  /** `base` is the path of the site's first page; the others are below it. */
  | { kind: 'site'; base: string; site: string; page: SitePage }
  | { kind: 'share'; base: string; page: SitePage }
  | { kind: 'unknown' };

const plain: Readonly<Record<string, PageRoute>> = {
  '/': { kind: 'sites' },
  '/sign-in': { kind: 'sign-in' },
  '/first-run': { kind: 'first-run' },
  '/set-password': { kind: 'set-password' },
  '/settings': { kind: 'settings' },
  '/settings/add-site': { kind: 'add-site' },
};

export const routeOf = (path: string): PageRoute => {
  if (Object.hasOwn(plain, path)) return plain[path]!;
  const [, base, kind, name, page = ''] = /^(\/(sites|share)\/([^/]+))(?:\/([^/]*))?$/.exec(path) ?? [];
  if (base === undefined || name === undefined || !isSitePage(page)) return { kind: 'unknown' };
  if (kind === 'sites') return { kind: 'site', base, site: decodeURIComponent(name), page };
  return sitePages[page].isPublic ? { kind: 'share', base, page } : { kind: 'unknown' };
};

const isSitePage = (name: string): name is SitePage => Object.hasOwn(sitePages, name);

/** The path of one of a site's pages. */
export const pagePath = (base: string, page: SitePage): string => (page === '' ? base : `${base}/${page}`);
export const sitePath = (domain: string): string => `/sites/${encodeURIComponent(domain)}`;
