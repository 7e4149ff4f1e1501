/** The pages of a site, for the server and the app. */
import type { HideablePart } from './public-parts.ts';

/** The places of the navigation: each leads to one page or several. */
export const sitePlaces = ['overview', 'behaviour', 'visits', 'technical', 'settings'] as const;
export type SitePlace = (typeof sitePlaces)[number];

/**
 * The pages of a site, in the order of the navigation. `key` follows `g` on the keyboard. A shared
 * dashboard has the public pages; visits are not public, since they show single people and may name
 * them.
 */
export const sitePages = {
  '': { place: 'overview', key: 'o', docs: 'definitions#metrics', isPublic: true },
  events: { place: 'behaviour', key: 'e', docs: 'tracker#calls', isPublic: true, part: 'events' },
  funnels: { place: 'behaviour', key: 'f', docs: 'definitions#funnels', isPublic: true },
  journeys: { place: 'behaviour', key: 'j', docs: 'definitions#journeys', isPublic: true },
  visits: { place: 'visits', key: 'v', docs: 'collecting#visits', isPublic: false, part: 'visits' },
  realtime: { place: 'visits', key: 'r', docs: 'definitions#other-figures', isPublic: true },
  vitals: { place: 'technical', key: 'w', docs: 'definitions#web-vitals', isPublic: true, part: 'vitals' },
  crawlers: {
    place: 'technical',
    key: 'c',
    docs: 'collecting#crawlers-that-run-no-script',
    isPublic: true,
    part: 'crawlers',
  },
  failures: { place: 'technical', key: 'n', docs: 'tracker#what-is-counted', isPublic: false },
  health: { place: 'technical', key: 'h', docs: 'definitions#outcomes', isPublic: true, part: 'outcomes' },
  settings: { place: 'settings', key: 's', docs: 'operations', isPublic: false },
} as const satisfies Record<string, SitePageRow>;

export interface SitePageRow {
  place: SitePlace;
  key: string;
  /** What the documents say about it: a page, and a heading. */
  docs: string;
  isPublic: boolean;
  /** What it tells of, where somebody may not see that. */
  part?: HideablePart;
}
