/**
 * Ranges of addresses as people write them: the IPs that a site excludes, and the proxies that are
 * trusted.
 */
import ipaddr from 'ipaddr.js';
import { ipv4Bits } from './address.ts';

/**
 * An address or CIDR range in its canonical form; null when it is neither. IPv4-mapped IPv6 becomes
 * IPv4, and loose spellings that only some parsers take (`127.1`, `0x7f.0.0.1`, a zone as in
 * `fe80::1%eth0`) are refused.
 */
export const canonicalRange = (text: string): string | null => {
  const [address, prefix, ...rest] = text.trim().split('/');
  if (address === undefined || rest.length > 0) return null;
  if (!ipaddr.IPv4.isValidFourPartDecimal(address) && (!ipaddr.IPv6.isValid(address) || address.includes('%')))
    return null;
  const given = ipaddr.parse(address);
  const plain = ipaddr.process(address);
  if (prefix === undefined) return plain.toString();
  if (!/^\d{1,3}$/.test(prefix)) return null;
  // A mapped range counts its bits from the start of the IPv6 address, 96 before the IPv4 one.
  const bits = Number(prefix) - (plain.kind() === given.kind() ? 0 : 96);
  if (bits < 0 || bits > (plain.kind() === 'ipv4' ? 32 : 128)) return null;
  return `${plain}/${bits}`;
};

/**
 * Tells whether a canonical address is in one of the entries: `loopback`, `private`, addresses, or
 * CIDR ranges. Other entries hold none.
 */
export const addressMatcher = (entries: readonly string[]): ((address: string) => boolean) => {
  const ranges = entries.flatMap(entry => namedRanges[entry] ?? canonicalRange(entry) ?? []).map(rangeOf);
  const ipv4 = ranges.filter(range => range.kind === 'ipv4');
  const ipv6 = ranges.filter(range => range.kind === 'ipv6');
  return address => {
    const bits = ipv4Bits(address);
    if (bits >= 0) return ipv4.some(({ first, last }) => bits >= first && bits <= last);
    if (ipv6.length === 0 || address === '') return false;
    const parsed = ipaddr.IPv6.parse(address);
    return ipv6.some(({ network, prefix }) => parsed.match(network, prefix));
  };
};

/** The words that TRUST_PROXY takes. `private` is what no public network routes. */
const namedRanges: Record<string, readonly string[]> = {
  loopback: ['127.0.0.0/8', '::1/128'],
  private: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '169.254.0.0/16', 'fc00::/7', 'fe80::/10'],
};

type Range = { kind: 'ipv4'; first: number; last: number } | { kind: 'ipv6'; network: ipaddr.IPv6; prefix: number };

const rangeOf = (canonical: string): Range => {
  const [address = '', prefix] = canonical.split('/');
  const bits = ipv4Bits(address);
  if (bits < 0) return { kind: 'ipv6', network: ipaddr.IPv6.parse(address), prefix: Number(prefix ?? 128) };
  const size = 2 ** (32 - Number(prefix ?? 32));
  const first = bits - (bits % size);
  return { kind: 'ipv4', first, last: first + size - 1 };
};
