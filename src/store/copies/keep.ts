/** Which points stay: all of the last time, then one of each hour, each day, each month. */
import { dayMs, hourMs, minuteMs } from '../../model/time.ts';
import type { PointName } from './points.ts';

/** How many of each stay. */
export interface PointsKept {
  minutes: number;
  hours: number;
  days: number;
  months: number;
}

const monthOf = (at: number): number => {
  const date = new Date(at);
  return date.getUTCFullYear() * 12 + date.getUTCMonth();
};

/**
 * Which points are to go. Every point of the last `minutes` stays, and the first of each of the
 * last `hours`, `days` and `months` (of UTC) that have one. The newest always stays. Points may be
 * ahead of the clock, which is wrong now or was when they were written. Nobody knows which, so they
 * are treated as if the last of them was written now.
 */
export const pointsToDrop = (points: readonly PointName[], now: number, keep: PointsKept): PointName[] => {
  const newest = Math.max(...points.map(({ number }) => number));
  const ahead = points.filter(({ at }) => at > now);
  const stay = new Set([
    ...staying(
      points.filter(({ at }) => at <= now),
      now,
      keep,
    ),
    ...staying(ahead, Math.max(...ahead.map(({ at }) => at)), keep),
  ]);
  return points.filter(point => point.number !== newest && !stay.has(point));
};

const staying = (points: readonly PointName[], now: number, keep: PointsKept): PointName[] => {
  const ascending = points.toSorted((one, other) => one.at - other.at);
  const firsts = (of: (at: number) => number, count: number): PointName[] => {
    const recent = ascending.filter(({ at }) => of(at) > of(now) - count);
    return recent.filter((point, i) => i === 0 || of(point.at) !== of(recent[i - 1]!.at));
  };
  return [
    ...ascending.filter(({ at }) => at > now - keep.minutes * minuteMs),
    ...firsts(at => Math.floor(at / hourMs), keep.hours),
    ...firsts(at => Math.floor(at / dayMs), keep.days),
    ...firsts(monthOf, keep.months),
  ];
};
