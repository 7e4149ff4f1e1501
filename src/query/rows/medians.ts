/** Medians of numbers that days list by id. They are exact: every number is at hand. */
import type { Codes } from '../../store/day/packed.ts';
import { boundOf, sumOf } from '../scan/lists.ts';
import { placeOf } from './counted.ts';

/** Numbers by group, one group after the other, in any order within a group. */
export interface Lists {
  /** Where those of each group begin, and one more entry: how many numbers are listed. */
  starts: Uint32Array;
  numbers: Codes;
  /** How often each occurs; null: once. */
  counts: Codes | null;
}

interface ListsOfDay {
  /** Ascending; of each, the list at its position. */
  ids: Uint32Array;
  lists: Lists;
}

/** The medians of the numbers of some ids, in their order; null of none. */
export const mediansOf = (days: readonly ListsOfDay[], ids: readonly number[]): (number | null)[] => {
  const slotOf = new Map(ids.map((id, slot) => [id, slot]));
  const starts = new Uint32Array(ids.length + 1);
  /** Calls `visit` for each list of a wanted id. */
  const eachList = (visit: (slot: number, lists: Lists, from: number, to: number) => void): void => {
    for (const { ids, lists } of days) {
      for (let i = 0; i < ids.length; i++) {
        const slot = slotOf.get(ids[i]!);
        if (slot !== undefined) visit(slot, lists, lists.starts[i]!, lists.starts[i + 1]!);
      }
    }
  };
  eachList((slot, _, from, to) => {
    starts[slot + 1]! += to - from;
  });
  for (let slot = 0; slot < ids.length; slot++) starts[slot + 1]! += starts[slot]!;
  const numbers = new Uint32Array(starts[ids.length]!);
  const counts = new Uint32Array(numbers.length);
  const next = starts.slice();
  eachList((slot, lists, from, to) => {
    const at = next[slot]!;
    next[slot]! += to - from;
    numbers.set(lists.numbers.subarray(from, to), at);
    if (lists.counts === null) counts.fill(1, at, next[slot]!);
    else counts.set(lists.counts.subarray(from, to), at);
  });
  const median = medianFinder(numbers);
  return ids.map((_, slot) => {
    const [from, to] = [starts[slot]!, starts[slot + 1]!];
    return median(numbers.subarray(from, to), counts.subarray(from, to));
  });
};

/** Lists of more numbers than this are counted in a table, where the numbers are small. */
const sortedMax = 512;
const tableMax = 1 << 17;

/** Finds medians of counted numbers of which none is above the largest of some. */
const medianFinder = (all: Uint32Array): ((numbers: Uint32Array, counts: Uint32Array) => number | null) => {
  const table = new Uint32Array(Math.min(boundOf(all), tableMax) + 1);
  return (numbers, counts) => {
    const total = sumOf(counts);
    if (total === 0) return null;
    const [low, high] = [(total - 1) >> 1, total >> 1];
    const most = boundOf(numbers);
    if (total > sortedMax && most < table.length) {
      table.fill(0, 0, most + 1);
      for (let i = 0; i < numbers.length; i++) table[numbers[i]!]! += counts[i]!;
      return (placeOf(table, low) + placeOf(table, high)) / 2;
    }
    const each = repeated(numbers, counts, new Uint32Array(total)).sort();
    return (each[low]! + each[high]!) / 2;
  };
};

const repeated = (numbers: Uint32Array, counts: Uint32Array, to: Uint32Array): Uint32Array => {
  let at = 0;
  for (let i = 0; i < numbers.length; i++) {
    to.fill(numbers[i]!, at, at + counts[i]!);
    at += counts[i]!;
  }
  return to;
};
