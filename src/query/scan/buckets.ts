/** The buckets of a series as one UTC day sees them: which of them it touches, and in which of those an instant lies. */
import { dayMs, minuteMs } from '../../model/time.ts';
import { firstAtLeast } from '../../store/day/ascending.ts';

export interface DayBuckets {
  /** Place among all buckets of the first that the day touches. */
  first: number;
  /** Milliseconds since midnight at which the day's further buckets begin, ascending. */
  edges: number[];
  /** Per slot of the day, the bucket, counted from the day's first, that its first instant lies in. */
  slots: Uint32Array;
}

/** Offsets of time zones are multiples of this, so a slot mostly lies in one bucket. */
const slotMs = 15 * minuteMs;

/** `bounds` are n+1 ascending instants of n buckets; what lies before the first or after the last belongs to the outermost bucket. */
export const bucketsOfDay = (bounds: readonly number[], day: number): DayBuckets => {
  const inner = (bound: number): number => Math.min(Math.max(firstAtLeast(bounds, bound), 1), bounds.length - 1);
  const from = inner(day * dayMs + 1);
  const edges = bounds.slice(from, inner((day + 1) * dayMs)).map(bound => bound - day * dayMs);
  const slots = new Uint32Array(dayMs / slotMs);
  for (const edge of edges) slots.fill(slots[slots.length - 1]! + 1, Math.ceil(edge / slotMs));
  return { first: from - 1, edges, slots };
};

/** Number of the day's bucket, counted from its first, that holds a time in milliseconds since midnight. */
export const bucketAt = ({ edges, slots }: DayBuckets, time: number): number => {
  let bucket = slots[(time / slotMs) >>> 0]!; // a whole division, which is cheaper than a floor
  while (bucket < edges.length && time >= edges[bucket]!) bucket++;
  return bucket;
};

/** Adds a day's buckets to all buckets, of which its first is number `first`. */
export const addAt = (sums: Uint32Array, values: Uint32Array, first: number): void => {
  for (let bucket = 0; bucket < values.length; bucket++) sums[first + bucket]! += values[bucket]!;
};

/** An array over all of the day's buckets from the values of some. */
export const spread = (buckets: Uint32Array, values: Uint32Array, count: number): Uint32Array => {
  const all = new Uint32Array(count);
  for (let i = 0; i < buckets.length; i++) all[buckets[i]!] = values[i]!;
  return all;
};
