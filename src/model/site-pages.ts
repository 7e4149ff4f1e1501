/** The pages of a site, for the server and the app. */
import type { PublicPart } from './public-parts.ts';

/** The places of the navigation: each leads to one page or several. */
export const sitePlaces = ['overview', 'behaviour', 'visits', 'technical', 'settings'] as const;
export type SitePlace = (typeof sitePlaces)[number];

/**
 * The pages of a site, in the order of the navigation. `key` follows `g` on the keyboard. A shared
 * dashboard has the public pages; visits are not public, since they show single people and may name
 * them.
 */
export const sitePages = {
  '': { place: 'overview', key: 'o', isPublic: true },
  events: { place: 'behaviour', key: 'e', isPublic: true, part: 'events' },
  funnels: { place: 'behaviour', key: 'f', isPublic: true },
  journeys: { place: 'behaviour', key: 'j', isPublic: true },
  visits: { place: 'visits', key: 'v', isPublic: false },
  realtime: { place: 'visits', key: 'r', isPublic: true },
  vitals: { place: 'technical', key: 'w', isPublic: true },
  crawlers: { place: 'technical', key: 'c', isPublic: true, part: 'crawlers' },
  failures: { place: 'technical', key: 'n', isPublic: false },
  health: { place: 'technical', key: 'h', isPublic: true, part: 'outcomes' },
  settings: { place: 'settings', key: 's', isPublic: false },
} as const satisfies Record<string, SitePageRow>;

export interface SitePageRow {
  place: SitePlace;
  key: string;
  isPublic: boolean;
  /** What it tells of, where a public page may not show that. */
  part?: PublicPart;
}
