/** Makes a database of a point, and proves copies by doing so. */
import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';
import { StoreError } from '../database.ts';
import { decodeFirst, type Objects } from './objects.ts';
import type { PageState } from './page-state.ts';
import type { Place } from './place.ts';
import { decodePack, decodePoint, type Point, type PointName, packName, pointName } from './points.ts';

/** Throws StoreError when it is missing, damaged, or not to be read with the key at hand. */
export const openPoint = async (place: Place, objects: Objects, name: PointName): Promise<Point> => {
  const object = await place.get(pointName(name));
  if (object === null) throw new StoreError(`The copy of ${new Date(name.at).toISOString()} is gone.`);
  return decodePoint(decodeFirst(objects, pointName(name), object));
};

export interface Writing {
  /** Told of packs that are missing or damaged, whose pages stay empty; may throw. */
  onBad(pack: number, problem: string): void;
  /** Told how many pages are written; may throw. */
  onStep(pages: number): void;
  /** Is told each page, so that a server on the database knows what the place holds. */
  state?: PageState;
}

/** Writes the database of a point to a file, which is on disk when it resolves. */
export const writeDatabase = async (
  place: Place,
  { decode }: Objects,
  point: Point,
  file: string,
  { onBad, onStep, state }: Writing,
): Promise<void> => {
  const packs = new Set(point.packs);
  const descriptor = openSync(file, 'wx', 0o600);
  let written = 0;
  try {
    for (const number of packs) {
      const name = packName(number, point.writers);
      try {
        const object = await place.get(name);
        if (object === null) throw new StoreError(`${name} is missing.`);
        const { pages, content } = decodePack(decode(name, object), point.pageBytes);
        for (const [i, page] of pages.entries()) {
          if (point.packs[page - 1] !== number) continue;
          const from = i * point.pageBytes;
          writeSync(descriptor, content, from, point.pageBytes, (page - 1) * point.pageBytes);
          state?.set(page, number, content.subarray(from, from + point.pageBytes));
          written++;
        }
      } catch (error) {
        if (!(error instanceof StoreError)) throw error;
        onBad(number, error.message);
      }
      onStep(written);
    }
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
};
