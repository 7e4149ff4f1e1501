/** Where each visit's hits lie and which visitor it belongs to: derived from two columns, the same for every query. */
import { firstAtLeast } from '../../store/day/ascending.ts';
import type { Day } from '../../store/day/day.ts';
import { wordsFor } from '../../store/day/mask.ts';
import { lazy } from '../remember.ts';
import type { Scratch } from './scratch.ts';

/**
 * Good until the next day is indexed: most of it is scratch, since working it out anew costs less than the memory to keep it. All of it is
 * made when it is first asked for, since few questions need more than a part.
 */
export interface DayIndex {
  /** Per visit, the ordinal of its visitor within the day, from 1. */
  visitors(): Uint32Array;
  /** Per visit, how many hits it has. */
  hitsOf(): Uint32Array;
  /** Per visit, the number of its first hit, and one more entry: the number of hits. */
  hitsFrom(): Uint32Array;
  /** Per hit, what begins with it: `visitBegins`, `visitorBegins` or nothing. */
  begins(): Uint8Array;
  /** The same as masks (store/day/mask.ts), which tell whose hit a single one is. */
  firstHits(): FirstHits;
}

/** A bit per hit. */
export interface FirstHits {
  /** 1 where a visit begins. */
  ofVisits: Uint32Array;
  /** 1 where a visitor's first visit begins. */
  ofVisitors: Uint32Array;
}

/**
 * Marks let a loop over hits know whose hit it is without a loop over visits around it: visits are so short that leaving
 * the inner loop would cost more than the work in it.
 */
export const visitBegins = 1;
/** With the first hit of a visitor's first visit. */
export const visitorBegins = 2;

/** `keep` returns what it made for the day before, if it kept that. */
export const indexDay = (day: Day, scratch: Scratch, keep: (make: () => FirstHits) => FirstHits): DayIndex => {
  const hitsOf = (): Uint32Array => scratch.column(day, 'hits');
  const firstHits = lazy(() => keep(() => firstHitsOf(hitsOf(), scratch.column(day, 'newVisitor'), day.hits)));
  return {
    visitors: lazy(() => sumUp(scratch.column(day, 'newVisitor'), scratch.take('visitors of the day', day.visits))),
    hitsOf,
    hitsFrom: lazy(() => startsOf(hitsOf(), scratch.take('hits from', day.visits + 1))),
    begins: lazy(() => unpackBegins(firstHits(), day.hits, scratch)),
    firstHits,
  };
};

// The loops stand in functions of their own, which are soon compiled: every first question about a day waits for them.

const sumUp = (values: Uint32Array, sums: Uint32Array): Uint32Array => {
  let sum = 0;
  for (let i = 0; i < values.length; i++) {
    sum += values[i]!;
    sums[i] = sum;
  }
  return sums;
};

/** Where each visit's hits begin, from how many each has; one more entry says where the last one's end. */
export const startsOf = (hitsOf: Uint32Array, starts: Uint32Array): Uint32Array => {
  starts[0] = 0;
  sumUp(hitsOf, starts.subarray(1));
  return starts;
};

const firstHitsOf = (hitsOf: Uint32Array, newVisitor: Uint32Array, hits: number): FirstHits => {
  const first = { ofVisits: new Uint32Array(wordsFor(hits)), ofVisitors: new Uint32Array(wordsFor(hits)) };
  markFirstHits(hitsOf, newVisitor, first.ofVisits, first.ofVisitors);
  return first;
};

const markFirstHits = (
  hitsOf: Uint32Array,
  newVisitor: Uint32Array,
  ofVisits: Uint32Array,
  ofVisitors: Uint32Array,
): void => {
  let hit = 0;
  for (let visit = 0; visit < hitsOf.length; visit++) {
    ofVisits[hit >>> 5]! |= 1 << hit; // by its lowest five bits
    ofVisitors[hit >>> 5]! |= newVisitor[visit]! << hit;
    hit += hitsOf[visit]!;
  }
};

/** By four bits of each mask, those of visitors above those of visits: the marks of four hits, as the bytes of a word. */
const marksOfFour = Uint32Array.from({ length: 256 }, (_, bits) =>
  [0, 1, 2, 3].reduce(
    (word, hit) =>
      word | ((((bits >> hit) & 1) * visitBegins + ((bits >> (hit + 4)) & 1) * visitorBegins) << (8 * hit)),
    0,
  ),
);

/** What begins with each hit, from a bit per hit. */
const unpackBegins = ({ ofVisits, ofVisitors }: FirstHits, hits: number, scratch: Scratch): Uint8Array => {
  const marks = scratch.take('begins of the day', 8 * ofVisits.length);
  unpackMarks(ofVisits, ofVisitors, marks);
  return new Uint8Array(marks.buffer, 0, hits);
};

const unpackMarks = (ofVisits: Uint32Array, ofVisitors: Uint32Array, marks: Uint32Array): void => {
  for (let word = 0; word < ofVisits.length; word++) {
    const visits = ofVisits[word]! | 0;
    const visitors = ofVisitors[word]! | 0;
    const at = 8 * word;
    marks[at] = marksOfFour[(visits & 15) | ((visitors << 4) & 240)]!;
    marks[at + 1] = marksOfFour[((visits >> 4) & 15) | (visitors & 240)]!;
    marks[at + 2] = marksOfFour[((visits >> 8) & 15) | ((visitors >> 4) & 240)]!;
    marks[at + 3] = marksOfFour[((visits >> 12) & 15) | ((visitors >> 8) & 240)]!;
    marks[at + 4] = marksOfFour[((visits >> 16) & 15) | ((visitors >> 12) & 240)]!;
    marks[at + 5] = marksOfFour[((visits >> 20) & 15) | ((visitors >> 16) & 240)]!;
    marks[at + 6] = marksOfFour[((visits >> 24) & 15) | ((visitors >> 20) & 240)]!;
    marks[at + 7] = marksOfFour[((visits >> 28) & 15) | ((visitors >> 24) & 240)]!;
  }
};

/** As `hitsFrom` of the index, to be kept. */
export const hitsFromOf = (day: Day): Uint32Array =>
  startsOf(Uint32Array.from(day.numbers('hits')), new Uint32Array(day.visits + 1));

/** The visit that a hit belongs to; every visit has at least one. */
export const visitOfHit = (hitsFrom: Uint32Array, hit: number): number => firstAtLeast(hitsFrom, hit + 1) - 1;
