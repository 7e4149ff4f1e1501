/**
 * Counts the duplicate visitors of a piece (find-duplicates.ts): numbers the visitors, then marks
 * for each the positions that have counted it.
 */
import type { Scratch } from '../scratch.ts';
import { firstOfVisitor } from './daily-visitors.ts';

/** Visitors of a day, ascending by hash. Those at `from` <= i < `to` are in the piece. */
export interface VisitorsOfDay {
  /** As in `PersistentVisitors`. */
  hashes: Uint32Array;
  from: number;
  to: number;
  /** Where the number of the first one in the piece stands in `Numbered.numbers`. */
  at: number;
}

/** The groups of a day's visitors, as in `PersistentVisitors`, and the first in the piece. */
export interface VisitorGroups {
  visitors: VisitorsOfDay;
  groups: Uint32Array;
  positionOf: Uint32Array;
  from: number;
}

/** Where the groups of the piece end. */
export const endOfGroups = ({ groups, from, visitors }: VisitorGroups): number => {
  let end = from;
  let left = visitors.to - visitors.from;
  while (end < groups.length) {
    left -= groups[end]! >>> 31;
    if (left < 0) break;
    end++;
  }
  return end;
};

/** The visitors of a piece, day by day. */
export interface Numbered {
  /** Numbers of the visitors, from 0. */
  numbers: Uint32Array;
  /** How many are different. */
  count: number;
  /** How many there are, each once per day. */
  visitors: number;
}

/** The smallest power of two that is not below a number. */
const powerAbove = (number: number): number => 2 ** Math.ceil(Math.log2(Math.max(1, number)));

/** An entry of the table of numbers: both halves of a hash, the number, and nothing. */
const numberEntry = 4;

/** Numbers the visitors of a piece. The result is in `scratch`. */
export const numberVisitors = (days: readonly VisitorsOfDay[], scratch: Scratch): Numbered => {
  const visitors = days.reduce((sum, { from, to }) => sum + to - from, 0);
  const numbers = scratch.take(visitors);
  const table = scratch.zeros(powerAbove(2 * visitors) * numberEntry);
  let count = 0;
  for (const day of days) count = numberDay(day, table, count, numbers);
  return { numbers, count, visitors };
};

/**
 * `count` have a number already; returns how many have one now. In the hash table, which uses open
 * addressing, numbers begin with 1.
 */
const numberDay = (
  { hashes, from, to, at }: VisitorsOfDay,
  table: Uint32Array,
  count: number,
  numbers: Uint32Array,
): number => {
  const last = table.length - numberEntry;
  const shift = at - from;
  let newest = count;
  for (let visitor = from; visitor < to; visitor++) {
    const low = hashes[2 * visitor]!;
    const high = hashes[2 * visitor + 1]!;
    let entry = Math.imul(low, numberEntry) & last;
    while (table[entry + 2] !== 0 && (table[entry] !== low || table[entry + 1] !== high))
      entry = (entry + numberEntry) & last;
    if (table[entry + 2] === 0) {
      table[entry] = low;
      table[entry + 1] = high;
      table[entry + 2] = ++newest;
    }
    numbers[visitor + shift] = table[entry + 2]! - 1;
  }
  return newest;
};

/** Positions that one word has bits for. */
const wordBits = 32;
/**
 * Clearing so many words takes less time than looking for one group in the hash table instead of
 * testing its bit.
 */
const wordsPerGroup = 40;
/** An entry of the hash table: the visitor's number, from 1, and the position. */
const seenEntry = 2;

/**
 * Adds to the duplicates of each position the visitors of the piece that it has from an earlier
 * day, and goes on to the groups of the next piece. `groupsPerVisitor` is the average of all
 * pieces. Bits answer questions about visitors with a cookie in a quarter less time than the hash
 * table alone. With many thousands of positions there would be too many bits to clear, so the table
 * stays.
 */
export const countDuplicates = (
  days: readonly VisitorGroups[],
  { numbers, count, visitors }: Numbered,
  groupsPerVisitor: number,
  duplicates: Uint32Array,
  scratch: Scratch,
): void => {
  const words = Math.ceil(duplicates.length / wordBits);
  if (words * count <= wordsPerGroup * groupsPerVisitor * visitors) {
    const seen = scratch.zeros(words * count);
    for (const day of days) day.from = countInBits(day, numbers, seen, words, duplicates);
  } else {
    const ends = days.map(endOfGroups);
    const groups = ends.reduce((sum, end, i) => sum + end - days[i]!.from, 0);
    const seen = scratch.zeros(powerAbove(2 * groups) * seenEntry);
    days.forEach((day, i) => {
      countInTable(day, ends[i]!, numbers, seen, duplicates);
      day.from = ends[i]!;
    });
  }
};

/**
 * Uses a bit for each visitor and position. It does not branch on whether the bit is set, because
 * that cannot be predicted (as in tally.ts). Returns where the groups of the piece end.
 */
const countInBits = (
  { visitors, groups, positionOf, from }: VisitorGroups,
  numbers: Uint32Array,
  seen: Uint32Array,
  words: number,
  duplicates: Uint32Array,
): number => {
  const last = visitors.at + visitors.to - visitors.from - 1;
  let at = visitors.at - 1;
  let i = from;
  for (; i < groups.length; i++) {
    at += groups[i]! >>> 31;
    if (at > last) break;
    const position = positionOf[groups[i]! & ~firstOfVisitor]!;
    const word = Math.imul(numbers[at]!, words) + (position >>> 5);
    const bits = seen[word]!;
    duplicates[position]! += (bits >>> position) & 1;
    seen[word] = bits | (1 << position);
  }
  return i;
};

/** Uses a hash table of visitors and positions. */
const countInTable = (
  { visitors, groups, positionOf, from }: VisitorGroups,
  end: number,
  numbers: Uint32Array,
  seen: Uint32Array,
  duplicates: Uint32Array,
): void => {
  const last = seen.length - seenEntry;
  let at = visitors.at - 1;
  for (let i = from; i < end; i++) {
    at += groups[i]! >>> 31;
    const number = numbers[at]! + 1;
    const position = positionOf[groups[i]! & ~firstOfVisitor]!;
    const hash = Math.imul(number ^ Math.imul(position, 0x9e3779b1), 0x85ebca6b);
    let entry = Math.imul(hash ^ (hash >>> 15), seenEntry) & last;
    while (seen[entry] !== 0 && (seen[entry] !== number || seen[entry + 1] !== position))
      entry = (entry + seenEntry) & last;
    if (seen[entry] === number) {
      duplicates[position]!++;
      continue;
    }
    seen[entry] = number;
    seen[entry + 1] = position;
  }
};
