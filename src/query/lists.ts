/** Lists of numbers: looking things up in ascending ones, and joining several. */
import type { Numbers } from '../store/day/packed.ts';

/** Place of the first of the values that is not below `bound`; their number when all are. */
export const firstAtLeast = (values: ArrayLike<number>, bound: number): number => {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (values[middle]! < bound) low = middle + 1;
    else high = middle;
  }
  return low;
};

/** Place of a value among values that differ, or -1. */
export const placeAmong = (values: Numbers, value: number): number => {
  const place = firstAtLeast(values, value);
  return values[place] === value ? place : -1;
};

/** The numbers of some lists, one list after the other. */
export const concat = (lists: readonly Float64Array[]): Float64Array => {
  const all = new Float64Array(lists.reduce((length, list) => length + list.length, 0));
  let at = 0;
  for (const list of lists) {
    all.set(list, at);
    at += list.length;
  }
  return all;
};
