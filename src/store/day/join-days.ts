/**
 * Joins two days that were one: what stayed when hits were taken out, and what was taken out
 * (some-hits.ts). Every visit and hit has a number: its place among all that the day had when it
 * was sealed. These never change, so parts can be put back in any order.
 */
import { type Composition, composeDay } from './compose-day.ts';
import type { Day } from './day.ts';

/** A part of a day, with the numbers of its visits and hits, ascending. */
export interface NumberedDay {
  day: Day;
  visits: Uint32Array;
  hits: Uint32Array;
}

/** The two may share visits, but no hits. */
export const joinDays = (some: NumberedDay, others: NumberedDay): NumberedDay => {
  const visits = unionOf(some.visits, others.visits);
  const hits = unionOf(some.hits, others.hits);
  const made = madeOf(some, others, visits);
  made.hits = rowsIn(some.hits, others.hits, hits);
  return { day: composeDay([some.day, others.day], made), visits, hits };
};

/** The numbers that are in either list, ascending. */
const unionOf = (some: Uint32Array, others: Uint32Array): Uint32Array => {
  const all = new Uint32Array(some.length + others.length);
  let [i, j, count] = [0, 0, 0];
  while (i < some.length || j < others.length) {
    const [a, b] = [some[i] ?? Number.POSITIVE_INFINITY, others[j] ?? Number.POSITIVE_INFINITY];
    all[count++] = Math.min(a, b);
    if (a <= b) i++;
    if (b <= a) j++;
  }
  return all.slice(0, count);
};

/** The row of each of `all` in the two lists: one of `some`, or one of `others` behind them. */
const rowsIn = (some: Uint32Array, others: Uint32Array, all: Uint32Array): Uint32Array => {
  let [i, j] = [0, 0];
  return all.map(number => {
    const row = some[i] === number ? i : some.length + j;
    if (some[i] === number) i++;
    if (others[j] === number) j++;
    return row;
  });
};

/** What is worked out of visits; without the hits. */
const madeOf = (some: NumberedDay, others: NumberedDay, visits: Uint32Array): Composition => {
  const sides = [some, others].map(({ day, visits: numbers }) => ({
    numbers,
    started: day.numbers('started'),
    duration: day.numbers('duration'),
    hits: day.numbers('hits'),
    hashVisits: day.hashVisits,
    at: 0,
  }));
  const made: Composition = {
    visits: rowsIn(some.visits, others.visits, visits),
    started: new Uint32Array(visits.length).fill(0xffffffff),
    ended: new Uint32Array(visits.length),
    hitsOf: new Uint32Array(visits.length),
    hits: new Uint32Array(),
    hashVisits: 0,
  };
  visits.forEach((number, visit) => {
    let isHash = 0;
    for (const side of sides) {
      const row = side.at;
      if (side.numbers[row] !== number) continue;
      side.at++;
      // Of two parts of a visit, the one with its first hit has its start, and starts earlier.
      made.started[visit] = Math.min(made.started[visit]!, side.started[row]!);
      made.ended[visit] = Math.max(made.ended[visit]!, side.started[row]! + side.duration[row]!);
      made.hitsOf[visit]! += side.hits[row]!;
      isHash = row < side.hashVisits ? 1 : 0;
    }
    made.hashVisits += isHash;
  });
  return made;
};
