/** What a place holds when a server begins to write to it. */

import type { Objects } from './objects.ts';
import { loadDigests, pageState } from './page-state.ts';
import type { Place } from './place.ts';
import {
  decodePoint,
  type Point,
  type PointName,
  type PointWriter,
  packFolder,
  packName,
  packNumber,
  pointFolder,
  pointName,
  readPointName,
} from './points.ts';

export interface Known {
  state: ReturnType<typeof pageState>;
  /** The name for a new pack, and its number. */
  nextPack(): { number: number; name: string };
  /** Those whose packs are among some. */
  writersOf(packs: ReadonlySet<number>): PointWriter[];
  nextPoint: number;
}

/**
 * Reads the newest point, and which pages the last process knew to be there. Without that, all
 * pages are copied again: the content of packs is not compared.
 */
export const learn = async (place: Place, objects: Objects, dataDir: string, process: string): Promise<Known> => {
  const points = await pointsIn(place);
  const saved = loadDigests(dataDir);
  const point =
    saved !== null && points.some(name => pointName(name) === saved.point)
      ? await readPoint(place, objects, saved.point)
      : null;
  const taken = (await place.list(packFolder)).map(packNumber).filter(number => number !== null);
  const state = point === null ? pageState() : pageState(point.packs, saved!.digests);
  // Who emptied a part of the place has those pages copied again.
  const needed = new Set(point?.packs);
  for (const number of taken) needed.delete(number);
  state.forget(needed);
  let next = 1 + taken.reduce((most, number) => Math.max(most, number), 0);
  const writers = [...(point?.writers ?? []), { firstPack: next, id: process }];
  return {
    state,
    nextPack() {
      const number = next++;
      return { number, name: packName(number, writers) };
    },
    writersOf: packs =>
      writers.filter(({ firstPack }, i) => {
        const end = writers[i + 1]?.firstPack ?? Number.POSITIVE_INFINITY;
        for (const pack of packs) if (pack >= firstPack && pack < end) return true;
        return false;
      }),
    nextPoint: 1 + Math.max(0, ...points.map(({ number }) => number)),
  };
};

/** The points in a place, in the order in which they were written. */
export const pointsIn = async (place: Place): Promise<PointName[]> =>
  (await place.list(pointFolder)).map(readPointName).filter(name => name !== null);

/** Null when it is missing or damaged. */
export const readPoint = async (place: Place, { decode }: Objects, name: string): Promise<Point | null> => {
  const object = await place.get(name);
  if (object === null) return null;
  try {
    return decodePoint(decode(name, object));
  } catch {
    return null;
  }
};
