/**
 * The collector's pipeline for hits of the past. It knows of no visits: they are cut when all hits
 * of a day are read (store/imports/fold-hits.ts), so each hit says what its visit would.
 */
import { hash } from 'node:crypto';
import { lru } from 'tiny-lru';
import { type Geo, type Place, placeNames } from '../collect/geo.ts';
import { createPipeline, type Pipeline } from '../collect/pipeline.ts';
import type { Visits } from '../collect/visits.ts';
import type { Site } from '../model/site.ts';

const eachBegins: Visits = { extend: () => undefined, begin: () => 0, forget: () => {} };

const nowhere = Object.freeze(Object.fromEntries(placeNames.map(name => [name, null])) as Place);
/** Addresses whose place is remembered, in about 10 MB: it is asked for each hit. */
const rememberedMax = 50_000;

/** Salts of an import's days, the same in all of its threads and stored nowhere. */
const saltsOf = (secret: string): ((day: number) => string) => {
  let [day, salt] = [Number.NaN, ''];
  return asked => {
    if (asked !== day) [day, salt] = [asked, hash('sha256', `${secret} ${asked}`, 'hex').slice(0, 32)];
    return salt;
  };
};

/** `geo` is null where no address is known. The secret is made for one import. */
export const openPastPipeline = (site: Site, geo: Geo | null, secret: string): Pipeline => {
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
    salts: { newest: () => undefined, replace: () => {} },
    // Lines are of this site, whichever they name.
    directory: { find: key => (key === site.publicKey || key === site.uuid ? site : undefined) },
    geo: { place, close: () => {} },
    // Nothing random is left: visits have no table here, and salts come from the secret.
    random: bytes => Buffer.alloc(bytes),
    startAt: 0,
    visits: eachBegins,
    saltOf: saltsOf(secret),
  });
};
