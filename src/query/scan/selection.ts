/** The part of one day that a slice selects, and the values that its visits and hits have. */

import { lazy } from '../../model/remember.ts';
import { firstAtLeast } from '../../store/day/ascending.ts';
import type { Day, NumberName } from '../../store/day/day.ts';
import type { Codes, Packed } from '../../store/day/packed.ts';
import type { Scratch } from '../scratch.ts';
import { type DayIndex, visitBegins } from './day-index.ts';
import { codesOf, type Found } from './filter-rows.ts';
import { sharedCopy } from './lists.ts';
import { widen, widenRows } from './widen.ts';

/**
 * Selected hits have positions, from 0 on. Each part is made when it is first needed: much can be
 * told from visits alone. All but `hashes` is scratch: good for as long as the memory that the
 * selection was made with.
 */
export interface Selection {
  day: Day;
  index: DayIndex;
  /** How many hits are selected. */
  hits: number;
  /** Whether all hits of the selected visits are selected. */
  wholeVisits: boolean;
  /** Visits with at least one selected hit, ascending. */
  visits(): Uint32Array;
  /** Per selected visit, the ordinal of its visitor within the day, from 1. */
  visitors(): Uint32Array;
  /** How many of the selected visits are of hash mode. They come first. */
  hashVisits(): number;
  /**
   * The selected visitors of cookie mode, as `PersistentVisitors` has them. All questions share
   * this array: it takes more than half of a list of visitors.
   */
  hashes(): Uint32Array;
  /** Per selected visit, how many of its hits are selected. */
  hitsOf(): Uint32Array;
  /** Per selected visit, the position of its first hit, and one more entry: the number of hits. */
  positionsFrom(): Uint32Array;
  /** The hit at each position. Where `rows` is null, all hits of the day. */
  found(): Found;
  /** Per position, which of `visitBegins` and `visitorBegins` holds among the selected hits. */
  begins(): Uint8Array;
}

/** How the parts of a selection are made. */
export type Parts = Pick<Selection, 'visits' | 'visitors' | 'hitsOf' | 'positionsFrom' | 'found' | 'begins'>;

export const selectionOf = (
  { day, index }: Pick<Selection, 'day' | 'index'>,
  hits: number,
  wholeVisits: boolean,
  parts: Parts,
  scratch: Scratch,
): Selection => {
  const visits = lazy(parts.visits);
  const visitors = lazy(parts.visitors);
  const hashVisits = lazy(() => firstAtLeast(visits(), day.hashVisits));
  return {
    day,
    index,
    hits,
    wholeVisits,
    visits,
    visitors,
    hashVisits,
    hashes: lazy(() => hashesOf(day, visits(), visitors, hashVisits(), scratch)),
    hitsOf: lazy(parts.hitsOf),
    positionsFrom: lazy(parts.positionsFrom),
    found: lazy(parts.found),
    begins: lazy(parts.begins),
  };
};

/** In memory of their own. */
const hashesOf = (
  day: Day,
  visits: Uint32Array,
  visitors: () => Uint32Array,
  hashVisits: number,
  scratch: Scratch,
): Uint32Array => {
  if (hashVisits === visits.length) return new Uint32Array(0); // and the column is not read
  const all = day.hashes();
  const words = new Uint32Array(all.buffer, all.byteOffset, 2 * all.length);
  return scratch.within(inner => {
    const hashes = inner.take(2 * (visits.length - hashVisits));
    return sharedCopy(hashes.subarray(0, listHashes(words, visits, visitors(), hashVisits, hashes)));
  });
};

/** Lists the hash of each visitor once, from the visit `from` on. Returns the number of words. */
const listHashes = (
  words: Uint32Array,
  visits: Uint32Array,
  visitors: Uint32Array,
  from: number,
  hashes: Uint32Array,
): number => {
  let end = 0;
  let last = 0;
  for (let i = from; i < visits.length; i++) {
    const change = visitors[i]! ^ last;
    last = visitors[i]!;
    end += ((change | -change) >>> 31) << 1;
    hashes[end - 2] = words[2 * visits[i]!]!;
    hashes[end - 1] = words[2 * visits[i]! + 1]!;
  }
  return end;
};

// Do not write to the values of columns: they may be the column as the cache keeps it.

/** Of the codes of a day's visits, one for each selected visit. */
export const visitCodes = (selection: Selection, codes: Codes | Packed, scratch: Scratch): Uint32Array =>
  isOfAllVisits(selection) ? widen(codes, scratch) : widenRows(codes, selection.visits(), scratch);

/** The values of a column of visits, one for each selected visit. */
export const visitNumbers = (selection: Selection, name: NumberName, scratch: Scratch): Uint32Array => {
  const { day, index } = selection;
  const wide = (): Uint32Array => index.numbers(name);
  return isOfAllVisits(selection) ? wide() : widenRows(day.keptNumbers(name), selection.visits(), scratch, wide);
};

const isOfAllVisits = ({ day, visits }: Selection): boolean => visits().length === day.visits;

/** Of the codes of a day's hits, those of the selected ones, by position. */
export const hitCodes = (selection: Selection, codes: Codes | Packed, scratch: Scratch): Uint32Array =>
  codesOf(selection.found(), codes, scratch);

/** The values of a column of hits, by position. */
export const hitNumbers = ({ day, index, found }: Selection, name: NumberName, scratch: Scratch): Uint32Array =>
  codesOf(found(), day.keptNumbers(name), scratch, () => index.numbers(name));

/** When each selected hit came, in milliseconds since midnight, by position. Yours to write to. */
export const hitTimes = (selection: Selection, scratch: Scratch): Uint32Array =>
  scratch.within(inner => {
    const sinceStart = hitNumbers(selection, 'time', inner);
    const times = scratch.take(sinceStart.length);
    addStarts(visitNumbers(selection, 'started', inner), sinceStart, selection.begins(), times);
    return times;
  });

const addStarts = (started: Uint32Array, sinceStart: Uint32Array, begins: Uint8Array, times: Uint32Array): void => {
  let i = -1;
  for (let position = 0; position < times.length; position++) {
    i += begins[position]! & visitBegins;
    times[position] = started[i]! + sinceStart[position]!;
  }
};
