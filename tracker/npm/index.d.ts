/** Daybook's tracker for bundlers: https://www.npmjs.com/package/@daybook/tracker */

/** Up to 50 properties of an event, or traits of a visitor. Keys keep 200 characters, texts 500. */
export interface Properties {
  [key: string]: string | number | bigint | boolean | Date | null | undefined;
}

export interface Options {
  /** Public key of the site. */
  site: string;
  /** Where the collector is, such as `https://stats.example.com`. */
  api: string;
  /** Whether a change of the hash is a pageview. Default false. */
  hash?: boolean | undefined;
  /** Whether clicks on links to other hosts are events. Default true. */
  outbound?: boolean | undefined;
  /** Whether the first page is counted by itself. Default true. */
  auto?: boolean | undefined;
  /** Path globs whose pages send nothing. */
  exclude?: readonly string[] | undefined;
  /** Whether Core Web Vitals are measured. Default true. */
  vitals?: boolean | undefined;
  /** Whether the site is known to be in cookie mode, so that nobody need ask. Default false. */
  cookies?: boolean | undefined;
  /** Whether visitors who ask not to be tracked are left out. Default false. */
  respectDnt?: boolean | undefined;
}

export interface Tracker {
  /** Sends a custom event; with a `revenue` among the properties, a revenue event of that name. */
  track(name: string, properties?: Properties): void;
  /** Sends a pageview of the current address. Needed only with `auto: false`. */
  pageview(): void;
  /** Names the visitor of this visit. */
  identify(traits: Properties): void;
  identify(id: string | number, traits?: Properties): void;
  /** Sends revenue in minor units of the currency (default USD), as the event `revenue`. */
  revenue(amount: number | bigint | `${bigint}`, currency?: string, properties?: Properties): void;
}

/**
 * Starts the tracker for a site and gives its calls. A second call for the same site and collector
 * gives the first one's tracker. Where there is no document, as on a server, it does nothing.
 */
export function init(options: Options): Tracker;

/** These go to the tracker that `init` made first; calls before it wait. */
export function track(name: string, properties?: Properties): void;
export function pageview(): void;
export function identify(traits: Properties): void;
export function identify(id: string | number, traits?: Properties): void;
export function revenue(amount: number | bigint | `${bigint}`, currency?: string, properties?: Properties): void;
