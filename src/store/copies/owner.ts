/**
 * One server writes to a place. It says so in an object there, and looks before each point whether
 * the object still says it. Another server is refused for as long as the owner writes; when that
 * has been silent for long, the next takes its place. Places cannot compare and write in one step,
 * so for a moment two may write. That does no harm: names of packs tell their writers apart, no
 * point needs another, and whoever was replaced finds out before its next point.
 */
import { StoreError } from '../database.ts';
import { pointsIn } from './learn.ts';
import { DamageError, decodeFirst, type Objects } from './objects.ts';
import type { Place } from './place.ts';
import { pointName } from './points.ts';
import type { Predecessor } from './predecessor.ts';

/** What the object says. */
export interface Owner {
  /** Of the data directory, kept over restarts. */
  id: string;
  /**
   * 8 random bytes of the thread that copies, in hexadecimal. Of two servers with one id, as after
   * a directory was copied, the later stays.
   */
  process: string;
  host: string;
  /** UTC milliseconds when it said so last. */
  at: number;
}

const name = 'owner';
/** A server that has been silent for this long is gone. */
const silentMs = 60 * 60_000;

export const readOwner = async (place: Place, objects: Objects): Promise<Owner | null> => {
  const object = await place.get(name);
  return object === null ? null : (JSON.parse(decodeFirst(objects, name, object).toString('utf8')) as Owner);
};

/** What restore notes of a place; null when nobody wrote to it, or who did cannot be read. */
export const predecessorIn = async (place: Place, objects: Objects): Promise<Predecessor | null> => {
  const owner = await readOwner(place, objects).catch(error => {
    if (error instanceof DamageError) return null;
    throw error;
  });
  return owner && { process: owner.process, at: owner.at, newest: await newestIn(place) };
};

const newestIn = async (place: Place): Promise<string> => {
  const newest = (await pointsIn(place)).at(-1);
  return newest === undefined ? '' : pointName(newest);
};

/** Whether nobody has written to the place since it was restored from. */
const isGone = async (place: Place, found: Owner, predecessor: Predecessor | null): Promise<boolean> =>
  predecessor !== null &&
  found.process === predecessor.process &&
  found.at === predecessor.at &&
  (await newestIn(place)) === predecessor.newest;

/** What a thread has been to a place. */
export interface Claim {
  /** It owned the place before. */
  again: boolean;
  /** The server whose copy its directory was restored from. */
  predecessor: Predecessor | null;
}

/**
 * Throws StoreError when the place is another server's. What was restored goes on at once, unless
 * the server that it was copied from wrote there since. A thread that owned the place and claims it
 * `again` must not take it back from a later one of its own id. What it cannot read then is
 * damaged:
 * whoever has another key is refused.
 */
export const claim = async (
  place: Place,
  objects: Objects,
  mine: Owner,
  { again, predecessor }: Claim,
): Promise<void> => {
  const found = await readOwner(place, objects).catch(error => {
    if (again && error instanceof DamageError) return null;
    throw error;
  });
  const isMine = found === null || found.process === mine.process || (found.id === mine.id && !again);
  if (!isMine && mine.at - found.at < silentMs && !(await isGone(place, found, predecessor))) throw othersPlace(found);
  await renew(place, objects, mine);
  // Of two that claim it at once, the later stays.
  const now = await readOwner(place, objects);
  if (now?.process !== mine.process) throw othersPlace(now);
};

/** Whether the place is still this thread's; false, too, when nobody can tell. */
export const isOwner = async (place: Place, objects: Objects, mine: Omit<Owner, 'at'>): Promise<boolean> => {
  const found = await readOwner(place, objects).catch(error => {
    if (error instanceof DamageError) return null;
    throw error;
  });
  return found?.id === mine.id && found.process === mine.process;
};

export const renew = (place: Place, { encode }: Objects, mine: Owner): Promise<void> =>
  place.put(name, encode(name, Buffer.from(JSON.stringify(mine))));

const othersPlace = (owner: Owner | null): StoreError =>
  new StoreError(
    owner === null
      ? 'BACKUP_TO does not keep what is written to it.'
      : `Another server writes to BACKUP_TO: ${owner.host}, last at ${new Date(owner.at).toISOString()}. Give each server a place of its own. If that one is gone for good, delete the object owner there.`,
  );
