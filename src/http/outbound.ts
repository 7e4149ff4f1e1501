/**
 * The one way in which the server asks hosts that somebody else names: documents of programs and
 * channels of teams. Without it, anybody with an account could reach into the network that the
 * server stands in.
 */
import { lookup } from 'node:dns';
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { addressMatcher } from '../model/ip-ranges.ts';
import { canonicalAddress } from './client-address.ts';

export interface OutboundSettings {
  /** Every address may be asked, over http too. */
  isPrivateAllowed: boolean;
  /** Hosts and ranges that may be asked whatever they are, over http too. */
  allow: readonly string[];
  /** Finds the addresses of a name, as lookup of node:dns. */
  resolve?: Resolve;
}

export type Resolve = (
  hostname: string,
  options: { all: true },
  done: (error: Error | null, addresses: { address: string; family: number }[]) => void,
) => void;

export interface OutboundRequest {
  method: 'GET' | 'POST';
  headers: Readonly<Record<string, string>>;
  body?: string;
  /** For all of it, from the name to the last byte. */
  waitMs: number;
  /** Of the answer. Reading ends there. */
  bytesMax: number;
}

export interface OutboundAnswer {
  status: number;
  body: Buffer;
  /** Whether the answer was longer than what was read. */
  isCut: boolean;
  /** Of the header retry-after; empty without one. */
  retryAfter: string;
}

/** Rejects with an Error that people may read, where the address may not be asked or is silent. */
export type Outbound = (url: string, asked: OutboundRequest) => Promise<OutboundAnswer>;

/**
 * Whether an address is one of the internet, and not of this machine or its network. Of IPv6 only
 * 2000::/3 is given to anybody; forms that hold an IPv4 address are what that is, or refused.
 */
export const isPublicAddress = (address: string): boolean => {
  if (!ipaddr.isValid(address)) return false;
  const plain = ipaddr.process(address);
  if (plain.range() !== 'unicast') return false;
  return plain.kind() === 'ipv4' || (plain.toByteArray()[0]! & 0xe0) === 0x20;
};

/** The host of an address without the brackets of IPv6 and the dot at the end of a whole name. */
const hostOf = (url: URL): string => url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');

export const createOutbound = ({ isPrivateAllowed, allow, resolve = lookup }: OutboundSettings): Outbound => {
  const isListed = addressMatcher(allow);
  const mayAsk = (hostname: string) => {
    const isHostAllowed = isPrivateAllowed || allow.includes(hostname);
    return (address: string, isSecure: boolean): boolean =>
      isHostAllowed || isListed(canonicalAddress(address)) || (isSecure && isPublicAddress(address));
  };

  /** All addresses of a name have to be allowed, and what is connected to is what was looked at. */
  const checkedLookup =
    (isSecure: boolean): LookupFunction =>
    (hostname, options, done) =>
      resolve(hostname, { ...options, all: true }, (error, addresses) => {
        if (error !== null) return done(error, []);
        const may = mayAsk(hostname.toLowerCase().replace(/\.$/, ''));
        const isAllowed = addresses.length > 0 && addresses.every(({ address }) => may(address, isSecure));
        if (!isAllowed) return done(refusal(hostname, isSecure), []);
        return options.all ? done(null, addresses) : done(null, addresses[0]!.address, addresses[0]!.family);
      });

  return (address, { method, headers, body, waitMs, bytesMax }) =>
    new Promise((resolved, rejected) => {
      const url = URL.parse(address);
      if (url === null || !['https:', 'http:'].includes(url.protocol))
        throw new Error('the address does not begin with https://');
      if (url.username !== '' || url.password !== '') throw new Error('the address holds a user or password');
      const isSecure = url.protocol === 'https:';
      const host = hostOf(url);
      // A literal address is never looked up.
      if (isIP(host) !== 0 && !mayAsk(host)(host, isSecure)) throw refusal(host, isSecure);
      const sent = (isSecure ? requestHttps : requestHttp)(url, {
        ...{ method, agent: false, lookup: checkedLookup(isSecure), signal: AbortSignal.timeout(waitMs) },
        headers: { 'user-agent': 'Daybook', ...headers },
      });
      sent.on('error', error => rejected(error.name === 'AbortError' ? tooSlow(host, waitMs) : error));
      // Without a listener the connection would be closed, and nobody told.
      sent.on('upgrade', (_, socket) => {
        socket.destroy();
        rejected(new Error(`${host} did not answer, but asked for another protocol`));
      });
      sent.on('response', response => {
        readStart(response, bytesMax).then(
          ({ bytes, isCut }) =>
            resolved({
              ...{ status: response.statusCode!, body: bytes, isCut },
              retryAfter: response.headers['retry-after'] ?? '',
            }),
          error => rejected(error.name === 'AbortError' ? tooSlow(host, waitMs) : error),
        );
      });
      sent.end(body);
    });
};

const refusal = (host: string, isSecure: boolean): Error =>
  new Error(isSecure ? `${host} has no public address` : `${host} may not be asked over http: use https`);

const tooSlow = (host: string, waitMs: number): Error => new Error(`${host} did not answer within ${waitMs / 1000} s`);

/** The first bytes of an answer. What comes behind them is not waited for. */
const readStart = async (
  response: AsyncIterable<Buffer> & { destroy(): unknown },
  bytesMax: number,
): Promise<{ bytes: Buffer; isCut: boolean }> => {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of response) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > bytesMax) break;
  }
  response.destroy();
  return { bytes: Buffer.concat(chunks).subarray(0, bytesMax), isCut: length > bytesMax };
};
