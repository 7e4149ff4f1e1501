/**
 * What every page may need: who is signed in, the server, the clock. It comes from main.tsx, which
 * alone reads the browser's clock.
 */
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { type HideablePart, partOfField, partOfMetric } from '../../model/public-parts.ts';
import type { Right } from '../../model/rights.ts';
import { type SitePageRow, sitePages } from '../../model/site-pages.ts';
import type { TableMetricName } from '../../model/table-metrics.ts';
import type { Me, SharedSite, SignInWays, SiteView } from '../wire.ts';
import type { AppClient } from './client.ts';
import type { Freshness } from './freshness.ts';
import { type SitePage, sitePageNames } from './routes.ts';

export interface AppState {
  /** Who is signed in. */
  me: Me | null;
  /** Set on a shared page. */
  share: { site: SharedSite; token: string } | null;
  /** What people can sign in with. */
  ways: SignInWays;
  client: AppClient;
  freshness: Freshness;
  /** UTC milliseconds. */
  now: () => number;
  /** Sets who is signed in, once the texts of their language are there; null for nobody. */
  setMe(me: Me | null): Promise<void>;
  /** Adds or changes a site in the list; null removes it. */
  setSite(id: string, site: SiteView | null): void;
}

export const AppContext = createContext<AppState | null>(null);
export const useApp = (): AppState => useContext(AppContext)!;

/** The site that a page is about. */
export interface SiteState {
  site: SharedSite;
  /** With everything its owner may see; null on a shared page. */
  own: SiteView | null;
  /** What somebody who is signed in may do with it; nothing on a shared page. */
  rights: ReadonlySet<Right>;
  /** Path of its first page. */
  base: string;
}

/** Whether somebody may see a part of the site's numbers. */
export const isShown = ({ site, own }: SiteState, part: HideablePart | undefined): boolean => {
  if (part === undefined) return true;
  return !(own ?? site).hidden.includes(part);
};

/** The same for a field of breakdowns and filters. */
export const isFieldShown = (state: SiteState, field: string): boolean => isShown(state, partOfField(field));

/** The same for metrics. */
export const shownMetrics = <Name extends TableMetricName>(state: SiteState, names: readonly Name[]): Name[] =>
  names.filter(name => isShown(state, partOfMetric(name)));

/** The pages of a site that somebody may see, in the order of the navigation. */
export const shownPages = (state: SiteState): SitePage[] =>
  sitePageNames.filter(name => {
    const { isPublic, part } = sitePages[name] as SitePageRow;
    // Of a rollup there is nothing to set for somebody who may not.
    if (name === 'settings' && state.own?.members !== null && !state.rights.has('settings')) return false;
    return (state.own !== null || isPublic) && isShown(state, part);
  });

export const SiteContext = createContext<SiteState | null>(null);
export const useSite = (): SiteState => useContext(SiteContext)!;
