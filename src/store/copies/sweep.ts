/** Removes points that are no longer to be kept, and packs that no point needs. */
import { StoreError } from '../database.ts';
import { type PointsKept, pointsToDrop } from './keep.ts';
import { pointsIn, readPoint } from './learn.ts';
import type { Objects } from './objects.ts';
import type { Place } from './place.ts';
import { packFolder, packNumber, pointName } from './points.ts';

/** Sweeps a place; it remembers what each point needs, so that it reads each once. */
export const sweeper = (place: Place, objects: Objects, keep: PointsKept) => {
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
    const points = await pointsIn(place);
    const drop = new Set(pointsToDrop(points, now, keep).map(pointName));
    for (const name of drop) {
      await place.remove(name);
      needs.delete(name);
    }
    const needed = new Set(newest);
    for (const name of points.map(pointName)) {
      if (drop.has(name)) continue;
      for (const pack of await needsOf(name)) needed.add(pack);
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
