/** What every page may need: who looks, the server, the clock. Handed down from main.tsx, the one place that reads the browser's own. */
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Me, SharedSite, SiteView } from '../wire.ts';
import type { Client } from './client.ts';

export interface AppState {
  /** Who is signed in. */
  me: Me | null;
  /** Of a shared page. */
  share: { site: SharedSite; token: string } | null;
  client: Client;
  /** UTC milliseconds. */
  now: () => number;
  /** Told who is signed in from now on, or that nobody is. */
  setMe(me: Me | null): void;
  /** Puts a site that was added or changed in its place among the others; null takes it out. */
  setSite(id: string, site: SiteView | null): void;
}

export const AppContext = createContext<AppState | null>(null);
export const useApp = (): AppState => useContext(AppContext)!;

/** The site that a page is about. */
export interface SiteState {
  site: SharedSite;
  /** With everything its owner may see; null on a shared page. */
  own: SiteView | null;
  /** Path of its first page. */
  base: string;
}

export const SiteContext = createContext<SiteState | null>(null);
export const useSite = (): SiteState => useContext(SiteContext)!;
