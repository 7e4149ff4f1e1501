/**
 * The ranges by key, in the order of the `allowed` list (docs/api.md, "Ranges"): the nine of the
 * specification, then the others. What people call each, and what it spans: so many units of the
 * calendar, of which the last is the present one, or the one before it.
 */
import { addMonths, startOfDay, startOfMonth, startOfQuarter, startOfWeek, startOfYear } from './calendar.ts';
import { dayMs } from './time.ts';

type Later = (local: number, count: number) => number;
const byMs =
  (ms: number): Later =>
  (local, count) =>
    local + count * ms;
const byMonths =
  (months: number): Later =>
  (local, count) =>
    addMonths(local, count * months);

/** Where each unit begins that a reading of the wall clock is in, and a reading so many later. */
const units = {
  day: { start: startOfDay, later: byMs(dayMs) },
  week: { start: startOfWeek, later: byMs(7 * dayMs) },
  month: { start: startOfMonth, later: byMonths(1) },
  quarter: { start: startOfQuarter, later: byMonths(3) },
  year: { start: startOfYear, later: byMonths(12) },
} as const;

export interface Range {
  label: string;
  /** Null for all time. */
  unit: keyof typeof units | null;
  count: number;
  /** Whether it is over. */
  isPast?: true;
}

export const ranges = {
  today: { label: 'Today', unit: 'day', count: 1 },
  yesterday: { label: 'Yesterday', unit: 'day', count: 1, isPast: true },
  /** By days it is today; its hours go by whatever the wall clock does (api/request/window.ts). */
  '24h': { label: 'Last 24 hours', unit: 'day', count: 1 },
  '7d': { label: 'Last 7 days', unit: 'day', count: 7 },
  '30d': { label: 'Last 30 days', unit: 'day', count: 30 },
  '90d': { label: 'Last 90 days', unit: 'day', count: 90 },
  month: { label: 'This month', unit: 'month', count: 1 },
  '12m': { label: 'Last 12 months', unit: 'month', count: 12 },
  all: { label: 'All time', unit: null, count: 0 },
  week: { label: 'This week', unit: 'week', count: 1 },
  'last-week': { label: 'Last week', unit: 'week', count: 1, isPast: true },
  'last-month': { label: 'Last month', unit: 'month', count: 1, isPast: true },
  quarter: { label: 'This quarter', unit: 'quarter', count: 1 },
  'last-quarter': { label: 'Last quarter', unit: 'quarter', count: 1, isPast: true },
  year: { label: 'This year', unit: 'year', count: 1 },
  'last-year': { label: 'Last year', unit: 'year', count: 1, isPast: true },
} as const satisfies Record<string, Range>;

export type RangeKey = keyof typeof ranges;
export const rangeKeys = Object.keys(ranges) as RangeKey[];
export const rangeDefault: RangeKey = '30d';

/** The readings from which and to below which a range reaches, and the reading a range earlier. */
export const rangeAt = (
  key: Exclude<RangeKey, 'all'>,
  local: number,
): { first: number; end: number; back: (local: number) => number } => {
  const { unit, count, isPast }: Range = ranges[key];
  const { start, later } = units[unit!];
  const end = later(start(local), isPast ? 0 : 1);
  return { first: later(end, -count), end, back: reading => later(reading, -count) };
};
