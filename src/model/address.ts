/** Addresses and ranges of addresses as an operator writes them: a site's excluded IPs and the trusted proxies. */
import ipaddr from 'ipaddr.js';

/**
 * An address or CIDR range in its canonical form; null when it is neither. IPv4-mapped IPv6 becomes IPv4, and loose spellings
 * that only some parsers take (`127.1`, `0x7f.0.0.1`, a zone as in `fe80::1%eth0`) are refused.
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
