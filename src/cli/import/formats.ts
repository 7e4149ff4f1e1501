/** The formats of an import: when a line happened, and what the pipeline makes of it. */
import { createHash } from 'node:crypto';
import type { Pipeline } from '../../collect/pipeline.ts';
import { userAgentCharsMax } from '../../collect/user-agent.ts';
import { clientAddressReader } from '../../http/client-address.ts';
import { canonicalRange } from '../../model/address.ts';
import type { Site } from '../../model/site.ts';
import type { Entry } from '../../store/write/recorder.ts';
import { type LoggedRequest, parseCombined } from './combined.ts';
import { parseNdjson } from './ndjson.ts';
import { isPageView, urlOf } from './pages.ts';

export interface Format {
  /** UTC milliseconds; null when the text is no line of the format. */
  timeOf(line: string): number | null;
  /** What a line writes. `timeOf` must have known its time. */
  entryOf(line: string, site: Site, pipeline: Pipeline): Entry;
}

/** `canonical` gives the canonical form of an address, and an empty text for any other text. */
type MakeFormat = (canonical: (address: string) => string) => Format;

const ndjson: MakeFormat = canonical => ({
  timeOf: line => parseNdjson(line)?.at ?? null,
  entryOf(line, site, pipeline) {
    const { at, address: written, userAgent, hit } = parseNdjson(line)!;
    const address = canonical(written);
    if (address === '') return { siteId: site.id, at, outcome: 'import-malformed' };
    const body = { ...hit, s: site.publicKey };
    return pipeline.process({ at, address, userAgent: userAgent.slice(0, userAgentCharsMax), body });
  },
});

/** Crawlers go to the crawlers view, with the status they got. Page views of others are hits. */
const combined: MakeFormat = canonical => ({
  timeOf: line => parseCombined(line)?.at ?? null,
  entryOf(line, site, pipeline) {
    const request = parseCombined(line)!;
    const { at, host, referrer } = request;
    const noPage: Entry = { siteId: site.id, at, outcome: 'import-no-page' };
    const url = urlOf(request.target, site.domain);
    if (url === null) return noPage;
    const client = {
      at,
      address: canonical(host) || standInFor(host),
      userAgent: request.userAgent.slice(0, userAgentCharsMax),
    };
    const [crawl] = pipeline.reports([{ ...client, body: reportOf(request, site, url) }]) as [Entry];
    if (crawl.outcome === 'crawler') return crawl;
    if (!isPageView(request)) return noPage;
    return pipeline.process({ ...client, body: { s: site.publicKey, u: url, r: referrer } });
  },
});

const reportOf = ({ userAgent, status, method }: LoggedRequest, site: Site, url: string): Record<string, unknown> => ({
  s: site.publicKey,
  u: url,
  ua: userAgent,
  st: status,
  m: method,
});

/**
 * An address for a client that was logged by its name, so that visitors are still told apart. It is
 * made of the name, in fd00::/8: no public network has it, so it has no place.
 */
const standInFor = (name: string): string => {
  if (name === '') return '';
  const digits = createHash('sha256').update(name.toLowerCase()).digest('hex').slice(0, 30);
  return canonicalRange(`fd${digits}`.match(/.{4}/g)!.join(':'))!;
};

const makers = { ndjson, combined } as const satisfies Record<string, MakeFormat>;
export type FormatName = keyof typeof makers;
export const formatNames = Object.keys(makers) as FormatName[];

/** A format, with a memory for the addresses it has seen. */
export const makeFormat = (name: FormatName): Format => {
  const reader = clientAddressReader([]);
  return makers[name](address => reader(address, undefined));
};

/** The format that a first line looks like. */
export const formatOfLine = (line: string): FormatName => (line.trimStart().startsWith('{') ? 'ndjson' : 'combined');
