/**
 * What a range or a pair of dates means for a site at a moment (docs/api.md, "Ranges"): a window of
 * instants, and the window it is compared with. Days are those of the site's zone. The result is in
 * UTC, so no other part of a query knows of zones.
 */
import { addMonths, localName, startOfDay, startOfHour, wholeMonths } from '../../model/calendar.ts';
import { type Range, type RangeKey, rangeAt, ranges } from '../../model/ranges.ts';
import { dayMs, hourMs } from '../../model/time.ts';
import type { Zone } from './zone.ts';

/**
 * A range by name, or local days, both included. Days are wall-clock midnights as in zone.ts. A
 * `to` of null is today.
 */
export type Period = { range: RangeKey } | { from: number; to: number | null };

export type Bucket = 'hour' | 'day' | 'week' | 'month';

/** What a window is compared with: by name, or local days, both included. */
export type Comparison = (typeof comparisonNames)[number] | { from: number; to: number };
export const comparisonNames = ['previous', 'previous-weekday', 'year', 'year-weekday', 'none'] as const;

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
  /**
   * The window to compare with; null for `all`, unless it is given by its days, and where the plan
   * does not reach that far.
   */
  previous: Span | null;
  /** It begins later than asked, because of the account's plan. */
  isCut: boolean;
}

/** A window, and the one that it is compared with, where there is one. */
export const spansOf = ({ from, to, previous }: Window): Span[] => [
  { from, to },
  ...(previous === null ? [] : [previous]),
];

/** Dates get hour buckets up to this many days, and months beyond that many. */
const hourBucketDaysMax = 2;
const dayBucketDaysMax = 92;

export interface WindowFacts {
  zone: Zone;
  /** UTC milliseconds. */
  now: number;
  /** The site's first hit; null when it has none. Only `all` looks at it. */
  firstAt: number | null;
  /** The earliest instant that the plan lets be read. */
  readableFrom: number;
}

/** The window of a period. It is empty when it lies in the future or before the plan's limit. */
export const windowOf = (period: Period, facts: WindowFacts, comparison: Comparison = 'previous'): Window => {
  const whole = 'range' in period ? ofRange(period.range, facts) : ofDates(period.from, period.to, facts);
  const floor = facts.readableFrom;
  const { from, to } = readablePart({ ...whole, to: Math.max(whole.from, whole.to) }, facts);
  const previous = comparedWith(whole, comparison, facts);
  const isComparable = previous !== null && previous.from >= floor && from < to;
  return { ...whole, from, to, previous: isComparable ? previous : null, isCut: whole.from < floor };
};

/** What a plan lets be read of a window: what lies before its limit is cut away. */
export const readablePart = ({ from, to }: Span, { readableFrom }: Pick<WindowFacts, 'readableFrom'>): Span => ({
  from: Math.min(Math.max(from, readableFrom), to),
  to,
});

/** The earliest instant that a plan allows: so many days back, today included; null is no bound. */
export const readableFrom = ({
  zone,
  now,
  retentionDays,
}: Pick<WindowFacts, 'zone' | 'now'> & { retentionDays: number | null }): number =>
  retentionDays === null
    ? Number.NEGATIVE_INFINITY
    : zone.instant(startOfDay(zone.local(now)) - (retentionDays - 1) * dayMs);

/** A window before the plan's limit is applied. */
type WholeWindow = Omit<Window, 'isCut'>;

/** A year of whole weeks, so that Mondays meet Mondays. */
const yearOfWeeks = 52 * 7;

const comparedWith = (whole: WholeWindow, comparison: Comparison, facts: WindowFacts): Span | null => {
  if (comparison === 'none') return null;
  if (comparison === 'previous') return whole.previous;
  if (typeof comparison === 'object') {
    const { zone, now } = facts;
    const [from, to] = [zone.instant(comparison.from), zone.instant(comparison.to + dayMs)];
    return from <= now ? { from, to: Math.min(to, now + 1) } : null;
  }
  if (whole.key === 'all' || whole.from >= whole.to) return null;
  const backs: Record<typeof comparison, Back> = {
    'previous-weekday': byDays(wholeWeeks(whole, facts.zone)),
    year: byMonths(12),
    'year-weekday': byDays(yearOfWeeks),
  };
  return moved(whole, backs[comparison], facts);
};

/** The days of the fewest whole weeks that are as long as a window. */
const wholeWeeks = ({ from, to }: Span, zone: Zone): number => {
  const days = daysBetween(startOfDay(zone.local(from)), startOfDay(zone.local(to - 1)));
  return Math.ceil(days / 7) * 7;
};

/**
 * A window at earlier readings of the wall clock. Whole months stay whole, and of other windows the
 * last day is moved, as the day after February 28 may be the 29th. Null where nothing is left: no
 * other year has the 29th.
 */
const moved = (window: Span, back: Back, { zone, now }: WindowFacts): Span | null => {
  const first = zone.local(window.from);
  const last = zone.local(window.to - 1) + 1 - dayMs;
  const endOfDays = wholeMonths(first, last) > 0 ? back(last + dayMs) : back(last) + dayMs;
  const from = zone.instant(back(first));
  const to = window.to === now + 1 ? zone.instant(back(zone.local(now))) + 1 : zone.instant(endOfDays);
  return from < to ? { from, to } : null;
};

const ofRange = (range: RangeKey, facts: WindowFacts): WholeWindow => {
  const { zone, now, firstAt } = facts;
  const localNow = zone.local(now);
  const today = startOfDay(localNow);
  const named = { key: range, label: ranges[range].label };
  if (range === 'all') {
    const from = firstAt ?? zone.instant(today);
    const days = daysBetween(startOfDay(zone.local(from)), today);
    return { ...named, bucket: longBucket(days), from, to: now + 1, previous: null };
  }
  if (range === '24h') {
    const from = now - (localNow - startOfHour(localNow)) - 23 * hourMs;
    const previous = { from: from - dayMs, to: now + 1 - dayMs };
    return { ...named, bucket: 'hour', from, to: now + 1, previous };
  }
  const { unit, count, isPast }: Range = ranges[range];
  const { first, end, back } = rangeAt(range, localNow);
  const isOneDay = unit === 'day' && count === 1;
  const days = daysBetween(first, isPast ? end - dayMs : today);
  const bucket = isOneDay ? 'hour' : longBucket(days);
  return { ...named, bucket, ...compared(facts, first, isPast ? end : null, back) };
};

const ofDates = (first: number, to: number | null, facts: WindowFacts): WholeWindow => {
  const today = startOfDay(facts.zone.local(facts.now));
  const last = to ?? Math.max(today, first);
  /** The days that have begun: a window ends now at the latest. */
  const days = daysBetween(first, Math.min(last, today));
  const names = [first, last].map(day => localName(day).slice(0, 10));
  return {
    key: names.join('_'),
    label: [...new Set(names)].join(' to '),
    bucket: days <= hourBucketDaysMax ? 'hour' : longBucket(days),
    ...compared(facts, first, last < today ? last + dayMs : null, backFrom(first, last, days)),
  };
};

const longBucket = (days: number): Bucket => (days > dayBucketDaysMax ? 'month' : 'day');

/** Days from one wall-clock midnight to another, both included. */
const daysBetween = (first: number, last: number): number => (last - first) / dayMs + 1;

/** The reading of the wall clock one window earlier. */
type Back = (local: number) => number;
const byDays =
  (days: number): Back =>
  local =>
    local - days * dayMs;
const byMonths =
  (months: number): Back =>
  local =>
    addMonths(local, -months);

/**
 * Whole months move back by months, whole weeks by weeks, other dates by the days that have begun.
 */
const backFrom = (first: number, last: number, begun: number): Back => {
  const months = wholeMonths(first, last);
  if (months > 0) return byMonths(months);
  const days = daysBetween(first, last);
  return byDays(days % 7 === 0 ? days : begun);
};

/**
 * A window between two readings of the wall clock, and the one before it. A `to` of null is now,
 * and the present millisecond belongs to the window: a hit that was just acknowledged counts.
 * Readings move back, not instants: a day that begins at 01:00 follows one that begins at midnight.
 */
const compared = (
  { zone, now }: WindowFacts,
  first: number,
  end: number | null,
  back: Back,
): Pick<Window, 'from' | 'to' | 'previous'> => {
  const from = zone.instant(first);
  const to = end === null ? now + 1 : zone.instant(end);
  const endBefore = end === null ? zone.instant(back(zone.local(now))) + 1 : zone.instant(back(end));
  // Samoa skipped a day. Its readings are those of the day after, which is not compared with
  // itself.
  const previous = { from: zone.instant(back(first)), to: Math.min(endBefore, from) };
  return { from, to, previous: previous.from < previous.to ? previous : null };
};
