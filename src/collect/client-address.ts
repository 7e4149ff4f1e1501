/** The address a request came from (docs/collecting.md, "The address"), and lists of ranges it may be in. */
import ipaddr from 'ipaddr.js';
import { canonicalRange } from '../model/address.ts';

/** What TRUST_PROXY can say in a word. `private` is what no public network routes. */
const namedRanges: Record<string, readonly string[]> = {
  loopback: ['127.0.0.0/8', '::1/128'],
  private: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '169.254.0.0/16', 'fc00::/7', 'fe80::/10'],
};

/**
 * The 32 bits of an IPv4 address in four decimal parts; -1 for any other text. Most hits come from one, and going the
 * library's way for each would take a tenth of all that a hit takes.
 */
const ipv4Bits = (text: string): number => {
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
      // A part that begins with 0 ends there: some take 010 for eight.
      if (code < digit0 || code > digit9 || part === 0) return -1;
      part = Math.max(part, 0) * 10 + code - digit0;
    }
  }
  return parts === 4 ? bits : -1;
};
const [dot, digit0, digit9] = [0x2e, 0x30, 0x39];

/**
 * Whether a canonical address is in one of these: names as above, addresses, CIDR ranges. What is none of them holds no
 * address.
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

type Range = { kind: 'ipv4'; first: number; last: number } | { kind: 'ipv6'; network: ipaddr.IPv6; prefix: number };

const rangeOf = (canonical: string): Range => {
  const [address = '', prefix] = canonical.split('/');
  const bits = ipv4Bits(address);
  if (bits < 0) return { kind: 'ipv6', network: ipaddr.IPv6.parse(address), prefix: Number(prefix ?? 128) };
  const size = 2 ** (32 - Number(prefix ?? 32));
  const first = bits - (bits % size);
  return { kind: 'ipv4', first, last: first + size - 1 };
};

/**
 * Finds the client's canonical address from the socket's and X-Forwarded-For, walking back from the socket for as long
 * as the hop that reports is trusted. What a trusted hop reports and is no address ends the walk: nothing beyond it can
 * be believed. Empty when even the socket has none, because it is closed already.
 */
export const clientAddressReader = (
  trustProxy: readonly string[],
): ((socket: string | undefined, forwarded: string | undefined) => string) => {
  const isTrusted = addressMatcher(trustProxy);
  return (socket = '', forwarded = '') => {
    let address = canonicalAddress(socket);
    for (let end = forwarded.length; end > 0 && isTrusted(address); ) {
      const comma = forwarded.lastIndexOf(',', end - 1);
      const reported = canonicalAddress(forwarded.slice(comma + 1, end).trim());
      if (reported === '') return address;
      address = reported;
      end = comma;
    }
    return address;
  };
};

const mapped = '::ffff:';
const ipv6Characters = /^[\da-f:.]{2,45}$/i;
/** Some proxies report the port too, and the system the interface of a link-local address. */
const decorated = /^\[([\da-f:.]+)\](?::\d+)?$|^([\d.]+):\d+$|^([\da-f:]+)%\w+$/i;

/** An address as canonicalRange of the model writes it; empty for any other text. */
const canonicalAddress = (text: string): string => {
  const ipv4 = text.startsWith(mapped) ? text.slice(mapped.length) : text;
  if (ipv4Bits(ipv4) >= 0) return ipv4;
  const [, bracketed, withPort, zoned] = decorated.exec(text) ?? [];
  const plain = bracketed ?? withPort ?? zoned;
  if (plain !== undefined) return canonicalAddress(plain);
  return ipv6Characters.test(text) ? canonicalIpv6(text) : '';
};

/** The URL parser writes IPv6 as RFC 5952 says, in a tenth of the library's time. */
const canonicalIpv6 = (text: string): string => {
  try {
    const address = new URL(`http://[${text}]/`).hostname.slice(1, -1);
    return address.startsWith(mapped) ? ipaddr.process(address).toString() : address;
  } catch {
    return '';
  }
};
