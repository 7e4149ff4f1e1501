/** A hit of the past as a reader of a file finds it: the collector's hit, and what else is told. */
import type { VisitTextName } from './visit-fields.ts';

export interface PastHit {
  /** UTC milliseconds. */
  at: number;
  /** The client's address as it was written, and its user agent; empty where the file has none. */
  address: string;
  userAgent: string;
  /** What the file knows of the visitor. The rest is worked out of address and user agent. */
  told: Told;
  /** A Hit as POST /e takes it, but for its `s`. */
  hit: Record<string, unknown>;
  /** What a server's log tells of the request. Crawlers in it are counted as such. */
  request?: { status: number; method: string; isPageView: boolean };
}

export interface Told {
  /** The source's id of the visitor; by it visitors of a UTC day are told apart. */
  visitor?: string | undefined;
  /** The id outlives the day: in cookie mode it is the visitor's on all days. */
  lasts?: boolean;
  /** The source's id of the visit, to count what the source counts. */
  visit?: string | undefined;
  /** Texts of the visit. One that is null is known not to be known. */
  texts?: Partial<Record<VisitTextName, string | null>>;
}
