/** The address that a request came from (docs/collecting.md, "The address"). */
import type { IncomingMessage } from 'node:http';
import ipaddr from 'ipaddr.js';
import { ipv4Bits, senderNetwork } from '../model/address.ts';
import { addressMatcher } from '../model/ip-ranges.ts';

/**
 * Finds the client's canonical address from the socket's address and X-Forwarded-For. Walks back
 * from the socket as long as the hop that reports is trusted, or until a report is not an address:
 * nothing beyond that can be believed. Empty when the socket is closed already and has no address.
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

/** The client's address of a request, behind trusted proxies. */
export const requestAddressOf = (trustProxy: readonly string[]): ((request: IncomingMessage) => string) => {
  const read = clientAddressReader(trustProxy);
  return ({ socket, headers }) => read(socket.remoteAddress, headers['x-forwarded-for'] as string | undefined);
};

/**
 * The sender's network of a socket's address, as a number; 0 for a trusted proxy, behind which
 * there are many.
 */
export const socketNetwork = (trustProxy: readonly string[]): ((socket: string) => number) => {
  const isTrusted = addressMatcher(trustProxy);
  return socket => {
    const address = canonicalAddress(socket);
    return isTrusted(address) ? 0 : senderNetwork(address);
  };
};

const mapped = '::ffff:';
const ipv6Characters = /^[\da-f:.]{2,45}$/i;
/**
 * Some proxies report the port too, and the system reports the interface of a link-local address.
 */
const decorated = /^\[([\da-f:.]+)\](?::\d+)?$|^([\d.]+):\d+$|^([\da-f:]+)%\w+$/i;

/** An address as canonicalRange of the model writes it; empty for any other text. */
export const canonicalAddress = (text: string): string => {
  const ipv4 = text.startsWith(mapped) ? text.slice(mapped.length) : text;
  if (ipv4Bits(ipv4) >= 0) return ipv4;
  const [, bracketed, withPort, zoned] = decorated.exec(text) ?? [];
  const plain = bracketed ?? withPort ?? zoned;
  if (plain !== undefined) return canonicalAddress(plain);
  return ipv6Characters.test(text) ? canonicalIpv6(text) : '';
};

/** The URL parser writes IPv6 as RFC 5952 says, ten times as fast as the library. */
const canonicalIpv6 = (text: string): string => {
  try {
    const address = new URL(`http://[${text}]/`).hostname.slice(1, -1);
    return address.startsWith(mapped) ? ipaddr.process(address).toString() : address;
  } catch {
    return '';
  }
};
