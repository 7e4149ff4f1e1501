/** Medians of numbers that days list by id. They are exact: every number is at hand. */
import { largest } from '../../store/day/column-codec.ts';
import type { Codes } from '../../store/day/packed.ts';

/** Numbers by group, one group after the other, in any order within a group. */
export interface Lists {
  /** Where those of each group begin, and one more entry: how many numbers there are. */
  starts: Uint32Array;
  numbers: Codes;
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
  const next = starts.slice();
  eachList((slot, lists, from, to) => {
    numbers.set(lists.numbers.subarray(from, to), next[slot]!);
    next[slot]! += to - from;
  });
  const median = medianFinder(numbers);
  return ids.map((_, slot) => median(numbers.subarray(starts[slot]!, starts[slot + 1]!)));
};

/** Lists longer than this are counted in a table, where their numbers are small. */
const sortedMax = 512;
const tableMax = 1 << 17;

/** Finds medians of lists of numbers of which none is above the largest of some. Reorders them. */
const medianFinder = (all: Uint32Array): ((numbers: Uint32Array) => number | null) => {
  const table = new Uint32Array(Math.min(largest(all), tableMax) + 1);
  return numbers => {
    if (numbers.length === 0) return null;
    const [low, high] = [(numbers.length - 1) >> 1, numbers.length >> 1];
    if (numbers.length > sortedMax && largest(numbers) < table.length) {
      table.fill(0);
      for (let i = 0; i < numbers.length; i++) table[numbers[i]!]!++;
      return (numberAt(table, low) + numberAt(table, high)) / 2;
    }
    numbers.sort();
    return (numbers[low]! + numbers[high]!) / 2;
  };
};

/** The number at a position of the ascending list that a table counts. */
const numberAt = (table: Uint32Array, position: number): number => {
  let seen = 0;
  let number = -1;
  while (seen <= position) seen += table[++number]!;
  return number;
};
