/** Removes points that are no longer to be kept, and packs that no point needs. */
import { type Keep, pointsToDrop } from './keep.ts';
import { readPoint } from './learn.ts';
import type { Objects } from './objects.ts';
import type { Place } from './place.ts';
import { packFolder, packNumber, pointFolder, pointName, pointTime } from './points.ts';

/** Sweeps a place; it remembers what each point needs, so that it reads each once. */
export const sweeper = (place: Place, objects: Objects, keep: Keep) => {
  const needs = new Map<string, ReadonlySet<number>>();

  const needsOf = async (name: string): Promise<ReadonlySet<number> | null> => {
    const found = needs.get(name);
    if (found !== undefined) return found;
    const point = await readPoint(place, objects, name);
    if (point === null) return null;
    const packs = new Set(point.packs);
    needs.set(name, packs);
    return packs;
  };

  /** To be called when all that the server has written is in a point. */
  return async (now: number): Promise<void> => {
    const times = (await place.list(pointFolder)).map(pointTime).filter(at => at !== null);
    const drop = new Set(pointsToDrop(times, now, keep));
    for (const at of drop) {
      await place.remove(pointName(at));
      needs.delete(pointName(at));
    }
    const needed = new Set<number>();
    for (const at of times) {
      if (drop.has(at)) continue;
      const packs = await needsOf(pointName(at));
      // What a point needs that cannot be read is not known: then nothing goes.
      if (packs === null) return;
      for (const pack of packs) needed.add(pack);
    }
    for (const name of await place.list(packFolder)) {
      const number = packNumber(name);
      if (number !== null && !needed.has(number)) await place.remove(name);
    }
  };
};
