/** Makes a database of a point, and proves copies by doing so. */
import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';
import { openCopy, StoreError } from '../database.ts';
import { checkDatabase } from '../maintenance/check.ts';
import { readPoint } from './learn.ts';
import type { Objects } from './objects.ts';
import type { Place } from './place.ts';
import { decodePack, type Point, type PointName, packName, pointName } from './points.ts';

/** Throws StoreError when it is missing or damaged. */
export const openPoint = async (place: Place, objects: Objects, name: PointName): Promise<Point> => {
  const point = await readPoint(place, objects, pointName(name));
  if (point === null)
    throw new StoreError(`The copy of ${new Date(name.at).toISOString()} is damaged, or BACKUP_KEY is wrong.`);
  return point;
};

/**
 * Writes the database of a point to a file, which is on disk when it resolves. Packs that are
 * missing or damaged are given to `onBad`, which may throw; their pages stay empty.
 */
export const writeDatabase = async (
  place: Place,
  { decode }: Objects,
  point: Point,
  file: string,
  { onBad, onStep }: { onBad: (pack: number, problem: string) => void; onStep: (part: number) => void },
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
          written++;
        }
      } catch (error) {
        if (!(error instanceof StoreError)) throw error;
        onBad(number, error.message);
      }
      onStep(written / point.packs.length);
    }
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
};

/** What is wrong with a database that was restored; nothing mostly. */
export const problemsOf = (file: string): string[] => {
  const db = openCopy(file);
  try {
    return Array.from(checkDatabase(db)).flatMap(({ problems }) => problems);
  } finally {
    db.close();
  }
};
