/** Removes points that are no longer to be kept, and packs that no point needs. */
import { StoreError } from '../database.ts';
import { type Keep, pointsToDrop } from './keep.ts';
import { readPoint } from './learn.ts';
import type { Objects } from './objects.ts';
import type { Place } from './place.ts';
import { packFolder, packNumber, pointFolder, pointName, pointTime } from './points.ts';

/** Sweeps a place; it remembers what each point needs, so that it reads each once. */
export const sweeper = (place: Place, objects: Objects, keep: Keep) => {
  const needs = new Map<string, ReadonlySet<number>>();

  const needsOf = async (name: string): Promise<ReadonlySet<number>> => {
    const found = needs.get(name);
    if (found !== undefined) return found;
    const point = await readPoint(place, objects, name);
    // What it needs is not known, so nothing may go.
    if (point === null) throw new StoreError(`${name} is damaged. Old copies stay until it is deleted.`);
    const packs = new Set(point.packs);
    needs.set(name, packs);
    return packs;
  };

  /**
   * To be called when all that the server has written is in a point. `newest` are the packs that it
   * needs, whatever the place lists. Gives those among them that are missing.
   */
  return async (now: number, newest: ReadonlySet<number>): Promise<number[]> => {
    const times = (await place.list(pointFolder)).map(pointTime).filter(at => at !== null);
    const drop = new Set(pointsToDrop(times, now, keep));
    for (const at of drop) {
      await place.remove(pointName(at));
      needs.delete(pointName(at));
    }
    const needed = new Set(newest);
    for (const at of times) {
      if (drop.has(at)) continue;
      for (const pack of await needsOf(pointName(at))) needed.add(pack);
    }
    const missing = new Set(newest);
    for (const name of await place.list(packFolder)) {
      const number = packNumber(name);
      if (number === null) continue;
      missing.delete(number);
      if (!needed.has(number)) await place.remove(name);
    }
    return [...missing];
  };
};
