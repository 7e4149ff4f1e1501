/**
 * Counting hits and distinct visitors per group, where a group is a dictionary code, a bucket, or everything.
 *
 * Visits are sorted by visitor, so a visitor is new to a group exactly when it is not the one the group saw last: one table and
 * one pass, without hashing. That settles visitors of hash mode, who live for one day. Visitors of cookie mode may come back on
 * another day, so they are listed too, once per group, for what is too much in the sum of the days to be found (persistent.ts).
 *
 * The counting loops carry no branch on whether the visitor is new, because it could not be predicted: `(x | -x) >>> 31` is 1
 * unless x is 0.
 */

import { firstOfVisitor, type PersistentVisitors } from '../visitors/daily-visitors.ts';
import { visitorBegins } from './day-index.ts';
import { sharedCopy, sharedWords } from './lists.ts';
import type { Selection } from './selection.ts';

export interface Tally {
  /** Groups that have a hit, ascending. The next two run parallel to it. */
  groups: Uint32Array;
  hits: Uint32Array;
  visitors: Uint32Array;
  /** Visitors of cookie mode and the ids of their groups; null when there are none. */
  persistent: PersistentVisitors | null;
}

/**
 * Groups by something that a visit has once; `codes` is the group of each selected visit. `ids` are what groups are called in lists of
 * visitors, where they are to mean the same on every day.
 */
export const tallyVisits = (selection: Selection, codes: Uint32Array, ids: Uint32Array): Tally => {
  const { hashVisits, visits, scratch } = selection;
  const cells = scratch.zeros('cells', 4 * ids.length);
  const list = takeList(selection, visits.length - hashVisits);
  countVisits(selection, codes, cells);
  const count = listVisits(selection, codes, ids, cells, list);
  return { ...readCells(cells), persistent: persistentOf(selection, list, count) };
};

/** Groups by something each hit has; `codes` is the group of the hit at each place. */
export const tallyHits = (selection: Selection, codes: Uint32Array, ids: Uint32Array): Tally => {
  const { scratch } = selection;
  const begins = selection.places().begins();
  const hashPlaces = hashPlacesOf(selection);
  const cells = scratch.zeros('cells', 4 * ids.length);
  const list = takeList(selection, begins.length - hashPlaces);
  const lastVisitor = countHits(codes, begins, hashPlaces, cells);
  const count = listHits(codes, begins, hashPlaces, lastVisitor, ids, cells, list);
  return { ...readCells(cells), persistent: persistentOf(selection, list, count) };
};

/** How many places are those of visits of hash mode, which come first. */
export const hashPlacesOf = (selection: Selection): number => {
  const { day, hits } = selection;
  return day.hashVisits === day.visits ? hits : selection.placesFrom()[selection.hashVisits]!;
};

/** All visitors of a selection, as one group, 0. */
export const tallyVisitors = (selection: Selection): Pick<Tally, 'persistent'> & { visitors: number } => {
  const { visitors, hashVisits } = selection;
  let count = 0;
  let last = 0;
  for (let i = 0; i < hashVisits; i++) {
    const change = visitors[i]! ^ last;
    last = visitors[i]!;
    count += (change | -change) >>> 31;
  }
  const hashes = selection.hashes();
  const groups = sharedWords(hashes.length / 2).fill(firstOfVisitor);
  return { visitors: count + groups.length, persistent: groups.length === 0 ? null : { hashes, groups } };
};

/**
 * Four numbers per group, side by side so that a group is in one cache line: hits, visitors, the visitor seen last, and
 * nothing.
 */
type Cells = Uint32Array;

/** Room for the groups of visitors of cookie mode, as `PersistentVisitors` has them; scratch. */
export const takeList = ({ scratch }: Selection, length: number): Uint32Array => scratch.take('listed groups', length);

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

/** Returns the visitor seen last. */
const countHits = (codes: Uint32Array, begins: Uint8Array, places: number, cells: Cells): number => {
  let visitor = 0;
  for (let place = 0; place < places; place++) {
    visitor += begins[place]! & visitorBegins;
    const cell = codes[place]! << 2;
    cells[cell]!++;
    const change = cells[cell + 2]! ^ visitor;
    cells[cell + 2] = visitor;
    cells[cell + 1]! += (change | -change) >>> 31;
  }
  return visitor;
};

const listVisits = (
  { visitors, hitsOf, hashVisits }: Selection,
  codes: Uint32Array,
  ids: Uint32Array,
  cells: Cells,
  list: Uint32Array,
): number => {
  let count = 0;
  let last = 0;
  for (let i = hashVisits; i < codes.length; i++) {
    const cell = codes[i]! << 2;
    const visitor = visitors[i]!;
    const changeOfVisitor = visitor ^ last;
    last = visitor;
    cells[cell]! += hitsOf[i]!;
    list[count] = ids[codes[i]!]! | ((changeOfVisitor | -changeOfVisitor) & firstOfVisitor);
    const change = cells[cell + 2]! ^ visitor;
    cells[cell + 2] = visitor;
    const isNew = (change | -change) >>> 31;
    cells[cell + 1]! += isNew;
    count += isNew;
  }
  return count;
};

/** `lastVisitor` is the one before the place `from`. */
const listHits = (
  codes: Uint32Array,
  begins: Uint8Array,
  from: number,
  lastVisitor: number,
  ids: Uint32Array,
  cells: Cells,
  list: Uint32Array,
): number => {
  let count = 0;
  let visitor = lastVisitor;
  for (let place = from; place < codes.length; place++) {
    const begun = begins[place]! & visitorBegins;
    visitor += begun;
    const cell = codes[place]! << 2;
    cells[cell]!++;
    list[count] = ids[codes[place]!]! | (begun << 30); // to where the mark of a visitor's first is
    const change = cells[cell + 2]! ^ visitor;
    cells[cell + 2] = visitor;
    const isNew = (change | -change) >>> 31;
    cells[cell + 1]! += isNew;
    count += isNew;
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

/** The first `count` of listed groups, and whose they are: all selected visitors of cookie mode. Null when there are none. */
export const persistentOf = (selection: Selection, list: Uint32Array, count: number): PersistentVisitors | null =>
  count === 0 ? null : { hashes: selection.hashes(), groups: sharedCopy(list.subarray(0, count)) };
