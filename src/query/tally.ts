/**
 * Counting hits and distinct visitors per group, where a group is a dictionary code, a bucket, or everything.
 *
 * Visits are sorted by visitor, so a visitor is new to a group exactly when it is not the one the group saw last: one table and
 * one pass, without hashing. That settles visitors of hash mode, who live for one day. Visitors of cookie mode may come back on
 * another day, so they are only listed here, once per group, and united over the days later (persistent.ts).
 *
 * The counting loops carry no branch on whether the visitor is new, because it could not be predicted: `(x | -x) >>> 31` is 1
 * unless x is 0.
 */
import type { Day } from '../store/day/day.ts';
import { visitBegins, visitorBegins } from './day-index.ts';
import type { PersistentVisitors } from './persistent.ts';
import type { Scratch } from './scratch.ts';
import type { Selection } from './selection.ts';

export interface Tally {
  /** Groups that have a hit, ascending. The next two run parallel to it. */
  groups: Uint32Array;
  hits: Uint32Array;
  /** Visitors of hash mode. */
  visitors: Uint32Array;
  /** Visitors of cookie mode and their groups; null when there are none. */
  persistent: PersistentVisitors | null;
}

/** Groups by something that a visit has once; `codes` is the group of each selected visit. */
export const tallyVisits = (selection: Selection, codes: Uint32Array, groups: number): Tally => {
  const { day, hashVisits, visits, scratch } = selection;
  const cells = scratch.zeros('cells', 4 * groups);
  const list = takeList(visits.length - hashVisits, scratch);
  countVisits(selection, codes, cells);
  const count = listVisits(selection, codes, cells, list);
  return { ...readCells(cells), persistent: persistentOf(day, list, count) };
};

/** Groups by something each hit has; `codes` is the group of the hit at each place. */
export const tallyHits = (selection: Selection, codes: Uint32Array, groups: number): Tally => {
  const { day, scratch } = selection;
  const begins = selection.places().begins();
  const hashPlaces = hashPlacesOf(selection);
  const cells = scratch.zeros('cells', 4 * groups);
  const list = takeList(begins.length - hashPlaces, scratch);
  countHits(codes, begins, hashPlaces, cells);
  const count = listHits(selection, codes, begins, hashPlaces, cells, list);
  return { ...readCells(cells), persistent: persistentOf(day, list, count) };
};

/** How many places are those of visits of hash mode, which come first. */
export const hashPlacesOf = (selection: Selection): number => {
  const { day, hits } = selection;
  return day.hashVisits === day.visits ? hits : selection.placesFrom()[selection.hashVisits]!;
};

/** All visitors of a selection, as one group. */
export const tallyVisitors = (selection: Selection): Pick<Tally, 'persistent'> & { visitors: number } => {
  const { day, visits, visitors, hashVisits, scratch } = selection;
  const list = takeList(visits.length - hashVisits, scratch);
  let count = 0;
  let listed = 0;
  let last = 0;
  for (let i = 0; i < hashVisits; i++) {
    const change = visitors[i]! ^ last;
    last = visitors[i]!;
    count += (change | -change) >>> 31;
  }
  for (let i = hashVisits; i < visits.length; i++) {
    list.visits[listed] = visits[i]!;
    list.groups[listed] = 0;
    if (visitors[i] !== last) listed++;
    last = visitors[i]!;
  }
  return { visitors: count, persistent: persistentOf(day, list, listed) };
};

/**
 * Four numbers per group, side by side so that a group is in one cache line: hits, visitors of hash mode, the visitor
 * seen last, and nothing.
 */
type Cells = Uint32Array;

/** Pairs of a visit and a group, in the order of visits; scratch. */
export interface List {
  visits: Uint32Array;
  groups: Uint32Array;
}

export const takeList = (length: number, scratch: Scratch): List => ({
  visits: scratch.take('listed visits', length),
  groups: scratch.take('listed groups', length),
});

const countVisits = ({ visitors, hitsOf, hashVisits }: Selection, codes: Uint32Array, cells: Cells): void => {
  for (let i = 0; i < hashVisits; i++) {
    const cell = codes[i]! << 2;
    const visitor = visitors[i]!;
    cells[cell]! += hitsOf[i]!;
    const change = cells[cell + 2]! ^ visitor;
    cells[cell + 2] = visitor;
    cells[cell + 1]! += (change | -change) >>> 31;
  }
};

const countHits = (codes: Uint32Array, begins: Uint8Array, places: number, cells: Cells): void => {
  let visitor = 0;
  for (let place = 0; place < places; place++) {
    visitor += begins[place]! & visitorBegins;
    const cell = codes[place]! << 2;
    cells[cell]!++;
    const change = cells[cell + 2]! ^ visitor;
    cells[cell + 2] = visitor;
    cells[cell + 1]! += (change | -change) >>> 31;
  }
};

const listVisits = (
  { visits, visitors, hitsOf, hashVisits }: Selection,
  codes: Uint32Array,
  cells: Cells,
  list: List,
): number => {
  let count = 0;
  for (let i = hashVisits; i < visits.length; i++) {
    const cell = codes[i]! << 2;
    const visitor = visitors[i]!;
    cells[cell]! += hitsOf[i]!;
    list.visits[count] = visits[i]!;
    list.groups[count] = codes[i]!;
    const change = cells[cell + 2]! ^ visitor;
    cells[cell + 2] = visitor;
    count += (change | -change) >>> 31;
  }
  return count;
};

const listHits = (
  { visits, hashVisits }: Selection,
  codes: Uint32Array,
  begins: Uint8Array,
  hashPlaces: number,
  cells: Cells,
  list: List,
): number => {
  let count = 0;
  let i = hashVisits - 1;
  let visitor = 0xffffffff; // counted down, so that it is none of those that countHits left in the cells
  for (let place = hashPlaces; place < codes.length; place++) {
    i += begins[place]! & visitBegins;
    visitor -= begins[place]! & visitorBegins;
    const cell = codes[place]! << 2;
    cells[cell]!++;
    list.visits[count] = visits[i]!;
    list.groups[count] = codes[place]!;
    const change = cells[cell + 2]! ^ visitor;
    cells[cell + 2] = visitor;
    count += (change | -change) >>> 31;
  }
  return count;
};

const readCells = (cells: Cells): Pick<Tally, 'groups' | 'hits' | 'visitors'> => {
  let count = 0;
  for (let cell = 0; cell < cells.length; cell += 4) if (cells[cell]! > 0) count++;
  const groups = new Uint32Array(count);
  const hits = new Uint32Array(count);
  const visitors = new Uint32Array(count);
  for (let cell = 0, i = 0; i < count; cell += 4) {
    if (cells[cell] === 0) continue;
    groups[i] = cell >> 2;
    hits[i] = cells[cell]!;
    visitors[i++] = cells[cell + 1]!;
  }
  return { groups, hits, visitors };
};

/** The visitors of the first `count` listed visits; null when there are none. */
export const persistentOf = (day: Day, { visits, groups }: List, count: number): PersistentVisitors | null => {
  if (count === 0) return null;
  const all = day.hashes();
  const words = new Uint32Array(all.buffer, all.byteOffset, 2 * all.length);
  const hashes = new Uint32Array(2 * count);
  const groupsFrom = new Uint32Array(count + 1);
  let visitors = 0;
  for (let i = 0; i < count; i++) {
    const low = words[2 * visits[i]!]!;
    const high = words[2 * visits[i]! + 1]!;
    if (visitors === 0 || hashes[2 * visitors - 2] !== low || hashes[2 * visitors - 1] !== high) {
      hashes[2 * visitors] = low;
      hashes[2 * visitors + 1] = high;
      visitors++;
    }
    groupsFrom[visitors] = i + 1;
  }
  return {
    hashes: hashes.slice(0, 2 * visitors),
    groupsFrom: groupsFrom.slice(0, visitors + 1),
    groups: groups.slice(0, count),
  };
};
