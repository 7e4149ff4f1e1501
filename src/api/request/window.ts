/**
 * What a range or a pair of dates means for a site at a moment (docs/api.md, "Ranges"): a window of instants, the one it is compared with, and
 * its buckets. All of it is in the site's zone; what comes out is UTC, so that no other part of a query knows of zones.
 */
import { type RangeKey, ranges } from '../../model/ranges.ts';
import { dayMs, hourMs } from '../../model/time.ts';
import { addMonths, localName, startOfDay, startOfHour, startOfMonth, type Zone } from './zone.ts';

/** What was asked for: a range by name, or local days, both included. A `to` of null is today. Days are wall-clock midnights, as in zone.ts. */
export type Period = { range: RangeKey } | { from: number; to: number | null };

export type Bucket = 'hour' | 'day' | 'month';

/** Half-open: `from <= at < to`, UTC milliseconds. */
export interface Span {
  from: number;
  to: number;
}

export interface Window extends Span {
  /** The range's name, or `2026-10-01_2026-10-07`. */
  key: string;
  /** For people: `Last 30 days`. */
  label: string;
  bucket: Bucket;
  /** The window moved back, to compare with; null for `all`, and where the plan does not reach that far. */
  previous: Span | null;
}

/** Ranges of days get hour buckets up to this many days, and months beyond that many. */
const hourBucketDaysMax = 2;
const dayBucketDaysMax = 92;

/** The shape of a window before it is bounded: where it begins, whether now or an earlier instant ends it, and how it moves back. */
interface Shape {
  key: string;
  label: string;
  from: number;
  /** Null: it ends now. */
  to: number | null;
  bucket: Bucket;
  /** The instant one window earlier; null when there is nothing to compare with. */
  back: ((at: number) => number) | null;
}

export interface WindowFacts {
  zone: Zone;
  /** UTC milliseconds. */
  now: number;
  /** The site's first hit; null when it has none. Only `all` looks at it. */
  firstAt: number | null;
  /** How many days back the account's plan lets it read, today included; null is no bound (docs/api.md, "Access"). */
  retentionDays: number | null;
}

/** The window of a period. Empty (`from` equals `to`) when it lies in the future, or before all that the plan lets be read. */
export const windowOf = (period: Period, facts: WindowFacts): Window => {
  const shape = 'range' in period ? ofRange(period.range, facts) : ofDates(period.from, period.to, facts);
  const floor = readableFrom(facts);
  // The present millisecond is part of the window: a hit that was just acknowledged is counted.
  const to = shape.to ?? Math.max(facts.now + 1, shape.from);
  const from = Math.min(Math.max(shape.from, floor), to);
  const { key, label, bucket, back } = shape;
  const window = { key, label, bucket, from, to };
  if (back === null || from === to) return { ...window, previous: null };
  const previous = { from: back(shape.from), to: shape.to === null ? back(facts.now) + 1 : back(shape.to) };
  return { ...window, previous: previous.from < floor ? null : previous };
};

/** The earliest instant that the plan lets be read. */
export const readableFrom = ({ zone, now, retentionDays }: Omit<WindowFacts, 'firstAt'>): number =>
  retentionDays === null
    ? Number.NEGATIVE_INFINITY
    : zone.instant(startOfDay(zone.local(now)) - (retentionDays - 1) * dayMs);

const ofRange = (range: RangeKey, { zone, now, firstAt }: WindowFacts): Shape => {
  const localNow = zone.local(now);
  const today = startOfDay(localNow);
  const byMonths = (months: number) => (at: number) => zone.instant(addMonths(zone.local(at), -months));
  const shape = (from: number, bucket: Bucket, back: Shape['back'], to: number | null = null): Shape => ({
    key: range,
    label: ranges[range],
    from,
    to,
    bucket,
    back,
  });
  const lastDays = (days: number): Shape => shape(zone.instant(today - (days - 1) * dayMs), 'day', byDays(zone, days));

  switch (range) {
    case 'today':
      return shape(zone.instant(today), 'hour', byDays(zone, 1));
    case 'yesterday':
      return shape(zone.instant(today - dayMs), 'hour', byDays(zone, 1), zone.instant(today));
    case '24h':
      return shape(now - (localNow - startOfHour(localNow)) - 23 * hourMs, 'hour', at => at - 24 * hourMs);
    case '7d':
      return lastDays(7);
    case '30d':
      return lastDays(30);
    case '90d':
      return lastDays(90);
    case 'month':
      return shape(zone.instant(startOfMonth(localNow)), 'day', byMonths(1));
    case '12m':
      return shape(zone.instant(addMonths(startOfMonth(localNow), -11)), 'month', byMonths(12));
    case 'all': {
      const from = firstAt ?? zone.instant(today);
      const days = daysBetween(startOfDay(zone.local(from)), today);
      return shape(from, days > dayBucketDaysMax ? 'month' : 'day', null);
    }
  }
};

const ofDates = (from: number, to: number | null, { zone, now }: WindowFacts): Shape => {
  const today = startOfDay(zone.local(now));
  const last = Math.min(to ?? today, today);
  const days = daysBetween(from, last);
  const names = [from, to ?? Math.max(today, from)].map(day => localName(day).slice(0, 10));
  return {
    key: names.join('_'),
    label: names[0] === names[1] ? names[0]! : names.join(' to '),
    from: zone.instant(from),
    to: last < today ? zone.instant(last + dayMs) : null,
    bucket: days <= hourBucketDaysMax ? 'hour' : days > dayBucketDaysMax ? 'month' : 'day',
    back: byDays(zone, days),
  };
};

const byDays = (zone: Zone, days: number) => (at: number) => zone.instant(zone.local(at) - days * dayMs);

/** Days from one wall-clock midnight to another, both included. */
const daysBetween = (first: number, last: number): number => (last - first) / dayMs + 1;

export interface Buckets {
  /** n+1 ascending instants of n buckets that tile the window. */
  bounds: number[];
  /** The hour, day or month that each bucket belongs to, as the wall clock shows its beginning: `2026-11-20T14:00:00`. */
  dates: string[];
}

/** The buckets of a window: local hours, days or months, the first and the last cut where the window begins and ends. */
export const bucketsOf = ({ from, to, bucket }: Span & { bucket: Bucket }, zone: Zone): Buckets => {
  const { begin, next } = steps[bucket];
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

interface Step {
  /** The wall-clock time at which the bucket of a wall-clock time begins. */
  begin(local: number): number;
  /** The instant at which the bucket after the one of `at` begins. */
  next(at: number, local: number, zone: Zone): number;
}

const steps: Record<Bucket, Step> = {
  // Hours are stepped in real time, so that a repeated hour has a bucket of its own and a skipped one has none.
  hour: { begin: startOfHour, next: (at, local) => at + hourMs - (local - startOfHour(local)) },
  day: { begin: startOfDay, next: (_, local, zone) => zone.instant(startOfDay(local) + dayMs) },
  month: { begin: startOfMonth, next: (_, local, zone) => zone.instant(addMonths(startOfMonth(local), 1)) },
};
