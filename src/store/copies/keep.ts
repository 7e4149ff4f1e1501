/** Which points stay: all of the last time, then one of each hour, each day, each month. */
import { dayMs } from '../../model/time.ts';

/** How many of each stay. */
export interface Keep {
  minutes: number;
  hours: number;
  days: number;
  months: number;
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const monthOf = (at: number): number => {
  const date = new Date(at);
  return date.getUTCFullYear() * 12 + date.getUTCMonth();
};

/**
 * Which of `points` (UTC milliseconds) are to go. Every point of the last `minutes` stays, and the
 * first of each of the last `hours`, `days` and `months` (of UTC) that have one. The newest always
 * stays.
 */
export const pointsToDrop = (points: readonly number[], now: number, keep: Keep): number[] => {
  const ascending = [...points].sort((a, b) => a - b);
  const stay = new Set(ascending.filter(at => at > now - keep.minutes * minuteMs));
  const newest = ascending.at(-1);
  if (newest !== undefined) stay.add(newest);
  const spans: [of: (at: number) => number, count: number][] = [
    [at => Math.floor(at / hourMs), keep.hours],
    [at => Math.floor(at / dayMs), keep.days],
    [monthOf, keep.months],
  ];
  for (const [of, count] of spans) {
    const seen = new Set<number>();
    for (const at of ascending) {
      if (of(at) <= of(now) - count || seen.has(of(at))) continue;
      seen.add(of(at));
      stay.add(at);
    }
  }
  return ascending.filter(at => !stay.has(at));
};
