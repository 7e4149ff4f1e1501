/** Links to public pages of a site. */
import type { PublicPart } from './public-parts.ts';

/** What a link shows, and to whom. */
export interface ShareSettings {
  /** One of the site's; what a link of earlier versions is called is `publicShareName`. */
  name: string;
  /** What it shows besides the numbers. */
  parts: PublicPart[];
  /** Name of the segment that all its numbers are of; null for all hits. */
  segment: string | null;
  /** The record of its password; null for none. */
  password: string | null;
  /** UTC milliseconds; null for never. */
  expiresAt: number | null;
}

export interface ShareLink extends ShareSettings {
  id: number;
  siteId: number;
  /** 43 base62 characters, which stand in its address. */
  token: string;
  createdAt: number;
  lastUsedAt: number | null;
}

export const publicShareName = 'public';

export const newShare: Omit<ShareSettings, 'name'> = { parts: [], segment: null, password: null, expiresAt: null };
