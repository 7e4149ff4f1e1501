/**
 * The collector's pipeline for hits of the past. It knows of no visits: they are cut when all hits
 * of a day are read (store/imports/fold-hits.ts), so each hit says what its visit would.
 */
import { lru } from 'tiny-lru';
import { type Geo, type Place, placeNames } from '../collect/geo.ts';
import { createPipeline, type Pipeline } from '../collect/pipeline.ts';
import type { Visits } from '../collect/visits.ts';
import type { Random } from '../model/ids.ts';
import type { Site } from '../model/site.ts';

const eachBegins: Visits = { extend: () => undefined, begin: () => 0, forget: () => {} };

const nowhere = Object.freeze(Object.fromEntries(placeNames.map(name => [name, null])) as Place);
/** Addresses whose place is remembered, in about 10 MB: it is asked for each hit. */
const rememberedMax = 50_000;

/** `geo` is null where no address is known. */
export const openPastPipeline = (site: Site, geo: Geo | null, random: Random): Pipeline => {
  const remembered = lru<Place>(rememberedMax);
  const place = (address: string): Place => {
    if (geo === null || address === '') return nowhere;
    let found = remembered.get(address);
    if (found === undefined) {
      found = geo.place(address);
      remembered.set(address, found);
    }
    return found;
  };
  return createPipeline({
    recorder: { nextVisitId: () => 0, activeVisits: () => [] },
    // Salts of days that are over are never stored, and an import's visitors are its own.
    salts: { newest: () => undefined, replace: () => {} },
    // Lines are of this site, whichever they name.
    directory: { find: key => (key === site.publicKey || key === site.uuid ? site : undefined) },
    geo: { place, close: () => {} },
    random,
    startAt: 0,
    visits: eachBegins,
  });
};
