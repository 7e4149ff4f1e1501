/** Proves the newest point by making a database of it, reading all of that, and deleting it. */
import { join } from 'node:path';
import { deleteDatabase, StoreError } from '../database.ts';
import { freeBytes } from '../free-bytes.ts';
import { damageIn } from '../maintenance/check.ts';
import { pointsIn } from './learn.ts';
import type { Objects } from './objects.ts';
import type { Place } from './place.ts';
import { openPoint, writeDatabase } from './restore.ts';

/** What a place says of the last proof. */
export interface Verified {
  /** UTC milliseconds of the point that was verified, and of when. */
  point: number;
  at: number;
}

export interface Verdict {
  /** Null when there is no point yet. */
  verified: Verified | null;
  /** Packs that are missing or damaged; their pages are to be copied again. */
  bad: number[];
  /** What is wrong, a sentence each. */
  problems: string[];
}

const name = 'verified';

/** Null when nothing was verified yet. */
export const readVerified = async (place: Place, { decode }: Objects): Promise<Verified | null> => {
  const object = await place.get(name);
  return object === null ? null : (JSON.parse(decode(name, object).toString('utf8')) as Verified);
};

/** The scratch file is in the data directory, and goes away. */
export const proofFile = (dataDir: string): string => join(dataDir, 'backup-check.db');

/** A proof leaves this much of the disk to the hits that come meanwhile. */
const freeBytesMin = 512 * 1024 * 1024;

const refuseFullDisk = (dataDir: string, bytes: number): void => {
  if (freeBytes(dataDir) < bytes + freeBytesMin)
    throw new StoreError(`The disk of ${dataDir} has no room to restore a copy, so none can be verified.`);
};

/** Throws StoreError when there is no room for the scratch file, or the point is damaged. */
export const verifyNewest = async (place: Place, objects: Objects, dataDir: string, now: number): Promise<Verdict> => {
  const newest = (await pointsIn(place)).at(-1);
  if (newest === undefined) return { verified: null, bad: [], problems: [] };
  const file = proofFile(dataDir);
  deleteDatabase(file);
  const bad: number[] = [];
  const problems: string[] = [];
  try {
    const onBad = (pack: number, problem: string): void => {
      bad.push(pack);
      problems.push(problem);
    };
    const point = await openPoint(place, objects, newest);
    refuseFullDisk(dataDir, point.packs.length * point.pageBytes);
    await writeDatabase(place, objects, point, file, { onBad, onStep: () => {} });
    if (bad.length === 0) problems.push(...(await damageIn(file)));
  } finally {
    deleteDatabase(file);
  }
  const verified = { point: newest.at, at: now };
  if (problems.length === 0) await place.put(name, objects.encode(name, Buffer.from(JSON.stringify(verified))));
  return { verified, bad, problems };
};
