/** Numbers that occur, and how often each does: what a list of all of them says in less memory. */
import { gather } from '../../store/day/gather.ts';
import { giveWay, type Pace } from '../pace.ts';
import { boundOf, countValues, positionsOfNonzero, sumOf } from '../scan/lists.ts';
import type { Scratch } from '../scratch.ts';
import { sumById } from './sum-by-id.ts';

/** In arrays of their own memory. */
export interface Counted<Values extends Float64Array | Uint32Array = Float64Array> {
  /** Ascending, each once. */
  values: Values;
  /** How often each occurs. */
  counts: Uint32Array;
}

export const nothingCounted: Counted = { values: new Float64Array(0), counts: new Uint32Array(0) };

/** A table of so many entries for each value costs about as much as to sort the values. */
const entriesPerValue = 8;

/**
 * Counts whole numbers with a table where they are small or many, and else sorts them, which it may
 * do in place: so the cost depends on how many there are and not on how large they are.
 */
export const countWhole = (values: Uint32Array, scratch: Scratch): Counted<Uint32Array> => {
  const most = boundOf(values);
  return most < entriesPerValue * values.length
    ? scratch.within(inner => countByTable(values, most, inner))
    : runsOf(values.sort(), new Uint32Array(values.length));
};

const countByTable = (values: Uint32Array, most: number, scratch: Scratch): Counted<Uint32Array> => {
  const table = scratch.zeros(most + 1);
  countValues(values, table);
  const room = scratch.take(most + 1);
  const found = room.subarray(0, positionsOfNonzero(table, room));
  return { values: found.slice(), counts: gather(table, found) };
};

/** Sorts the numbers in place. */
export const countDoubles = (values: Float64Array): Counted => runsOf(values.sort(), new Float64Array(values.length));

/** `into` has room for all of them. */
const runsOf = <Values extends Float64Array | Uint32Array>(sorted: Values, into: Values): Counted<Values> => {
  const counts = new Uint32Array(sorted.length);
  let count = 0;
  for (let i = 0; i < sorted.length; i++) {
    if (i === 0 || sorted[i] !== into[count - 1]) into[count++] = sorted[i]!;
    counts[count - 1]!++;
  }
  return { values: into.slice(0, count) as Values, counts: counts.slice(0, count) };
};

/** What some lists of whole numbers count together. */
export const sumCounts = async (lists: readonly Counted<Uint32Array>[], pace: Pace): Promise<Counted<Uint32Array>> => {
  const days = lists.map(({ values, counts }) => ({ ids: values, columns: [counts] }));
  const { ids, columns } = await sumById(days, ['count'], pace);
  return { values: ids, counts: columns[0] as Uint32Array };
};

/** What some lists count together. */
export const mergeCounted = async (lists: readonly Counted[], pace: Pace): Promise<Counted> => {
  let left = lists.filter(({ values }) => values.length > 0);
  while (left.length > 1) {
    const merged: Counted[] = [];
    for (let i = 0; i < left.length; i += 2) {
      await giveWay(pace);
      merged.push(i + 1 < left.length ? mergeTwo(left[i]!, left[i + 1]!) : left[i]!);
    }
    left = merged;
  }
  return left[0] ?? nothingCounted;
};

const mergeTwo = (one: Counted, other: Counted): Counted => {
  const values = new Float64Array(one.values.length + other.values.length);
  const counts = new Uint32Array(values.length);
  let [i, j, count] = [0, 0, 0];
  while (i < one.values.length || j < other.values.length) {
    const [a, b] = [one.values[i] ?? Number.POSITIVE_INFINITY, other.values[j] ?? Number.POSITIVE_INFINITY];
    values[count] = Math.min(a, b);
    if (a <= b) counts[count]! += one.counts[i++]!;
    if (b <= a) counts[count]! += other.counts[j++]!;
    count++;
  }
  return { values: values.slice(0, count), counts: counts.slice(0, count) };
};

/** The median of all of them; null of none. */
export const medianOf = ({ values, counts }: Counted<Float64Array | Uint32Array>): number | null => {
  const count = sumOf(counts);
  const at = (position: number): number => values[placeOf(counts, position)]!;
  return count === 0 ? null : (at(Math.floor((count - 1) / 2)) + at(Math.floor(count / 2))) / 2;
};

/** Where the number at a position of the ascending list of all is counted. */
export const placeOf = (counts: Uint32Array, position: number): number => {
  let seen = 0;
  let place = -1;
  while (seen <= position) seen += counts[++place]!;
  return place;
};
