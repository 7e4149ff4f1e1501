/**
 * Counts hits and distinct visitors per group, where a group is a dictionary code, a bucket, or
 * everything.
 *
 * Visits are sorted by visitor, so a visitor is new to a group exactly when it is not the one that
 * the group saw last: one table and one pass, without hashing. That settles visitors of hash mode,
 * who live for one day. Visitors of cookie mode may come back on another day, so they are also
 * listed, once per group, to find what the sum of the days counts twice
 * (visitors/find-duplicates.ts).
 *
 * The counting loops do not branch on whether the visitor is new, because the processor could not
 * predict it: `(x | -x) >>> 31` is 1 unless x is 0.
 */

import { hitTypes } from '../../model/hit.ts';
import type { Scratch } from '../scratch.ts';
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
 * Groups by something that a visit has once; `codes` is the group of each selected visit. `ids`
 * name the groups in lists of visitors, where a group must be the same on every day.
 */
export const tallyVisits = (selection: Selection, codes: Uint32Array, ids: Uint32Array, scratch: Scratch): Tally => {
  const cells = scratch.zeros(4 * ids.length);
  const list = scratch.take(selection.visits().length - selection.hashVisits());
  countVisits(selection.visitors(), selection.hitsOf(), selection.hashVisits(), codes, cells);
  const count = listVisits(selection.visitors(), selection.hitsOf(), selection.hashVisits(), codes, ids, cells, list);
  return { ...readCells(cells), persistent: persistentOf(selection, list, count) };
};

/** Groups by something that each hit has; `codes` is the group of the hit at each position. */
export const tallyHits = (selection: Selection, codes: Uint32Array, ids: Uint32Array, scratch: Scratch): Tally => {
  const begins = selection.begins();
  const ofHash = hashPositionsOf(selection);
  const cells = scratch.zeros(4 * ids.length);
  const list = scratch.take(begins.length - ofHash);
  const lastVisitor = countHits(codes, begins, ofHash, cells);
  const count = listHits(codes, begins, ofHash, lastVisitor, ids, cells, list);
  return { ...readCells(cells), persistent: persistentOf(selection, list, count) };
};

/** 1 for the type of a pageview, and 0 for any other. */
export const pageviewFlag = (type: number): number => {
  const other = type ^ hitTypes.pageview;
  return ((other | -other) >>> 31) ^ 1;
};

/** 1 for a visit of so many pageviews that it is a bounce, else 0. */
export const bounceFlag = (pageviews: number): number => (pageviews - 2) >>> 31;

/** How many positions belong to visits of hash mode, which come first. */
export const hashPositionsOf = ({ day, hits, positionsFrom, hashVisits }: Selection): number =>
  day.hashVisits === day.visits ? hits : positionsFrom()[hashVisits()]!;

/** All visitors of a selection, as one group, 0. */
export const tallyVisitors = (selection: Selection): { visitors: number; persistent: PersistentVisitors | null } => {
  const count = countVisitors(selection.visitors(), selection.hashVisits());
  const hashes = selection.hashes();
  const groups = sharedWords(hashes.length / 2).fill(firstOfVisitor);
  return { visitors: count + groups.length, persistent: groups.length === 0 ? null : { hashes, groups } };
};

/** How many different visitors the first visits have. */
const countVisitors = (visitors: Uint32Array, visits: number): number => {
  let count = 0;
  let last = 0;
  for (let i = 0; i < visits; i++) {
    const change = visitors[i]! ^ last;
    last = visitors[i]!;
    count += (change | -change) >>> 31;
  }
  return count;
};

/**
 * The first `count` of listed groups, and whose they are: all selected visitors of cookie mode.
 * Null when there are none.
 */
export const persistentOf = (selection: Selection, list: Uint32Array, count: number): PersistentVisitors | null =>
  count === 0 ? null : { hashes: selection.hashes(), groups: sharedCopy(list.subarray(0, count)) };

/**
 * Four numbers per group, side by side so that a group is in one cache line: hits, visitors, the
 * visitor seen last, and nothing.
 */
type Cells = Uint32Array;

const countVisits = (
  visitors: Uint32Array,
  hitsOf: Uint32Array,
  visits: number,
  codes: Uint32Array,
  cells: Cells,
): void => {
  for (let i = 0; i < visits; i++) {
    const cell = codes[i]! << 2;
    const visitor = visitors[i]!;
    cells[cell]! += hitsOf[i]!;
    const change = cells[cell + 2]! ^ visitor;
    cells[cell + 2] = visitor;
    cells[cell + 1]! += (change | -change) >>> 31;
  }
};

/** Returns the visitor seen last. */
const countHits = (codes: Uint32Array, begins: Uint8Array, positions: number, cells: Cells): number => {
  let visitor = 0;
  for (let position = 0; position < positions; position++) {
    visitor += begins[position]! & visitorBegins;
    const cell = codes[position]! << 2;
    cells[cell]!++;
    const change = cells[cell + 2]! ^ visitor;
    cells[cell + 2] = visitor;
    cells[cell + 1]! += (change | -change) >>> 31;
  }
  return visitor;
};

/** From the visit `from` on. Returns how many groups are listed. */
const listVisits = (
  visitors: Uint32Array,
  hitsOf: Uint32Array,
  from: number,
  codes: Uint32Array,
  ids: Uint32Array,
  cells: Cells,
  list: Uint32Array,
): number => {
  let count = 0;
  let last = 0;
  for (let i = from; i < codes.length; i++) {
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

/** From the position `from` on, which follows `lastVisitor`. Returns how many groups are listed. */
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
  for (let position = from; position < codes.length; position++) {
    const begun = begins[position]! & visitorBegins;
    visitor += begun;
    const cell = codes[position]! << 2;
    cells[cell]!++;
    // The bit that marks a visitor's first.
    list[count] = ids[codes[position]!]! | (begun << 30);
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
