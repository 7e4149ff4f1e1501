/** Formats whose lines stand for themselves: NDJSON, and the access logs of web servers. */
import { createHash } from 'node:crypto';
import { withoutWww } from '../collect/page-url.ts';
import type { LineFormat } from '../compat/import-format.ts';
import { clientAddressReader } from '../http/client-address.ts';
import { canonicalRange } from '../model/ip-ranges.ts';
import type { Site } from '../model/site.ts';
import { type LoggedRequest, parseCombined } from './combined.ts';
import { parseJsonLog } from './json-log.ts';
import { parseNdjson } from './ndjson.ts';
import { isPageView, urlOf } from './pages.ts';

/** The canonical form of an address, and an empty text for any other text; with a memory. */
const canonicalAddresses = (): ((address: string) => string) => {
  const reader = clientAddressReader([]);
  return address => reader(address, undefined);
};

export const ndjson: LineFormat = {
  ...{ name: 'ndjson', title: 'Daybook (NDJSON)', kind: 'hits' },
  isLine: line => line.trimStart().startsWith('{'),
  lines() {
    const canonical = canonicalAddresses();
    return line => {
      const parsed = parseNdjson(line);
      if (parsed === null) return 'import-malformed';
      if ('record' in parsed) return parsed;
      const address = parsed.address === '' ? '' : canonical(parsed.address);
      if (address === '' && (parsed.address !== '' || parsed.told.visitor === undefined)) return 'import-malformed';
      return { ...parsed, address };
    };
  },
};

/** A log of requests; lines of other sites of the server are left out. */
const accessLog = (
  names: Pick<LineFormat, 'name' | 'title'>,
  parse: (line: string) => LoggedRequest | null,
): LineFormat => ({
  ...{ ...names, kind: 'hits' },
  isLine: line => parse(line) !== null,
  lines(site) {
    const canonical = canonicalAddresses();
    const isOwn = hostTest(site);
    return line => {
      const logged = parse(line);
      if (logged === null) return 'import-malformed';
      const { at, host, userAgent, status, method } = logged;
      if (!isOwn(logged.virtualHost)) return 'unknown-site';
      const url = urlOf(logged.target, site.domain);
      if (url === null) return 'import-no-page';
      const address = canonical(host) || standInFor(host);
      const request = { status, method, isPageView: isPageView(logged) };
      return { at, address, userAgent, told: {}, hit: hitOf(logged, url), request };
    };
  },
});

export const combined = accessLog({ name: 'combined', title: 'Access log' }, parseCombined);
export const jsonLog = accessLog({ name: 'json-log', title: 'Access log (JSON: Caddy, nginx)' }, parseJsonLog);

/** Whether a server's site is this one: by its domain or an alias. What is not logged is. */
const hostTest = ({ domain, aliases }: Site): ((host: string) => boolean) => {
  const own = new Set(['', ...[domain, ...aliases].map(name => withoutWww(name.toLowerCase()))]);
  return host => own.has(withoutWww(host.toLowerCase().replace(/:\d+$/, '')));
};

const hitOf = ({ referrer }: LoggedRequest, url: string): Record<string, unknown> => ({ u: url, r: referrer });

/**
 * An address for a client that was logged by its name, so that visitors are still told apart. It is
 * made of the name, in fd00::/8: no public network has it, so it has no place.
 */
const standInFor = (name: string): string => {
  if (name === '') return '';
  const digits = createHash('sha256').update(name.toLowerCase()).digest('hex').slice(0, 30);
  return canonicalRange(`fd${digits}`.match(/.{4}/g)!.join(':'))!;
};
