/**
 * Plausible's periods as windows: of its first API, relative to a date, and of its second. Both
 * count whole local days, also those to come, so that a month has all of its labels.
 */
import type { ReadableSite } from '../../api/endpoint.ts';
import type { Bucket, Span } from '../../api/request/window.ts';
import { addMonths, dayExists, localName, startOfDay, startOfMonth } from '../../model/calendar.ts';
import { dayMs, hourMs } from '../../model/time.ts';
import { badQuery } from './errors.ts';

/** Half-open, as asked: the caller's plan may allow less. */
export interface PlausiblePeriod extends Span {
  /** The same many days before; null for all time. */
  previous: Span | null;
}

/** Needs the site's first hit: all time begins with it. */
export type ReadPeriod = PlausiblePeriod | 'all';

const ofDays = (first: number, last: number, { zone }: ReadableSite): PlausiblePeriod => {
  const span = (from: number, to: number): Span => ({ from: zone.instant(from), to: zone.instant(to) });
  const days = (last - first) / dayMs + 1;
  return { ...span(first, last + dayMs), previous: span(first - days * dayMs, first) };
};

const today = ({ zone, now }: ReadableSite): number => startOfDay(zone.local(now));
const endOfMonth = (local: number): number => addMonths(startOfMonth(local), 1) - dayMs;

/** All time: from the day of the first hit on, or today alone. */
export const allTime = (firstAt: number | null, view: ReadableSite): PlausiblePeriod => {
  const last = today(view);
  const first = firstAt === null ? last : startOfDay(view.zone.local(firstAt));
  return { ...ofDays(Math.min(first, last), last, view), previous: null };
};

/** A period of the first API. Throws HttpError. */
export const v1Period = (search: URLSearchParams, view: ReadableSite): PlausiblePeriod => {
  const period = search.get('period') ?? '30d';
  const typed = search.get('date');
  if (period === 'custom') return customPeriod(search, view);
  const date = typed === null || typed === 'today' ? today(view) : dateOf(typed);
  if (date === undefined)
    throw badQuery(`Error parsing the date parameter: '${typed}' is not a date such as 2026-01-31.`);
  switch (period) {
    case 'day':
      return ofDays(date, date, view);
    case '7d':
      return ofDays(date - 6 * dayMs, date, view);
    case '30d':
      return ofDays(date - 30 * dayMs, date, view);
    case 'month':
      return ofDays(startOfMonth(date), endOfMonth(date), view);
    case '6mo':
      return ofDays(addMonths(startOfMonth(date), -5), endOfMonth(date), view);
    case '12mo':
      return ofDays(addMonths(startOfMonth(date), -11), endOfMonth(date), view);
    default:
      throw badQuery(
        `Error parsing the period parameter: invalid period '${period}'. It is one of day, 7d, 30d, month, 6mo, 12mo, custom.`,
      );
  }
};

const customPeriod = (search: URLSearchParams, view: ReadableSite): PlausiblePeriod => {
  const given = search.get('date') ?? [search.get('from'), search.get('to')].filter(each => each !== null).join(',');
  if (given === '') throw badQuery('The date parameter is required when the period is custom.');
  const dates = given.split(',').map(one => dateOf(one.trim()));
  const [first, last] = dates;
  if (dates.length !== 2 || first === undefined || last === undefined) {
    throw badQuery(
      'The date parameter of a custom period is two dates with a comma between them, such as 2026-01-01,2026-01-31.',
    );
  }
  return inOrder(first, last, () => ofDays(first, last, view));
};

const inOrder = <T>(first: number, last: number, then: () => T): T => {
  if (first > last) throw badQuery('The range ends before it begins.');
  return then();
};

/** A `date_range` of the second API. Throws HttpError. */
export const v2Period = (given: unknown, view: ReadableSite): ReadPeriod => {
  const { zone, now } = view;
  const day = today(view);
  const wrong = (): Error => badQuery(`#/date_range: Invalid date range ${JSON.stringify(given).slice(0, 100)}`);
  if (Array.isArray(given)) return ofPair(given, view) ?? refuse(wrong());
  switch (given) {
    case 'day':
      return ofDays(day, day, view);
    case '24h':
      return { from: now - dayMs, to: now + 1, previous: { from: now - 2 * dayMs, to: now - dayMs } };
    case 'month':
      return ofDays(startOfMonth(day), endOfMonth(day), view);
    case 'year': {
      const january = Date.UTC(new Date(day).getUTCFullYear(), 0);
      return ofDays(january, addMonths(january, 12) - dayMs, view);
    }
    case 'all':
      return 'all';
  }
  const [, digits, unit] = (typeof given === 'string' && /^(\d{1,4})(d|mo)$/.exec(given)) || [];
  const count = Number(digits);
  if (unit === 'd' && count > 0 && count <= 5000) return ofDays(day - count * dayMs, day - dayMs, view);
  const month = startOfMonth(zone.local(now));
  if (unit === 'mo' && count > 0 && count <= 100) return ofDays(addMonths(month, -count), month - dayMs, view);
  throw wrong();
};

const refuse = (error: Error): never => {
  throw error;
};

/** Two dates, or two instants, which are both part of it to the second. */
const ofPair = (given: readonly unknown[], view: ReadableSite): PlausiblePeriod | undefined => {
  const [from, to] = given;
  if (given.length !== 2 || typeof from !== 'string' || typeof to !== 'string') return undefined;
  const dates = [dateOf(from), dateOf(to)];
  if (dates[0] !== undefined && dates[1] !== undefined) {
    return inOrder(dates[0], dates[1], () => ofDays(dates[0]!, dates[1]!, view));
  }
  const [first, last] = [instantOf(from), instantOf(to)];
  if (first === undefined || last === undefined) return undefined;
  return inOrder(first, last, () => {
    const end = last + 1000;
    return { from: first, to: end, previous: { from: first - (end - first), to: first } };
  });
};

/** The midnight of a date, as a reading of the wall clock. */
const dateOf = (typed: string): number | undefined => {
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(typed) ?? [];
  if (day === undefined || Number(year) < 1970 || !dayExists(Number(year), Number(month), Number(day)))
    return undefined;
  return Number(month) > 12 || Number(month) < 1 ? undefined : Date.parse(typed);
};

const instantOf = (typed: string): number | undefined => {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)$/.test(typed)) return undefined;
  const at = Date.parse(typed);
  return at >= 0 ? Math.floor(at / 1000) * 1000 : undefined;
};

/** What `time` stands for in a window. */
export const bucketFor = ({ from, to }: Span): Bucket => {
  const hours = Math.floor((to - 1000 - from) / hourMs);
  if (hours <= 48) return 'hour';
  if (hours < 41 * 24) return 'day';
  return hours < 53 * 7 * 24 ? 'week' : 'month';
};

/** A bucket as Plausible names it, by its beginning and that of its window on the wall clock. */
export const bucketLabel = (bucket: Bucket, begin: number, windowBegin: number): string => {
  if (bucket === 'hour') return localName(begin).replace('T', ' ');
  return localName(bucket === 'week' ? Math.max(begin, startOfDay(windowBegin)) : begin).slice(0, 10);
};

/** An instant as ISO 8601 with the zone's offset. */
export const instantText = (at: number, { zone }: ReadableSite): string => {
  const offset = Math.round((zone.local(at) - at) / 60_000);
  const sign = offset < 0 ? '-' : '+';
  const parts = [Math.floor(Math.abs(offset) / 60), Math.abs(offset) % 60].map(part => String(part).padStart(2, '0'));
  return `${localName(zone.local(at))}${sign}${parts.join(':')}`;
};
