/**
 * Addresses, and ranges of them as an operator writes them: a site's excluded IPs and the trusted
 * proxies.
 */
import ipaddr from 'ipaddr.js';

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

/**
 * The 32 bits of an IPv4 address in four decimal parts; -1 for any other text. Most hits come from
 * such an address, and the library would take a tenth of a hit's time to parse it.
 */
export const ipv4Bits = (text: string): number => {
  let bits = 0;
  let parts = 0;
  let part = -1;
  for (let at = 0; at <= text.length; at++) {
    const code = at < text.length ? text.charCodeAt(at) : dot;
    if (code === dot) {
      if (part < 0 || part > 255) return -1;
      bits = bits * 256 + part;
      parts++;
      part = -1;
    } else {
      // No part may begin with 0: some programs read 010 as eight.
      if (code < digit0 || code > digit9 || part === 0) return -1;
      part = Math.max(part, 0) * 10 + code - digit0;
    }
  }
  return parts === 4 ? bits : -1;
};
const [dot, digit0, digit9] = [0x2e, 0x30, 0x39];
const [colon, letterA, letterF] = [0x3a, 0x61, 0x66];

/**
 * The network that a sender is known by, as a number: /24 of an IPv4 address, /48 of an IPv6
 * address, since that is what one household or company is given at most. 0 for everything that is
 * not the canonical form of a public address, so that all of it is one network.
 */
export const senderNetwork = (address: string): number => {
  const bits = ipv4Bits(address);
  if (bits >= 0) return ipv4Networks + Math.floor(bits / 256);
  const [high, low] = ipv6Words(address) ?? [0, 0];
  // No public network begins with 32 zeros.
  return high === 0 ? 0 : high * 65_536 + Math.floor(low / 65_536);
};

/**
 * The first 64 bits of a canonical IPv6 address, as two numbers of 32; null for any other text. The
 * library would take longer than all that is looked up with them.
 */
export const ipv6Words = (address: string): [high: number, low: number] | null => {
  // Groups of up to four hexadecimal digits; a gap is as many groups of zeros as are missing.
  const groups = [0, 0, 0, 0, 0, 0, 0, 0];
  let [count, gap, group, digits] = [0, -1, 0, 0];
  for (let at = 0; at <= address.length; at++) {
    const code = at < address.length ? address.charCodeAt(at) : colon;
    const digit = hexDigit(code);
    if (digit >= 0 && digits < 4) {
      group = group * 16 + digit;
      digits++;
    } else if (code !== colon) return null;
    else if (digits > 0) {
      if (count === 8) return null;
      groups[count++] = group;
      group = digits = 0;
    } else if (at > 0 && at < address.length) {
      if (gap >= 0) return null;
      gap = count;
    }
  }
  if (gap < 0 ? count < 8 : count > 6) return null;
  const missing = 8 - count;
  const groupAt = (place: number): number => {
    if (gap < 0 || place < gap) return groups[place]!;
    return place < gap + missing ? 0 : groups[place - missing]!;
  };
  return [groupAt(0) * 65_536 + groupAt(1), groupAt(2) * 65_536 + groupAt(3)];
};

/** Above every network of 48 bits. */
const ipv4Networks = 2 ** 48;

/** 0 to 15; -1 for what is no digit in lower case. */
const hexDigit = (code: number): number => {
  if (code >= digit0 && code <= digit9) return code - digit0;
  return code >= letterA && code <= letterF ? code - letterA + 10 : -1;
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
