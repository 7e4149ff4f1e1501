/**
 * What an address tells of where a visit comes from: country, region and city by the table that
 * ships (.ci/cities.mjs compiles it) or an operator's own MaxMind database; and the network
 * (networks.ts). Without a file, or with a broken one, hits simply have no place.
 */
import type { Log } from '../log.ts';
import { isRecord } from '../model/record.ts';
import type { VisitTextName } from '../model/visit-fields.ts';
import { addressDatabase } from './address-database.ts';
import { networkDatabase } from './networks.ts';
import { openWatched } from './watched-lookup.ts';

/** The texts of a visit that its address gives. */
export const placeNames = ['country', 'region', 'city', 'network'] as const satisfies VisitTextName[];
export type GeoPlace = Record<(typeof placeNames)[number], string | null>;

export interface Geo {
  /** The place of a canonical address; null where it is not known. Never throws. */
  place(address: string): GeoPlace;
  /** Stops watching the files. */
  close(): void;
}

export interface GeoOptions {
  /** The operator's city database (GEO_DB); null for the one that ships. */
  geoDb: string | null;
  /** The operator's database of networks (GEO_ASN_DB); null for the one that ships. */
  geoAsnDb: string | null;
  log: Log;
  /** How often an operator's file is looked at for a change. */
  checkMs?: number;
}

/** Reads the databases before it resolves. Never rejects. */
export const openGeo = async ({ geoDb, geoAsnDb, log, checkMs = 10_000 }: GeoOptions): Promise<Geo> => {
  const [cities, networks] = await Promise.all([
    openWatched({ file: geoDb, open: cityDatabase.open, nothing: nowhere, log, event: 'geo-unavailable', checkMs }),
    openWatched({
      file: geoAsnDb,
      open: networkDatabase.open,
      nothing: null,
      log,
      event: 'networks-unavailable',
      checkMs,
    }),
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

type City = Omit<GeoPlace, 'network'>;

const nowhere: City = Object.freeze({ country: null, region: null, city: null });

/** Records of DB-IP's files from npm are flat, MaxMind's are nested. */
export const cityIn = (record: unknown): City => {
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

export const cityDatabase = addressDatabase<City>({
  ...{ name: 'cities', type: 'DB-IP City Lite', ofRecord: cityIn },
  ofText(text) {
    const [country, region, city] = text.split('\t').map(nameOf);
    return text === '' ? nowhere : { country: country!, region: region!, city: city! };
  },
});
