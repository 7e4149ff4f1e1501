/** Where each visit's hits lie and which visitor it belongs to: derived from three columns, the same for every query. */
import type { Day } from '../store/day/day.ts';
import { firstAtLeast } from './lists.ts';
import type { Scratch } from './scratch.ts';

/** Where a day's hits lie: what is worth keeping. */
export interface HitPlaces {
  /** Per visit, the number of its first hit, and one more entry: the number of hits. */
  hitsFrom: Uint32Array;
  /** Per hit, what begins with it: `visitBegins`, `visitorBegins` or nothing. */
  begins: Uint8Array;
}

export interface DayIndex extends HitPlaces {
  /** Per visit, the ordinal of its visitor within the day, from 1. */
  visitors: Uint32Array;
}

/**
 * Marks let a loop over hits know whose hit it is without a loop over visits around it: visits are so short that leaving
 * the inner loop would cost more than the work in it.
 */
export const visitBegins = 1;
export const visitorBegins = 2;

/** Good until the next day is indexed: the visitors are scratch, which costs less memory than keeping them and little time. */
export const indexDay = (day: Day, places: HitPlaces, scratch: Scratch): DayIndex => {
  const newVisitor = scratch.widen('newVisitor', day.numbers('newVisitor'));
  const visitors = scratch.take('visitors of the day', day.visits);
  sumUp(newVisitor, visitors);
  return { visitors, ...places };
};

export const placeHits = (day: Day, scratch: Scratch): HitPlaces => {
  const newVisitor = scratch.widen('newVisitor', day.numbers('newVisitor'));
  const hits = scratch.widen('hits', day.numbers('hits'));
  const hitsFrom = new Uint32Array(day.visits + 1);
  const begins = new Uint8Array(day.hits);
  sumUp(hits, hitsFrom.subarray(1));
  markBegins(hitsFrom, newVisitor, begins);
  return { hitsFrom, begins };
};

// The loops stand in functions of their own, which are soon compiled: every first question about a day waits for them.

const sumUp = (values: Uint32Array, sums: Uint32Array): void => {
  let sum = 0;
  for (let i = 0; i < values.length; i++) {
    sum += values[i]!;
    sums[i] = sum;
  }
};

const markBegins = (hitsFrom: Uint32Array, newVisitor: Uint32Array, begins: Uint8Array): void => {
  for (let visit = 0; visit < newVisitor.length; visit++) {
    begins[hitsFrom[visit]!] = visitBegins | (newVisitor[visit]! * visitorBegins);
  }
};

/** The visit that a hit belongs to; every visit has at least one. */
export const visitOfHit = ({ hitsFrom }: DayIndex, hit: number): number => firstAtLeast(hitsFrom, hit + 1) - 1;
