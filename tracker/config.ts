/** What the attributes of the script tag say (docs/tracker.md, "Attributes"). Booleans are compared as strings. */

export interface Config {
  /** Public key of the site, or its id in an Umami tag; empty when the tag names none. */
  site: string;
  /** Collector origin, without trailing slash. */
  api: string;
  hash: boolean;
  outbound: boolean;
  auto: boolean;
  /** Path globs; the empty one matches nothing. */
  exclude: string[];
  /** Host names that alone are counted; all when the first is empty. An attribute of Umami's tag. */
  domains: string[];
  vitals: boolean;
  cookies: boolean;
}

const list = (text = ''): string[] => text.trim().split(/\s*,\s*/);

/** Reads our attributes, and those of an Umami tag that mean the same. Throws when neither the tag nor `data-api` names a collector. */
export const readConfig = ({ dataset, src }: Pick<HTMLScriptElement, 'dataset' | 'src'>): Config => ({
  site: dataset.site || dataset.websiteId || '',
  api: (dataset.api || dataset.hostUrl || new URL(src).origin).replace(/\/$/, ''),
  hash: dataset.hash === 'true',
  outbound: dataset.outbound !== 'false',
  auto: (dataset.auto || dataset.autoTrack) !== 'false',
  exclude: list(dataset.exclude),
  domains: list(dataset.domains),
  vitals: dataset.vitals !== 'false',
  cookies: dataset.cookies === 'true',
});
