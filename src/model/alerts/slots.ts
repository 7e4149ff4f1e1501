/**
 * Counts of a site by quarter of an hour, in which every zone's hours and days begin. What alerts
 * judge are sums of them.
 */
import { hourMs } from '../time.ts';

export const slotMs = 15 * 60_000;
export const slotsPerHour = hourMs / slotMs;
export const slotsPerWeek = 7 * 24 * slotsPerHour;
/** The past that a site is compared with. */
export const pastWeeks = 6;

export interface Slots {
  /** When the first begins, UTC milliseconds. */
  from: number;
  /** NaN where the site could not be seen, as while the server was down. */
  values: ArrayLike<number>;
}

/** The wall clock of the site at an instant, as src/model/calendar.ts has it. */
export type LocalOf = (at: number) => number;

/** Which hour of the week a wall clock shows, from 0 to below 168, with its fraction. */
export const hourOfWeek = (local: number): number => {
  const weekMs = slotsPerWeek * slotMs;
  return (((local % weekMs) + weekMs) % weekMs) / hourMs;
};

/** Sums of slots before each; NaN is left out of the sum and counted beside it. */
export type SlotSums = ReturnType<typeof sumsOf>;

export const sumsOf = (values: ArrayLike<number>) => {
  const [sums, unseen] = [new Float64Array(values.length + 1), new Uint32Array(values.length + 1)];
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!;
    sums[i + 1] = sums[i]! + (Number.isNaN(value) ? 0 : value);
    unseen[i + 1] = unseen[i]! + (Number.isNaN(value) ? 1 : 0);
  }
  return {
    /** Of the slots from one place to below another; NaN where one of them was not seen. */
    between: (first: number, end: number) =>
      first < 0 || unseen[first] !== unseen[end] ? Number.NaN : sums[end]! - sums[first]!,
  };
};

export const median = (sorted: ArrayLike<number>): number => {
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
};
