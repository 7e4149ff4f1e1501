/** The buckets of a window: its local hours, days, weeks or months. */
import { addMonths, localName, startOfDay, startOfHour, startOfMonth, startOfWeek } from '../../model/calendar.ts';
import { bucketsMax } from '../../model/limits.ts';
import { dayMs, hourMs } from '../../model/time.ts';
import type { Bucket, Span } from './window.ts';
import type { Zone } from './zone.ts';

export interface Buckets {
  /** n+1 ascending instants of n buckets that tile the window. */
  bounds: number[];
  /** Per bucket, when the wall clock says that its hour, day, week or month began. */
  dates: string[];
}

/** Local hours, days, weeks or months. The window cuts the first and the last. */
export const bucketsOf = ({ bucket, ...span }: Span & { bucket: Bucket }, zone: Zone): Buckets =>
  bucketsBy(steps[bucket], span, zone);

/** The same of any division of time. */
export const bucketsBy = ({ begin, next }: TimeStep, { from, to }: Span, zone: Zone): Buckets => {
  const bounds: number[] = [];
  const dates: string[] = [];
  for (let at = from; at < to; ) {
    const local = zone.local(at);
    bounds.push(at);
    dates.push(localName(begin(local)));
    at = next(at, local, zone);
  }
  bounds.push(to);
  return { bounds, dates };
};

export interface TimeStep {
  /** The wall-clock time at which the bucket of a wall-clock time begins. */
  begin(local: number): number;
  /** The instant at which the bucket after the one of `at` begins. */
  next(at: number, local: number, zone: Zone): number;
}

/**
 * A clock that changes in the middle of an hour, as on the Chatham Islands, ends that hour there.
 */
const nextHour: TimeStep['next'] = (at, local, zone) => {
  const hour = startOfHour(local);
  const isInHour = (instant: number): boolean => startOfHour(zone.local(instant)) === hour;
  const end = at + hourMs - (local - hour);
  if (isInHour(end - 1)) return end;
  let [last, next] = [at, end - 1];
  while (next - last > 1) {
    const middle = last + Math.floor((next - last) / 2);
    if (isInHour(middle)) last = middle;
    else next = middle;
  }
  return next;
};

export const steps: Record<Bucket, TimeStep> = {
  // Hours step in real time: a repeated hour has a bucket of its own, and a skipped one has none.
  hour: { begin: startOfHour, next: nextHour },
  day: { begin: startOfDay, next: (_, local, zone) => zone.instant(startOfDay(local) + dayMs) },
  week: { begin: startOfWeek, next: (_, local, zone) => zone.instant(startOfWeek(local) + 7 * dayMs) },
  month: { begin: startOfMonth, next: (_, local, zone) => zone.instant(addMonths(startOfMonth(local), 1)) },
};

/** About as long as the shortest bucket of a kind. */
const shortest: Record<Bucket, number> = { hour: hourMs, day: dayMs, week: 7 * dayMs, month: 28 * dayMs };

/** Whether a window has more buckets than one question may ask for. */
export const hasTooManyBuckets = ({ from, to }: Span, bucket: Bucket): boolean =>
  (to - from) / shortest[bucket] > bucketsMax;
