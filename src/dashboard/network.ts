/** The network of an address, by which strangers are limited. */
import ipaddr from 'ipaddr.js';

/** /24 of an IPv4 address and /48 of an IPv6 one, of which a customer may have all. */
export const networkOf = (address: string): string => {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  return parsed
    .toByteArray()
    .slice(0, parsed.kind() === 'ipv4' ? 3 : 6)
    .join('.');
};
