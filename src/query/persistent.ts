/**
 * Visitors of cookie mode live longer than a day, so a range must count each of them once. The days' lists are united piece
 * by piece: a piece is the visitors whose hashes begin with the same bits, small enough that its table stays in the
 * processor's cache. Each list is sorted by hash, so a piece is a contiguous part of every list. Within a piece the
 * appearances of a visitor are chained together, and its groups are counted as they are within a day: a group is new to it
 * unless it was the last that the group saw.
 */

import { createScratch, type Scratch } from './scratch.ts';

/** Visitors of one day, in ascending order of hash, each with the groups it was seen in. */
export interface PersistentVisitors {
  /** Two words per visitor: the low and the high half of its hash. */
  hashes: Uint32Array;
  /** Per visitor, where its groups begin, and one more entry: the number of groups of all. */
  groupsFrom: Uint32Array;
  /** Each at most once per visitor. */
  groups: Uint32Array;
}

/** Renumbers groups by a table; those that become 0 are dropped if asked to. */
export const regroup = (
  visitors: PersistentVisitors | null,
  table: Uint32Array,
  dropZero: boolean,
): PersistentVisitors | null => {
  if (visitors === null) return null;
  const groupsFrom = new Uint32Array(visitors.groupsFrom.length);
  const groups = new Uint32Array(visitors.groups.length);
  let count = 0;
  for (let visitor = 0; visitor < groupsFrom.length - 1; visitor++) {
    for (let i = visitors.groupsFrom[visitor]!; i < visitors.groupsFrom[visitor + 1]!; i++) {
      groups[count] = table[visitors.groups[i]!]!;
      if (groups[count] !== 0 || !dropZero) count++;
    }
    groupsFrom[visitor + 1] = count;
  }
  return { hashes: visitors.hashes, groupsFrom, groups: groups.slice(0, count) };
};

/** A day's visitors, and the place in the counts of each group. */
export interface Appearances {
  visitors: PersistentVisitors | null;
  placeOf: Uint32Array;
}

/** For a day's visitors that are all of one group, 0. */
export const onlyPlace = Uint32Array.of(0);

type List = PersistentVisitors & { placeOf: Uint32Array };

/** Appearances in one piece, about. Its tables take some 100 KB. */
const pieceSize = 4096;

/** Adds to `counts`, for each place, the number of distinct visitors that were seen there on any of the days. */
export const countPersistent = (days: readonly Appearances[], counts: Uint32Array): void => {
  const lists = days.flatMap(({ visitors, placeOf }) => (visitors === null ? [] : [{ ...visitors, placeOf }]));
  const appearances = lists.reduce((sum, { hashes }) => sum + hashes.length / 2, 0);
  const pieces = 2 ** Math.max(0, Math.ceil(Math.log2(appearances / pieceSize)));
  const from = lists.map(() => 0);
  const scratch = createScratch();
  const seen = { last: new Uint32Array(counts.length), visitor: 0 };
  for (let piece = 1; piece <= pieces; piece++) {
    const end = (2 ** 32 / pieces) * piece;
    const to = lists.map(({ hashes }, list) => placeOfHigh(hashes, from[list]!, end));
    countChains(chain(lists, from, to, scratch), lists, seen, counts);
    to.forEach((place, list) => {
      from[list] = place;
    });
  }
};

/** A day of a series: the place of its first bucket among all, and what was seen in each of its buckets, which are the groups. */
interface BucketedDay {
  first: number;
  /** Visitors of hash mode. */
  visitors: Uint32Array;
  persistent: PersistentVisitors | null;
}

/** Adds to `counts`, for each bucket, the number of distinct visitors of cookie mode. */
export const countPersistentByBucket = (days: readonly BucketedDay[], counts: Uint32Array): void => {
  const appearances = days.map(({ first, visitors: { length }, persistent }) => ({
    visitors: persistent,
    placeOf: Uint32Array.from({ length }, (_, bucket) => first + bucket),
  }));
  countPersistent(appearances, counts);
};

/** Place of the first visitor, from a place on, whose high half is not below `end`. */
const placeOfHigh = (hashes: Uint32Array, from: number, end: number): number => {
  let place = from;
  while (2 * place < hashes.length && hashes[2 * place + 1]! < end) place++;
  return place;
};

/** Appearances, numbered from 1; those of one visitor are chained. */
interface Chains {
  /** The first appearance of each visitor. */
  heads: Uint32Array;
  /** Per appearance, the next one of its visitor, or 0. */
  following: Uint32Array;
  /** Per appearance, its list, and its place there. */
  listOf: Uint32Array;
  placeIn: Uint32Array;
}

/** Chains the appearances between two places of each list, by a hash table with open addressing. */
const chain = (lists: readonly List[], from: readonly number[], to: readonly number[], scratch: Scratch): Chains => {
  const size = to.reduce((sum, place, list) => sum + place - from[list]!, 0);
  const mask = 2 ** Math.ceil(Math.log2(2 * size + 1)) - 1;
  const slots = scratch.zeros('slots', mask + 1);
  const lows = scratch.take('lows', size + 1);
  const highs = scratch.take('highs', size + 1);
  const listOf = scratch.take('list of', size + 1);
  const placeIn = scratch.take('place in', size + 1);
  const following = scratch.zeros('following', size + 1);
  const heads = scratch.take('heads', size);
  let visitors = 0;
  let appearance = 0;
  lists.forEach(({ hashes }, list) => {
    for (let place = from[list]!; place < to[list]!; place++) {
      const low = hashes[2 * place]!;
      const high = hashes[2 * place + 1]!;
      appearance++;
      lows[appearance] = low;
      highs[appearance] = high;
      listOf[appearance] = list;
      placeIn[appearance] = place;
      let slot = low & mask;
      let head = slots[slot]!;
      while (head !== 0 && (lows[head] !== low || highs[head] !== high)) {
        slot = (slot + 1) & mask;
        head = slots[slot]!;
      }
      if (head === 0) {
        slots[slot] = appearance;
        heads[visitors++] = appearance;
      } else {
        following[appearance] = following[head]!;
        following[head] = appearance;
      }
    }
  });
  return { heads: heads.subarray(0, visitors), following, listOf, placeIn };
};

/** Counts each visitor once at every place that one of its appearances has a group for. */
const countChains = (
  { heads, following, listOf, placeIn }: Chains,
  lists: readonly List[],
  seen: { last: Uint32Array; visitor: number },
  counts: Uint32Array,
): void => {
  const { last } = seen;
  for (let i = 0; i < heads.length; i++) {
    const visitor = ++seen.visitor;
    for (let appearance = heads[i]!; appearance !== 0; appearance = following[appearance]!) {
      const { groupsFrom, groups, placeOf } = lists[listOf[appearance]!]!;
      const end = groupsFrom[placeIn[appearance]! + 1]!;
      for (let group = groupsFrom[placeIn[appearance]!]!; group < end; group++) {
        const place = placeOf[groups[group]!]!;
        if (last[place] === visitor) continue;
        last[place] = visitor;
        counts[place]!++;
      }
    }
  }
};
