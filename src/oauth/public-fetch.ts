/**
 * Fetches a small document of another host, for an address that a stranger gave: only over https,
 * from a public address, without redirects, within a time and a size.
 */
import { lookup } from 'node:dns';
import { request } from 'node:https';
import type { LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';

const waitMs = 5000;
const bytesMax = 10 * 1024;

/** Whether an address is one of the internet, and not of this machine or its network. */
export const isPublicAddress = (address: string): boolean =>
  ipaddr.isValid(address) && ipaddr.process(address).range() === 'unicast';

/** The address that is looked at is the one that is connected to. */
const publicLookup: LookupFunction = (hostname, options, done) =>
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    const found = (addresses ?? []).filter(({ address }) => isPublicAddress(address));
    if (error !== null) done(error, []);
    else if (found.length === 0) done(new Error(`${hostname} has no public address`), []);
    else if (options.all) done(null, found);
    else done(null, found[0]!.address, found[0]!.family);
  });

/** Rejects with an Error where there is no such document. */
export const fetchPublic = (url: string): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const { hostname } = new URL(url);
    const literal = hostname.replace(/^\[|\]$/g, '');
    if (ipaddr.isValid(literal) && !isPublicAddress(literal)) throw new Error(`${hostname} is no public address`);
    const signal = AbortSignal.timeout(waitMs);
    const headers = { accept: 'application/json', 'user-agent': 'Daybook' };
    const sent = request(url, { lookup: publicLookup, signal, headers, agent: false }, async response => {
      try {
        if (response.statusCode !== 200) throw new Error(`${hostname} answers ${response.statusCode}`);
        const chunks: Buffer[] = [];
        let bytes = 0;
        for await (const chunk of response as AsyncIterable<Buffer>) {
          bytes += chunk.length;
          if (bytes > bytesMax) throw new Error(`the document has more than ${bytesMax} bytes`);
          chunks.push(chunk);
        }
        resolve(Buffer.concat(chunks));
      } catch (error) {
        response.destroy();
        reject(error);
      }
    });
    sent.on('error', reject).end();
  });
