/** Which path shows which page: one list for the router, the navigation and the shortcuts. */
import { sitePages } from '../../model/site-pages.ts';
import { t } from './texts/text.ts';

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
