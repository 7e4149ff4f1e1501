/**
 * What the attributes of the script tag say (docs/tracker.md, "Attributes"). Booleans are compared
 * as strings.
 */
import type { WireHit } from '../src/model/hit.ts';

export interface Config {
  /** Public key of the site, or its id in an Umami tag; empty when the tag names none. */
  site: string;
  /**
   * What `/e` and `/c/…` are put behind: the collector's origin, without trailing slash, or the one
   * address that another product's tag knows, with `?` at its end.
   */
  api: string;
  /** What of the hash is part of the path when two addresses are compared. */
  hash: RegExp | false;
  outbound: boolean;
  auto: boolean;
  /** Path globs; the empty one matches nothing. */
  exclude: string[];
  vitals: boolean;
  cookies: boolean;
  /**
   * Whether visitors who ask not to be tracked (Do Not Track, Global Privacy Control) are left out.
   */
  dnt: boolean;
  /** The page itself says when it shows another one. */
  isManual?: boolean;
  /** Another product's reasons to send nothing from the current page. */
  isOff?: () => boolean;
  /** Another product's last word on a hit: the hit to send, or nothing. */
  change: (hit: WireHit) => WireHit | undefined;
}

/**
 * The parts between commas, without the spaces around them; one empty part when there is nothing.
 */
export const listOf = (text = ''): string[] => text.trim().split(/\s*,\s*/);

/**
 * Every hash but the empty one that routers in the hash begin with: they make `/` into `/#/`, which
 * is the same page.
 */
export const anyHash = /[^#/].*/;

/** Throws when neither the tag's `src` nor `data-api` names a collector. */
export const readConfig = ({ dataset, src }: Pick<HTMLScriptElement, 'dataset' | 'src'>): Config => ({
  site: dataset.site || '',
  api: (dataset.api || new URL(src).origin).replace(/\/$/, ''),
  hash: dataset.hash === 'true' && anyHash,
  outbound: dataset.outbound !== 'false',
  auto: dataset.auto !== 'false',
  exclude: listOf(dataset.exclude),
  vitals: dataset.vitals !== 'false',
  cookies: dataset.cookies === 'true',
  dnt: dataset.respectDnt === 'true',
  change: hit => hit,
});
