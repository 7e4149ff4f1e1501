/**
 * Loops over the positions of selected hits: which hits those of some visits are, and which visits
 * and visitors positions belong to. The hits of a visit have positions that follow each other, a
 * run.
 */

import { rankBits } from '../../store/day/mask.ts';
import type { Scratch } from '../scratch.ts';
import { type DayIndex, visitBegins, visitorBegins } from './day-index.ts';
import { flagged } from './lists.ts';

/** Puts the hits of some visits into `rows`: visit by visit where they are few. */
export const rowsOfVisits = (
  index: DayIndex,
  visits: Uint32Array,
  rows: Uint32Array,
  scratch: Scratch,
): Uint32Array => {
  const ofDay = index.hitsOf().length;
  if (visits.length < ofDay / 2) return rowsByVisit(index.hitsFrom(), visits, rows);
  return scratch.within(inner => {
    const isSelected = flagged(visits, inner.bytes(ofDay));
    return rowsByHit(index.begins(), isSelected, rows);
  });
};

const rowsByVisit = (hitsFrom: Uint32Array, visits: Uint32Array, rows: Uint32Array): Uint32Array => {
  let count = 0;
  for (let i = 0; i < visits.length; i++) {
    const to = hitsFrom[visits[i]! + 1]!;
    for (let hit = hitsFrom[visits[i]!]!; hit < to; hit++) rows[count++] = hit;
  }
  return rows;
};

const rowsByHit = (begins: Uint8Array, isSelected: Uint8Array, rows: Uint32Array): Uint32Array => {
  let count = 0;
  let visit = -1;
  for (let hit = 0; hit < begins.length; hit++) {
    visit += begins[hit]! & visitBegins;
    rows[count] = hit;
    count += isSelected[visit]!;
  }
  return rows;
};

/** What begins at each position, given how many positions each visit has, and its visitor. */
export const beginsOf = (hitsOf: Uint32Array, visitors: Uint32Array, begins: Uint8Array): Uint8Array => {
  begins.fill(0);
  let last = 0;
  let position = 0;
  for (let i = 0; i < visitors.length; i++) {
    const change = visitors[i]! ^ last;
    begins[position] = visitBegins | (((change | -change) >>> 31) * visitorBegins);
    last = visitors[i]!;
    position += hitsOf[i]!;
  }
  return begins;
};

export interface Runs {
  visits: Uint32Array;
  /** The first position of each run, and one more entry: the number of positions. */
  starts: Uint32Array;
}

/** The runs of positions, given the visit of each, counted from 1. */
export const runsOf = (visitOf: Uint32Array, scratch: Scratch): Runs => {
  const visits = scratch.take(visitOf.length);
  const starts = scratch.take(visitOf.length + 1);
  const count = listRuns(visitOf, visits, starts);
  starts[count] = visitOf.length;
  return { visits: visits.subarray(0, count), starts: starts.subarray(0, count + 1) };
};

/**
 * Lists the visit of each run and where the run starts; returns the number of runs. The processor
 * could not predict which position starts a run, so there is no branch on it (as in tally.ts).
 * Visits are given from 1 and listed from 0.
 */
const listRuns = (visitOf: Uint32Array, visits: Uint32Array, starts: Uint32Array): number => {
  let count = 0;
  let last = 0;
  for (let position = 0; position < visitOf.length; position++) {
    const visit = visitOf[position]!;
    visits[count] = visit - 1;
    starts[count] = position;
    const change = visit ^ last;
    count += (change | -change) >>> 31;
    last = visit;
  }
  return count;
};

/** How long runs are, given where they start. */
export const lengthsOf = (starts: Uint32Array, lengths: Uint32Array): Uint32Array => {
  for (let i = 0; i < lengths.length; i++) lengths[i] = starts[i + 1]! - starts[i]!;
  return lengths;
};

/** What is given instead of the position of a row that is not among others. */
export const noPosition = 0xffff_ffff;

/** The position of each of some ascending rows among others, or `noPosition`. */
export const positionsOfRows = (rows: Uint32Array, among: Uint32Array, to: Uint32Array): Uint32Array => {
  let position = 0;
  for (let i = 0; i < rows.length; i++) {
    while (position < among.length && among[position]! < rows[i]!) position++;
    to[i] = among[position] === rows[i] ? position : noPosition;
  }
  return to;
};

/** The number of what each row belongs to, from 1, given a mask of where each begins. */
export const rankIn = (mask: Uint32Array, rows: Uint32Array, scratch: Scratch): Uint32Array => {
  const to = scratch.take(rows.length);
  return scratch.within(inner => rankBits(mask, rows, to, inner.take(mask.length)));
};
