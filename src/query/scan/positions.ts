/**
 * Loops over the places of selected hits: which hits those of some visits are, and which visits and visitors places belong to. The hits of a
 * visit stand at places that follow each other, a run.
 */
import { type DayIndex, visitBegins, visitorBegins } from './day-index.ts';
import type { Scratch } from './scratch.ts';

/** The hits of some visits. Of few visits they are found one visit after the other, of many by looking at every hit. */
export const rowsOfVisits = (
  index: DayIndex,
  visits: Uint32Array,
  rows: Uint32Array,
  scratch: Scratch,
): Uint32Array => {
  let count = 0;
  const ofDay = index.hitsOf().length;
  if (visits.length < ofDay / 4) {
    const hitsFrom = index.hitsFrom();
    for (let i = 0; i < visits.length; i++) {
      const to = hitsFrom[visits[i]! + 1]!;
      for (let hit = hitsFrom[visits[i]!]!; hit < to; hit++) rows[count++] = hit;
    }
    return rows;
  }
  const isSelected = scratch.bytes('visit is selected', ofDay).fill(0);
  for (let i = 0; i < visits.length; i++) isSelected[visits[i]!] = 1;
  const begins = index.begins();
  let visit = -1;
  for (let hit = 0; hit < begins.length; hit++) {
    visit += begins[hit]! & visitBegins;
    rows[count] = hit;
    count += isSelected[visit]!;
  }
  return rows;
};

/** What begins at each place, given how many places each visit has, and its visitor. */
export const beginsOf = (hitsOf: Uint32Array, visitors: Uint32Array, begins: Uint8Array): Uint8Array => {
  begins.fill(0);
  let last = 0;
  let place = 0;
  for (let i = 0; i < visitors.length; i++) {
    begins[place] = visitors[i] === last ? visitBegins : visitBegins | visitorBegins;
    last = visitors[i]!;
    place += hitsOf[i]!;
  }
  return begins;
};

/** What begins at each place, given the visit and the visitor of each. */
export const changesOf = (visitOf: Uint32Array, visitorOf: Uint32Array, begins: Uint8Array): Uint8Array => {
  let lastVisit = 0;
  let lastVisitor = 0;
  for (let place = 0; place < visitOf.length; place++) {
    const visit = visitOf[place]! ^ lastVisit;
    const visitor = visitorOf[place]! ^ lastVisitor;
    begins[place] = (((visit | -visit) >>> 31) * visitBegins) | (((visitor | -visitor) >>> 31) * visitorBegins);
    lastVisit = visitOf[place]!;
    lastVisitor = visitorOf[place]!;
  }
  return begins;
};

/** The visits of places, and where the places of each begin; one more entry says where the last one's end. */
export const runsOf = (
  visitOf: Uint32Array,
  scratch: Scratch,
  name: string,
): { visits: Uint32Array; starts: Uint32Array } => {
  const visits = scratch.take(`${name} visits`, visitOf.length);
  const starts = scratch.take(`${name} places from`, visitOf.length + 1);
  const count = listRuns(visitOf, visits, starts);
  starts[count] = visitOf.length;
  return { visits: visits.subarray(0, count), starts: starts.subarray(0, count + 1) };
};

/**
 * Lists what visit each run of places is of, and where it begins; returns the number of runs. Which place begins a run
 * could not be predicted, so there is no branch on it (as in tally.ts). Visits are given from 1 and listed from 0.
 */
const listRuns = (visitOf: Uint32Array, visits: Uint32Array, starts: Uint32Array): number => {
  let count = 0;
  let last = 0;
  for (let place = 0; place < visitOf.length; place++) {
    const visit = visitOf[place]!;
    visits[count] = visit - 1;
    starts[count] = place;
    const change = visit ^ last;
    count += (change | -change) >>> 31;
    last = visit;
  }
  return count;
};

/** How long runs are, given where they begin. */
export const lengthsOf = (starts: Uint32Array, lengths: Uint32Array): Uint32Array => {
  for (let i = 0; i < lengths.length; i++) lengths[i] = starts[i + 1]! - starts[i]!;
  return lengths;
};
