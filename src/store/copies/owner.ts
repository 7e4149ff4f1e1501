/**
 * One server writes to a place. It says so in an object there, every 45 s, and looks before each
 * point whether the object still says it. Another server is refused for as long as the owner says
 * it; when that has been silent for an hour, the next takes its place. A server on a directory that
 * was restored from the place watches for 100 s whether the owner is silent, and goes on in its
 * stead. Places cannot compare and write in one step,
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
/** How often a server says that it is there, whatever else it does. */
export const renewMs = 45_000;
/** The server that a directory was restored from is gone after this: two renewals were due. */
const watchMs = 100_000;
/** How often its successor looks meanwhile. A clock that steps ahead adds no more than this. */
export const lookMs = 10_000;

export const readOwner = async (place: Place, objects: Objects): Promise<Owner | null> => {
  const object = await place.get(name);
  return object === null ? null : (JSON.parse(decodeFirst(objects, name, object).toString('utf8')) as Owner);
};

const nullIfDamaged = (error: unknown): null => {
  if (error instanceof DamageError) return null;
  throw error;
};

/** What restore notes of a place; null when nobody wrote to it, or who did cannot be read. */
export const predecessorIn = async (place: Place, objects: Objects): Promise<Predecessor | null> => {
  const owner = await readOwner(place, objects).catch(nullIfDamaged);
  return owner && { process: owner.process, at: owner.at, newest: await newestIn(place) };
};

const newestIn = async (place: Place): Promise<string> => {
  const newest = (await pointsIn(place)).at(-1);
  return newest === undefined ? '' : pointName(newest);
};

/** For how long the predecessor was seen to be silent, and when that was; UTC milliseconds. */
export interface Silence {
  ms: number;
  lookedAt: number;
}

/** Whether nobody has written to the place since it was restored from. */
const isSilent = async (place: Place, found: Owner, predecessor: Predecessor | null): Promise<boolean> =>
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
  /** Begins at no time at all, and grows with each try. */
  silence: Silence;
}

/** Notes that the predecessor is silent still. True when that was so for long enough. */
const outlasts = (silence: Silence, now: number): boolean => {
  silence.ms += Math.min(lookMs, Math.max(0, now - silence.lookedAt));
  silence.lookedAt = now;
  return silence.ms >= watchMs;
};

/**
 * False while it is not known whether the server that the directory was restored from still runs:
 * to be asked again after `lookMs`. Throws StoreError when the place is another server's. A thread
 * that owned the place and claims it `again` must not take it back from a later one of its own id.
 * What it cannot read then is damaged: whoever has another key is refused.
 */
export const claim = async (
  place: Place,
  objects: Objects,
  mine: Owner,
  { again, predecessor, silence }: Claim,
): Promise<boolean> => {
  const reading = readOwner(place, objects);
  const found = await (again ? reading.catch(nullIfDamaged) : reading);
  const isMine = found === null || found.process === mine.process || (found.id === mine.id && !again);
  if (!isMine && mine.at - found.at < silentMs) {
    if (!(await isSilent(place, found, predecessor))) throw othersPlace(found);
    if (!outlasts(silence, mine.at)) return false;
  }
  await renew(place, objects, mine);
  // Of two that claim it at once, the later stays.
  const now = await readOwner(place, objects);
  if (now?.process !== mine.process) throw othersPlace(now);
  return true;
};

/** Whether the place is still this thread's; false, too, when nobody can tell. */
export const isOwner = async (place: Place, objects: Objects, mine: Omit<Owner, 'at'>): Promise<boolean> => {
  const found = await readOwner(place, objects).catch(nullIfDamaged);
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
