/** The numbers that medians are of, by group: what one day contributes to them. */
import { scrollOf, secondsOf } from '../../model/hit.ts';
import type { MedianName } from '../../model/table-metrics.ts';
import { boundOf, countValues } from '../scan/lists.ts';
import { hitNumbers, type Selection } from '../scan/selection.ts';
import type { Scratch } from '../scratch.ts';
import type { Grouped } from './grouping.ts';
import type { Lists } from './medians.ts';
import { narrowed } from './sum-by-id.ts';

/** A table of all numbers of all groups may have as many entries as there are hits, or so many. */
const entriesMin = 1 << 16;

/**
 * What is known of the selected hits, by group: of each number one more, so that 0 is none. In
 * memory of their own.
 */
export const numbersOfGroups = (
  { selection, grouping, hitCodes }: Grouped,
  name: MedianName,
  scratch: Scratch,
): Lists =>
  scratch.within(inner => {
    const values = knownNumbers(selection, name, inner);
    const groups = grouping.ids.length;
    const entries = groups * (boundOf(values) + 1);
    return entries <= Math.max(entriesMin, values.length)
      ? countedNumbers(hitCodes(), values, groups, inner.zeros(entries), inner)
      : listedNumbers(hitCodes(), values, groups, inner);
  });

const knownNumbers = (selection: Selection, name: MedianName, scratch: Scratch): Uint32Array => {
  const codes = hitNumbers(selection, 'scroll', scratch);
  const seconds = name === 'scroll' ? undefined : hitNumbers(selection, name, scratch);
  const known = scratch.take(codes.length);
  for (let i = 0; i < codes.length; i++) {
    const number = seconds === undefined ? scrollOf(codes[i]!) : secondsOf(seconds[i]!, codes[i]!);
    known[i] = number === null ? 0 : number + 1;
  }
  return known;
};

/** From a table with an entry for each group and number. */
const countedNumbers = (
  codes: Uint32Array,
  values: Uint32Array,
  groups: number,
  table: Uint32Array,
  scratch: Scratch,
): Lists => {
  const width = table.length / groups;
  countPairs(codes, values, width, table);
  const [numbers, counts] = [scratch.take(table.length), scratch.take(table.length)];
  const starts = new Uint32Array(groups + 1);
  const count = listCounted(table, width, starts, numbers, counts);
  return { starts, numbers: narrowed(numbers.subarray(0, count)), counts: narrowed(counts.subarray(0, count)) };
};

const countPairs = (codes: Uint32Array, values: Uint32Array, width: number, table: Uint32Array): void => {
  for (let position = 0; position < codes.length; position++) table[codes[position]! * width + values[position]!]!++;
};

const listCounted = (
  table: Uint32Array,
  width: number,
  starts: Uint32Array,
  numbers: Uint32Array,
  counts: Uint32Array,
): number => {
  let count = 0;
  for (let group = 0, at = 0; at < table.length; group++) {
    at++; // those that are 0
    for (let number = 1; number < width; number++, at++) {
      numbers[count] = number;
      counts[count] = table[at]!;
      count += table[at] === 0 ? 0 : 1;
    }
    starts[group + 1] = count;
  }
  return count;
};

/** Each number by itself. */
const listedNumbers = (codes: Uint32Array, values: Uint32Array, groups: number, scratch: Scratch): Lists => {
  const room = [scratch.take(codes.length), scratch.take(codes.length)] as const;
  const count = listKnown(codes, values, ...room);
  const [ofKnown, known] = [room[0].subarray(0, count), room[1].subarray(0, count)];
  const starts = new Uint32Array(groups + 1);
  countValues(ofKnown, starts.subarray(1));
  for (let group = 0; group < groups; group++) starts[group + 1]! += starts[group]!;
  const sorted = scratch.take(count);
  const next = scratch.take(starts.length);
  next.set(starts);
  sortByGroup(ofKnown, known, next, sorted);
  return { starts, numbers: narrowed(sorted), counts: null };
};

/** Lists the values that are not 0 and their groups, and returns their number. */
const listKnown = (codes: Uint32Array, values: Uint32Array, groups: Uint32Array, known: Uint32Array): number => {
  let count = 0;
  for (let position = 0; position < codes.length; position++) {
    groups[count] = codes[position]!;
    known[count] = values[position]!;
    count += values[position] === 0 ? 0 : 1;
  }
  return count;
};

const sortByGroup = (groups: Uint32Array, values: Uint32Array, next: Uint32Array, sorted: Uint32Array): void => {
  for (let i = 0; i < groups.length; i++) sorted[next[groups[i]!]!++] = values[i]!;
};
