/** Names that are texts of the site. Where very many rows share a rank, only the first few by name are looked up. */
import type { PlanContext } from '../reports/plan.ts';
import type { Names } from './top-rows.ts';

/** Fewer than this are all looked up. */
const manyPlaces = 1000;

/** `ids` are the text ids of the candidates, ascending; `nullName` is what the id 0 is called. */
export const textNames = (ids: Uint32Array, { query, reader, text }: PlanContext, nullName = ''): Names => ({
  at: place => text(ids[place]!) ?? nullName,
  first(places, count) {
    if (places.length < manyPlaces) return places;
    const placeOf = new Map<number, number>();
    for (const place of places) placeOf.set(ids[place]!, place);
    // Walking the texts in their order finds enough of them soon, as a rule. Otherwise it is given up for looking them all up.
    const found = reader.texts.first(query.siteId, id => placeOf.has(id), count, places.length);
    if (found === undefined) return places;
    const chosen = found.map(id => placeOf.get(id)!);
    return Uint32Array.from(placeOf.has(0) ? [placeOf.get(0)!, ...chosen] : chosen);
  },
});
