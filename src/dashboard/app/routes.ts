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
  | { kind: 'invitation' }
  | { kind: 'mute' }
  | { kind: 'settings' }
  | { kind: 'authorize' }
  | { kind: 'add-site' }
  /** `base` is the path of the site's first page; the others are below it. */
  | { kind: 'site'; base: string; site: string; page: SitePage }
  | { kind: 'share'; base: string; page: SitePage }
  | { kind: 'unknown' };

/** A page of the documents, and where in it: `tracker`, `definitions#funnels`. */
export type DocsPlace = string;
export const docsPath = (place: DocsPlace): string => `/docs/${place}`;

/** What the documents say about pages that are not about one site. */
const plainDocs: Readonly<Partial<Record<PageRoute['kind'], DocsPlace>>> = {
  sites: 'definitions#rollups',
  'add-site': 'tracker',
  'sign-in': 'operations#signing-in',
  'first-run': 'operations#signing-in',
  'set-password': 'operations#signing-in',
  invitation: 'people#inviting',
  mute: 'alerts#messages',
  settings: 'api#access',
  authorize: 'mcp#access-without-a-key',
};

/** What they say about a page; of any other, their list. */
export const docsOf = (route: PageRoute): string => {
  if (route.kind === 'site' || route.kind === 'share') return docsPath(sitePages[route.page].docs);
  const place = plainDocs[route.kind];
  return place === undefined ? '/docs' : docsPath(place);
};

const plain: Readonly<Record<string, PageRoute>> = {
  '/': { kind: 'sites' },
  '/sign-in': { kind: 'sign-in' },
  '/first-run': { kind: 'first-run' },
  '/set-password': { kind: 'set-password' },
  '/invitation': { kind: 'invitation' },
  '/mute': { kind: 'mute' },
  '/settings': { kind: 'settings' },
  '/oauth/authorize': { kind: 'authorize' },
  '/settings/add-site': { kind: 'add-site' },
};

export const routeOf = (path: string): PageRoute => {
  if (Object.hasOwn(plain, path)) return plain[path]!;
  const [, base, kind, name, page = ''] = /^(\/(sites|share)\/([^/]+))(?:\/([^/]*))?$/.exec(path) ?? [];
  if (base === undefined || name === undefined || !isSitePage(page)) return { kind: 'unknown' };
  if (kind === 'sites') return { kind: 'site', base, site: decodeURIComponent(name), page };
  return sitePages[page].isPublic ? { kind: 'share', base, page } : { kind: 'unknown' };
};

/** What stands in the path of a public page; null for another path. */
export const shareTokenOf = (path: string): string | null => {
  const route = routeOf(path);
  return route.kind === 'share' ? decodeURIComponent(route.base.slice('/share/'.length)) : null;
};

const isSitePage = (name: string): name is SitePage => Object.hasOwn(sitePages, name);

/** The path of one of a site's pages. */
export const pagePath = (base: string, page: SitePage): string => (page === '' ? base : `${base}/${page}`);
export const sitePath = (domain: string): string => `/sites/${encodeURIComponent(domain)}`;
