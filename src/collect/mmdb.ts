/** MaxMind database files (.mmdb), by address. */
import { readFile } from 'node:fs/promises';
import { Reader } from 'maxmind';
import { lru } from 'tiny-lru';

/** What is told of a database in use. */
export interface DatabaseFacts {
  file: string;
  /** What the file calls itself, such as `DBIP-City-Lite`. */
  type: string;
  /** UTC milliseconds of its making. */
  madeAt: number;
}

export interface Mmdb extends Omit<DatabaseFacts, 'file'> {
  /** The record of a canonical address; null if there is none. Throws when it does not decode. */
  get(address: string): unknown;
}

/**
 * Decoded records that are kept, by their position in the file: no address is kept. Decoding takes
 * most of a look-up's 3 µs.
 */
const rememberedMax = 20_000;

/** Rejects when the file is no database. */
export const openMmdb = async (file: string): Promise<Mmdb> => {
  const reader = new Reader(await readFile(file), { cache: lru(rememberedMax) });
  const { ipVersion, databaseType, buildEpoch } = reader.metadata;
  // One look-up shows whether the file is a database.
  reader.get('192.0.2.1');
  return {
    get: address => (ipVersion === 4 && isIpv6(address) ? null : reader.get(address)),
    type: databaseType,
    madeAt: buildEpoch.getTime(),
  };
};

const isIpv6 = (address: string): boolean => address.includes(':');
