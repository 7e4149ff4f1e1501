/** A hit of the past as a reader of a file finds it: the collector's hit, and what else is told. */
import type { VisitTextName } from './visit-fields.ts';
import type { VitalValues } from './vitals.ts';

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
  /** How it ended is among the `outcome` records of the file, and is not counted again. */
  isCounted?: boolean;
}

/** What is recorded besides hits: web vitals, and counts of what came in a time that began `at`. */
export type PastRecord = PastVital | PastCount;

export interface PastVital extends VitalValues {
  record: 'vital';
  /** UTC milliseconds. */
  at: number;
  path: string;
  device: string;
}

/**
 * Above all that is counted in a quarter of an hour. Files are not trusted: no lines together bring
 * more of one thing either, so that sums of many imports stay far below 64 bits.
 */
export const countMax = 1e9;

export interface PastCount {
  record: 'crawl' | 'outcome' | 'other_text';
  /** UTC milliseconds: a quarter of an hour of crawls, an hour of all else. */
  at: number;
  /** The crawler, the outcome, or the kind of texts. */
  name: string;
  /** The path that was crawled, or whose part of the allowance was used up. */
  text: string;
  /** Of a crawl; 0 where nobody told it. */
  status: number;
  count: number;
}

export interface Told {
  /** The source's id of the visitor; by it visitors of a UTC day are told apart. */
  visitor?: string | undefined;
  /** The id outlives the day: in cookie mode it is the visitor's on all days. */
  lasts?: boolean;
  /** Of an export: that the visitor is the site's own (visitor-proof.ts). */
  proof?: string;
  /** The source's id of the visit, to count what the source counts. */
  visit?: string | undefined;
  /** Texts of the visit. One that is null is known not to be known. */
  texts?: Partial<Record<VisitTextName, string | null>>;
}
