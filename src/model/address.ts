/** IP addresses as numbers, and the network that a sender is known by. */

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

/** The same as a text: `203.0.113.0/24` or `2001:db8:1::/48`; empty for no public address. */
export const networkName = (address: string): string => {
  const bits = ipv4Bits(address);
  if (bits >= 0)
    return `${[bits / 2 ** 24, bits / 2 ** 16, bits / 256].map(part => Math.floor(part) % 256).join('.')}.0/24`;
  const [high, low] = ipv6Words(address) ?? [0, 0];
  if (high === 0) return '';
  return `${[high / 65_536, high % 65_536, low / 65_536].map(part => Math.floor(part).toString(16)).join(':')}::/48`;
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

/** Whether the host of an address, as URL has it, is one of the usual names of this machine. */
export const isThisMachine = (hostname: string): boolean => ['localhost', '127.0.0.1', '[::1]'].includes(hostname);

/** Whether nobody on the way can read what goes to an http or https address. */
export const isPrivateWay = (url: string): boolean => {
  const { protocol, hostname } = new URL(url);
  return protocol === 'https:' || isThisMachine(hostname);
};

/** The host of a request whose sender means this machine: any of its own addresses, and a port. */
export const isLoopbackHost = (host: string): boolean => /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/i.test(host);

/** Above every network of 48 bits. */
const ipv4Networks = 2 ** 48;

/** 0 to 15; -1 for what is no digit in lower case. */
const hexDigit = (code: number): number => {
  if (code >= digit0 && code <= digit9) return code - digit0;
  return code >= letterA && code <= letterF ? code - letterA + 10 : -1;
};
