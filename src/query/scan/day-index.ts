/**
 * Where each visit's hits are and which visitor it belongs to. All of it is derived from two
 * columns, so it is the same for every query.
 */

import { lazy, remember } from '../../model/remember.ts';
import { firstAtLeast } from '../../store/day/ascending.ts';
import type { ByteCache } from '../../store/day/byte-cache.ts';
import type { Day, NumberName } from '../../store/day/day.ts';
import { wordsFor } from '../../store/day/mask.ts';
import { type Codes, isPacked, type Packed } from '../../store/day/packed.ts';
import { partName } from '../../store/day/part.ts';
import type { Scratch } from '../scratch.ts';
import { positionsOfNonzero, sumOf } from './lists.ts';
import { widen } from './widen.ts';

/**
 * Most of it is scratch: to work it out again costs less than the memory to keep it. Each part is
 * made when it is first needed, since few questions need more than one.
 */
export interface DayIndex {
  /** The values of a column of integers, by row. Do not write to them. */
  numbers(name: NumberName): Uint32Array;
  /** Per visit, the ordinal of its visitor within the day, from 1. */
  visitors(): Uint32Array;
  /** Per visit, how many hits it has. */
  hitsOf(): Uint32Array;
  /** Per visit, the row of its first hit, and one more entry: the number of hits. */
  hitsFrom(): Uint32Array;
  /** Per hit, what begins with it: `visitBegins`, `visitorBegins` or nothing. */
  begins(): Uint8Array;
  /** The same as masks (store/day/mask.ts), to find out whose hit a single one is. */
  firstHits(): FirstHits;
  /** Whether each hit that is no page view has a name: then they are all events. */
  isEachNamed(): boolean;
  keep: Keep;
}

/**
 * Returns what `make` made for the same day before, if that was kept: in memory of its own, and the
 * same for every query.
 */
export type Keep = <Made>(name: string, make: () => Made) => Made;

/** Keeps what is worked out of a sealed day. */
export const keeperOf = (cache: ByteCache, day: Day): Keep =>
  day.sealed
    ? (name, make) => cache.get(`${name} of ${day.siteId} ${partName(day, day.version)}`, make)
    : (_, make) => make();

/** A bit per hit. */
export interface FirstHits {
  /** 1 where a visit begins. */
  ofVisits: Uint32Array;
  /** 1 where a visitor's first visit begins. */
  ofVisitors: Uint32Array;
}

/**
 * Marks tell a loop over hits whose hit it is at. Visits are so short that a loop over visits
 * around it would cost more than the work inside.
 */
export const visitBegins = 1;
/** On the first hit of a visitor's first visit. */
export const visitorBegins = 2;

/** Good for as long as `scratch`. */
export const indexDay = (day: Day, scratch: Scratch, keep: Keep = (_, make) => make()): DayIndex => {
  const numbers = remember((name: NumberName) => widen(day.keptNumbers(name), scratch));
  const hitsOf = (): Uint32Array => numbers('hits');
  const firstHits = lazy(() => keep('first hits', () => firstHitsOf(hitsOf(), numbers('newVisitor'), day.hits)));
  return {
    numbers,
    visitors: lazy(() => sumUp(numbers('newVisitor'), scratch.take(day.visits))),
    hitsOf,
    hitsFrom: lazy(() => startsOf(hitsOf(), scratch.take(day.visits + 1))),
    begins: lazy(() => unpackBegins(firstHits(), day.hits, scratch)),
    firstHits,
    keep,
    isEachNamed: lazy(() => {
      const named = scratch.within(inner => countNames(day.keptCodes('event'), inner));
      return day.hits === sumOf(numbers('pageviews')) + named;
    }),
  };
};

const countNames = (codes: Codes | Packed, scratch: Scratch): number => {
  if (isPacked(codes) && codes.mask !== null) return codes.stored;
  const wide = widen(codes, scratch);
  return positionsOfNonzero(wide, scratch.take(wide.length));
};

// Each loop has a function of its own, which is compiled sooner: the first question waits for it.

const sumUp = (values: Uint32Array, sums: Uint32Array): Uint32Array => {
  let sum = 0;
  for (let i = 0; i < values.length; i++) {
    sum += values[i]!;
    sums[i] = sum;
  }
  return sums;
};

/**
 * Puts where each visit's hits begin into `starts`, given how many hits each has. One more entry
 * says where the last visit's hits end.
 */
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

/**
 * The marks of four hits, as the bytes of a word, by four bits of each mask: those of visitors
 * above those of visits.
 */
const marksOfFour = Uint32Array.from({ length: 256 }, (_, bits) =>
  [0, 1, 2, 3].reduce(
    (word, hit) =>
      word | ((((bits >> hit) & 1) * visitBegins + ((bits >> (hit + 4)) & 1) * visitorBegins) << (8 * hit)),
    0,
  ),
);

/** What begins with each hit, from a bit per hit. */
const unpackBegins = ({ ofVisits, ofVisitors }: FirstHits, hits: number, scratch: Scratch): Uint8Array => {
  const marks = scratch.take(8 * ofVisits.length);
  unpackMarks(ofVisits, ofVisitors, marks);
  return new Uint8Array(marks.buffer, marks.byteOffset, hits);
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

/** `hitsFrom` of the index in memory of its own. */
export const hitsFromOf = (day: Day): Uint32Array =>
  startsOf(Uint32Array.from(day.numbers('hits')), new Uint32Array(day.visits + 1));

/** The visit that a hit belongs to. Every visit has at least one hit. */
export const visitOfHit = (hitsFrom: Uint32Array, hit: number): number => firstAtLeast(hitsFrom, hit + 1) - 1;
