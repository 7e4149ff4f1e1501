/** What is known of the visitors of a piece (repeats.ts): the number that each was given, and in which places it was seen. */
import { firstOfVisitor } from './daily-visitors.ts';

/** Visitors of a day, ascending by hash, and which of them are in the piece: from, and to below. */
export interface VisitorsOfDay {
  /** As in `PersistentVisitors`. */
  hashes: Uint32Array;
  from: number;
  to: number;
  /** Where the number of the first one in the piece stands among those of all days. */
  at: number;
}

/** Their groups, as in `PersistentVisitors`, and the first of them in the piece. */
export interface GroupsOfDay {
  visitors: VisitorsOfDay;
  groups: Uint32Array;
  placeOf: Uint32Array;
  from: number;
}

/** Where the groups of a piece end. */
export const endOfGroups = ({ groups, from, visitors }: GroupsOfDay): number => {
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
  /** How many there are, each as often as there are days that it came on. */
  visitors: number;
}

/** Room for at least so many words: what there is, or twice as much as is needed. */
const roomFor = (room: Uint32Array<ArrayBuffer>, length: number): Uint32Array<ArrayBuffer> =>
  room.length < length ? new Uint32Array(2 * length) : room;

/** The least power of two that is not below a number. */
const powerAbove = (number: number): number => 2 ** Math.ceil(Math.log2(Math.max(1, number)));

/** An entry of the table of numbers: both halves of a hash, the number, and nothing. */
const numberEntry = 4;

/** Gives numbers to the visitors of one piece after the other. */
export const createNumbering = () => {
  let numbers = new Uint32Array(0);
  let table = new Uint32Array(0);
  return {
    number(days: readonly VisitorsOfDay[]): Numbered {
      const visitors = days.reduce((sum, { from, to }) => sum + to - from, 0);
      numbers = roomFor(numbers, visitors);
      table = roomFor(table, powerAbove(2 * visitors) * numberEntry);
      const entries = table.subarray(0, powerAbove(2 * visitors) * numberEntry).fill(0);
      let count = 0;
      for (const day of days) count = numberDay(day, entries, count, numbers);
      return { numbers, count, visitors };
    },
  };
};

/** `count` were numbered before; returns how many are now. The table is a hash table with open addressing, in which numbers begin with 1. */
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

/** Places that a word has bits for. */
const wordBits = 32;
/** To clear so many words takes less time than to look for a group in a hash table instead of a bit. */
const wordsPerGroup = 40;
/** An entry of the hash table: the visitor's number, from 1, and the place. */
const seenEntry = 2;

/** Finds by place who was seen there on an earlier day, in one piece after the other. */
export const createSeen = () => {
  let room = new Uint32Array(0);
  const zeros = (length: number): Uint32Array => {
    room = roomFor(room, length);
    return room.subarray(0, length).fill(0);
  };
  return {
    /** Adds to the repeats, and goes on to the groups of the next piece. `groupsPerVisitor` is what there are in all, about. */
    see(
      days: readonly GroupsOfDay[],
      { numbers, count, visitors }: Numbered,
      groupsPerVisitor: number,
      repeats: Uint32Array,
    ): void {
      const words = Math.ceil(repeats.length / wordBits);
      if (words * count <= wordsPerGroup * groupsPerVisitor * visitors) {
        const seen = zeros(words * count);
        for (const day of days) day.from = seeInBits(day, numbers, seen, words, repeats);
      } else {
        const ends = days.map(endOfGroups);
        const groups = ends.reduce((sum, end, i) => sum + end - days[i]!.from, 0);
        const seen = zeros(powerAbove(2 * groups) * seenEntry);
        days.forEach((day, i) => {
          seeInTable(day, ends[i]!, numbers, seen, repeats);
          day.from = ends[i]!;
        });
      }
    },
  };
};

/**
 * With a bit for each visitor and place, some words per visitor. There is no branch on whether it was seen, because it could not be predicted
 * (as in tally.ts). Returns where the groups of the piece end.
 */
const seeInBits = (
  { visitors, groups, placeOf, from }: GroupsOfDay,
  numbers: Uint32Array,
  seen: Uint32Array,
  words: number,
  repeats: Uint32Array,
): number => {
  const last = visitors.at + visitors.to - visitors.from - 1;
  let at = visitors.at - 1;
  let i = from;
  for (; i < groups.length; i++) {
    at += groups[i]! >>> 31;
    if (at > last) break;
    const place = placeOf[groups[i]! & ~firstOfVisitor]!;
    const word = Math.imul(numbers[at]!, words) + (place >>> 5);
    const bits = seen[word]!;
    repeats[place]! += (bits >>> place) & 1;
    seen[word] = bits | (1 << place);
  }
  return i;
};

/** With a hash table of visitors and places. */
const seeInTable = (
  { visitors, groups, placeOf, from }: GroupsOfDay,
  end: number,
  numbers: Uint32Array,
  seen: Uint32Array,
  repeats: Uint32Array,
): void => {
  const last = seen.length - seenEntry;
  let at = visitors.at - 1;
  for (let i = from; i < end; i++) {
    at += groups[i]! >>> 31;
    const number = numbers[at]! + 1;
    const place = placeOf[groups[i]! & ~firstOfVisitor]!;
    const hash = Math.imul(number ^ Math.imul(place, 0x9e3779b1), 0x85ebca6b);
    let entry = Math.imul(hash ^ (hash >>> 15), seenEntry) & last;
    while (seen[entry] !== 0 && (seen[entry] !== number || seen[entry + 1] !== place))
      entry = (entry + seenEntry) & last;
    if (seen[entry] === number) {
      repeats[place]!++;
      continue;
    }
    seen[entry] = number;
    seen[entry + 1] = place;
  }
};
