/** The buckets of a series that one UTC day touches, and which of them holds an instant. */
import { dayMs, minuteMs } from '../../model/time.ts';
import { firstAtLeast } from '../../store/day/ascending.ts';

export interface TouchedBuckets {
  /** The first bucket that the day touches, as a position among all. */
  first: number;
  /** Milliseconds since midnight at which the day's further buckets begin, ascending. */
  edges: number[];
}

export interface DayBuckets extends TouchedBuckets {
  /** Per slot of the day, the bucket that holds its first instant, counted from the day's first. */
  slots: Uint32Array;
}

/** Offsets of time zones are multiples of this, so a slot is mostly in one bucket. */
const slotMs = 15 * minuteMs;

/**
 * `bounds` are n+1 ascending instants of n buckets. What comes before the first or after the last
 * belongs to the outermost bucket.
 */
export const touchedBuckets = (bounds: readonly number[], day: number): TouchedBuckets => {
  const inner = (bound: number): number => Math.min(Math.max(firstAtLeast(bounds, bound), 1), bounds.length - 1);
  const from = inner(day * dayMs + 1);
  return { first: from - 1, edges: bounds.slice(from, inner((day + 1) * dayMs)).map(bound => bound - day * dayMs) };
};

export const bucketsOfDay = (bounds: readonly number[], day: number): DayBuckets => {
  const { first, edges } = touchedBuckets(bounds, day);
  const slots = new Uint32Array(dayMs / slotMs);
  for (const edge of edges) slots.fill(slots[slots.length - 1]! + 1, Math.ceil(edge / slotMs));
  return { first, edges, slots };
};

/** The bucket that holds a time in milliseconds since midnight, counted from the day's first. */
export const bucketAt = ({ edges, slots }: DayBuckets, time: number): number => {
  let bucket = slots[(time / slotMs) >>> 0]!; // a whole division, which is cheaper than a floor
  while (bucket < edges.length && time >= edges[bucket]!) bucket++;
  return bucket;
};
