/** Where each visit's hits lie and which visitor it belongs to: derived from three columns, the same for every query. */
import { firstAtLeast } from '../store/day/ascending.ts';
import type { Day } from '../store/day/day.ts';
import { lazy } from './remember.ts';
import type { Scratch } from './scratch.ts';

/**
 * Good until the next day is indexed: most of it is scratch, since working it out anew costs less than the memory to keep it. What not
 * every question needs is made when it is first asked for.
 */
export interface DayIndex {
  /** Per visit, the ordinal of its visitor within the day, from 1. */
  visitors: Uint32Array;
  /** Per visit, how many hits it has. */
  hitsOf: Uint32Array;
  /** Per visit, the number of its first hit, and one more entry: the number of hits. */
  hitsFrom(): Uint32Array;
  /** Per hit, what begins with it: `visitBegins`, `visitorBegins` or nothing. */
  begins(): Uint8Array;
}

/**
 * Marks let a loop over hits know whose hit it is without a loop over visits around it: visits are so short that leaving
 * the inner loop would cost more than the work in it.
 */
export const visitBegins = 1;
export const visitorBegins = 2;

/** `keep` returns what it made for the day before, if it kept that. */
export const indexDay = (day: Day, scratch: Scratch, keep: (make: () => Uint8Array) => Uint8Array): DayIndex => {
  const newVisitor = scratch.column(day, 'newVisitor');
  const visitors = scratch.take('visitors of the day', day.visits);
  sumUp(newVisitor, visitors);
  const hitsOf = scratch.column(day, 'hits');
  return {
    visitors,
    hitsOf,
    hitsFrom: lazy(() => startsOf(hitsOf, scratch.take('hits from', day.visits + 1))),
    begins: lazy(() => keep(() => markBegins(hitsOf, newVisitor, new Uint8Array(day.hits)))),
  };
};

// The loops stand in functions of their own, which are soon compiled: every first question about a day waits for them.

const sumUp = (values: Uint32Array, sums: Uint32Array): void => {
  let sum = 0;
  for (let i = 0; i < values.length; i++) {
    sum += values[i]!;
    sums[i] = sum;
  }
};

/** Where each visit's hits begin, from how many each has; one more entry says where the last one's end. */
export const startsOf = (hitsOf: Uint32Array, starts: Uint32Array): Uint32Array => {
  starts[0] = 0;
  sumUp(hitsOf, starts.subarray(1));
  return starts;
};

const markBegins = (hitsOf: Uint32Array, newVisitor: Uint32Array, begins: Uint8Array): Uint8Array => {
  let hit = 0;
  for (let visit = 0; visit < hitsOf.length; visit++) {
    begins[hit] = visitBegins | (newVisitor[visit]! * visitorBegins);
    hit += hitsOf[visit]!;
  }
  return begins;
};

/** As `hitsFrom` of the index, to be kept. */
export const hitsFromOf = (day: Day): Uint32Array =>
  startsOf(Uint32Array.from(day.numbers('hits')), new Uint32Array(day.visits + 1));

/** The visit that a hit belongs to; every visit has at least one. */
export const visitOfHit = (hitsFrom: Uint32Array, hit: number): number => firstAtLeast(hitsFrom, hit + 1) - 1;
