/**
 * What is told of an address: by a table that ships with Daybook, or by a MaxMind database (.mmdb)
 * of an operator's own.
 */
import { readFile } from 'node:fs/promises';
import { Reader } from 'maxmind';
import { lru } from 'tiny-lru';
import { lazy } from '../model/remember.ts';
import { openAddressTable, shippedTable } from './address-table.ts';

/** What is told of a database in use. */
export interface DatabaseFacts {
  file: string;
  /** What the file calls itself, such as `DBIP-City-Lite`. */
  type: string;
  /** UTC milliseconds of its making. */
  madeAt: number;
}

export interface AddressDatabase<T> {
  /**
   * Tells of canonical addresses, by a file of the operator's or, for null, what ships. Rejects
   * when the file cannot be used. What it gives throws for a record that does not decode.
   */
  open(file: string | null): Promise<(address: string) => T>;
  /** Facts about the database that would be used. Rejects when it cannot be used. */
  facts(file: string | null): Promise<DatabaseFacts>;
}

interface AddressDatabaseRow<T> {
  /** Name of the file that ships, and what is in it. */
  name: string;
  type: string;
  /** Reads a text of the table that ships, which is empty where nothing is known. */
  ofText(text: string): T;
  /** Reads a record of an operator's file; null where there is none. */
  ofRecord(record: unknown): T;
}

export const addressDatabase = <T>({ name, type, ofText, ofRecord }: AddressDatabaseRow<T>): AddressDatabase<T> => {
  const shippedFile = shippedTable(name);
  /** One for each thread, and never closed. */
  const shipped = lazy(() => openAddressTable(shippedFile, ofText));
  return {
    async open(file) {
      if (file === null) return shipped().of;
      const { ipVersion, reader } = await openMmdb(file);
      return address => ofRecord(ipVersion === 4 && isIpv6(address) ? null : reader.get(address));
    },
    async facts(file) {
      if (file === null) return { file: shippedFile, type, madeAt: shipped().madeAt };
      const { databaseType, buildEpoch } = await openMmdb(file);
      return { file, type: databaseType, madeAt: buildEpoch.getTime() };
    },
  };
};

/**
 * Decoded records that are kept, by their position in the file: no address is kept. Decoding takes
 * most of a look-up's 3 µs.
 */
const rememberedMax = 20_000;

/** Rejects when the file is no database. */
const openMmdb = async (file: string) => {
  const reader = new Reader(await readFile(file), { cache: lru(rememberedMax) });
  // One look-up shows whether the file is a database.
  reader.get('192.0.2.1');
  return { reader, ...reader.metadata };
};

const isIpv6 = (address: string): boolean => address.includes(':');
