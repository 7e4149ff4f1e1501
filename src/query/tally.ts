/**
 * Counting hits and distinct visitors per group, where a group is a dictionary code, a bucket, or everything.
 *
 * Visits are sorted by visitor, so a visitor is new to a group exactly when it is not the one the group saw last: one table and
 * one pass, without hashing. That settles visitors of hash mode, who live for one day. Visitors of cookie mode may come back on
 * another day, so they are only listed here, once per group, and united over the days later (persistent.ts).
 *
 * The loops carry no branch on whether the visitor is new, because it could not be predicted: `(x | -x) >>> 31` is 1 unless x is 0.
 */
import type { PersistentVisitors } from './persistent.ts';
import type { Scratch } from './scratch.ts';
import type { Selection } from './selection.ts';

export interface Tally {
  /** Per group. */
  hits: Uint32Array;
  /** Per group, visitors of hash mode. */
  visitors: Uint32Array;
  /** Visitors of cookie mode and their groups; null when there are none. */
  persistent: PersistentVisitors | null;
}

/** Groups by something that a visit has once; `codes` is the group of each selected visit. */
export const tallyVisits = (selection: Selection, codes: Uint32Array, groups: number): Tally => {
  const { hashVisits, visits, scratch } = selection;
  const tables = tablesFor(groups, scratch);
  countVisits(selection, codes, tables);
  if (hashVisits === visits.length) return { ...tables, persistent: null };
  const listed = takeList(visits.length - hashVisits, scratch);
  const count = listVisits(selection, codes, tables, listed);
  return { ...tables, persistent: gather(selection, listed, count) };
};

/** Groups by something each hit has; `codes` is the group of the hit at each place of the selection. */
export const tallyHits = (selection: Selection, codes: Uint32Array, groups: number): Tally => {
  const { hashVisits, visits, hitsFrom, hitsTo, scratch } = selection;
  const tables = tablesFor(groups, scratch);
  countHits(selection, codes, tables);
  if (hashVisits === visits.length) return { ...tables, persistent: null };
  const listed = takeList(hitsTo[visits.length - 1]! - hitsFrom[hashVisits]!, scratch);
  const count = listHits(selection, codes, tables, listed);
  return { ...tables, persistent: gather(selection, listed, count) };
};

interface Tables {
  hits: Uint32Array;
  visitors: Uint32Array;
  /** Per group, the visitor seen last. */
  last: Uint32Array;
}

/** Pairs of a visit and a group. */
interface List {
  visits: Uint32Array;
  groups: Uint32Array;
}

const tablesFor = (groups: number, scratch: Scratch): Tables => ({
  hits: scratch.zeros('group hits', groups),
  visitors: scratch.zeros('group visitors', groups),
  last: scratch.zeros('group last', groups),
});

const takeList = (length: number, scratch: Scratch): List => ({
  visits: scratch.take('listed visits', length),
  groups: scratch.take('listed groups', length),
});

const countVisits = (
  { visitors, hitsFrom, hitsTo, hashVisits }: Selection,
  codes: Uint32Array,
  { hits, visitors: counts, last }: Tables,
): void => {
  for (let i = 0; i < hashVisits; i++) {
    const group = codes[i]!;
    const visitor = visitors[i]!;
    hits[group]! += hitsTo[i]! - hitsFrom[i]!;
    const change = last[group]! ^ visitor;
    last[group] = visitor;
    counts[group]! += (change | -change) >>> 31;
  }
};

const countHits = (
  { visitors, hitsFrom, hitsTo, hashVisits }: Selection,
  codes: Uint32Array,
  { hits, visitors: counts, last }: Tables,
): void => {
  for (let i = 0; i < hashVisits; i++) {
    const visitor = visitors[i]!;
    const to = hitsTo[i]!;
    for (let place = hitsFrom[i]!; place < to; place++) {
      const group = codes[place]!;
      hits[group]!++;
      const change = last[group]! ^ visitor;
      last[group] = visitor;
      counts[group]! += (change | -change) >>> 31;
    }
  }
};

const listVisits = (
  { visits, visitors, hitsFrom, hitsTo, hashVisits }: Selection,
  codes: Uint32Array,
  { hits, last }: Tables,
  list: List,
): number => {
  let count = 0;
  for (let i = hashVisits; i < visits.length; i++) {
    const group = codes[i]!;
    hits[group]! += hitsTo[i]! - hitsFrom[i]!;
    list.visits[count] = visits[i]!;
    list.groups[count] = group;
    if (last[group] !== visitors[i]) count++;
    last[group] = visitors[i]!;
  }
  return count;
};

const listHits = (
  { visits, visitors, hitsFrom, hitsTo, hashVisits }: Selection,
  codes: Uint32Array,
  { hits, last }: Tables,
  list: List,
): number => {
  let count = 0;
  for (let i = hashVisits; i < visits.length; i++) {
    const to = hitsTo[i]!;
    for (let place = hitsFrom[i]!; place < to; place++) {
      const group = codes[place]!;
      hits[group]!++;
      list.visits[count] = visits[i]!;
      list.groups[count] = group;
      if (last[group] !== visitors[i]) count++;
      last[group] = visitors[i]!;
    }
  }
  return count;
};

const gather = ({ day }: Selection, { visits, groups }: List, count: number): PersistentVisitors => {
  const all = day.hashes();
  const words = new Uint32Array(all.buffer, all.byteOffset, 2 * all.length);
  const hashes = new Uint32Array(2 * count);
  for (let i = 0; i < count; i++) {
    const visit = visits[i]!;
    hashes[2 * i] = words[2 * visit]!;
    hashes[2 * i + 1] = words[2 * visit + 1]!;
  }
  return { hashes, groups: groups.slice(0, count) };
};
