/**
 * The hosts that hits named and that their sites do not allow, for owners who have forgotten one:
 * the last few of some sites, in memory. Strangers choose these names.
 */
import { lru } from 'tiny-lru';
import type { OtherHost } from '../model/other-host.ts';
import { domainOf, ValueError } from '../model/values.ts';

export type OtherHosts = ReturnType<typeof otherHosts>;

const sitesMax = 1000;
const hostsMax = 20;

export const otherHosts = () => {
  const bySite = lru<Map<string, OtherHost>>(sitesMax);
  return {
    note(siteId: number, host: string, at: number): void {
      const hosts = bySite.get(siteId) ?? new Map<string, OtherHost>();
      bySite.set(siteId, hosts);
      const known = hosts.get(host);
      hosts.delete(host);
      if (hosts.size >= hostsMax) hosts.delete(hosts.keys().next().value!);
      hosts.set(host, { host, hits: (known?.hits ?? 0) + 1, lastAt: at });
    },
    /** The most hits first. */
    of: (siteId: number): OtherHost[] =>
      [...(bySite.get(siteId)?.values() ?? [])].filter(({ host }) => isDomain(host)).sort((a, b) => b.hits - a.hits),
  };
};

/** Others cannot be allowed. */
const isDomain = (host: string): boolean => {
  try {
    return domainOf(host) === host;
  } catch (error) {
    if (error instanceof ValueError) return false;
    throw error;
  }
};
