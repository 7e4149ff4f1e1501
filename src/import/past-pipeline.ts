/**
 * The collector's pipeline for hits of the past. It knows of no visits: they are cut when all hits
 * of a day are read (store/imports/fold-hits.ts), so each hit says what its visit would.
 */
import { hash } from 'node:crypto';
import { type Geo, type GeoPlace, placeNames } from '../collect/geo.ts';
import { createPipeline, type Pipeline } from '../collect/pipeline.ts';
import type { ActiveVisits } from '../collect/visits.ts';
import type { Site } from '../model/site.ts';

const eachBegins: ActiveVisits = { extend: () => undefined, begin: () => 0, forget: () => {} };

const nowhere = Object.freeze(Object.fromEntries(placeNames.map(name => [name, null])) as GeoPlace);

/** What visitors of addresses are made with. */
export interface PastSalts {
  /** Of today, which live hits are made with, too, as hex digits. */
  today: { day: number; salt: string };
  /** Made for one import and stored nowhere: the salts of other days come from it. */
  secret: string;
}

/** The same in all threads of an import. */
const saltsOf = ({ today, secret }: PastSalts): ((day: number) => string) => {
  let newest = today;
  return day => {
    if (day === today.day) return today.salt;
    if (day !== newest.day) newest = { day, salt: hash('sha256', `${secret} ${day}`, 'hex').slice(0, 32) };
    return newest.salt;
  };
};

/** `geo` is null where no address is known. */
export const openPastPipeline = (site: Site, geo: Geo | null, salts: PastSalts): Pipeline => {
  const place = (address: string): GeoPlace => (geo === null || address === '' ? nowhere : geo.place(address));
  return createPipeline({
    recorder: { nextVisitId: () => 0, activeVisits: () => [] },
    salts: { newest: () => undefined, of: () => undefined, replace: () => {} },
    // Lines are of this site, whichever they name.
    directory: { find: key => (key === site.publicKey || key === site.uuid ? site : undefined) },
    geo: { place, close: () => {} },
    // Nothing random is left: visits have no table here, and salts are given.
    random: bytes => Buffer.alloc(bytes),
    startAt: 0,
    visits: eachBegins,
    saltOf: saltsOf(salts),
  });
};
