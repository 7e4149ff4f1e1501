/** What a period is called, and the one before or after it. Days are those of a site's wall clock, `2026-11-20`. */
import { type RangeKey, ranges } from '../../../model/ranges.ts';
import { formatDays, wallDate, wallMs } from '../format.ts';
import type { Period } from '../question.ts';

const dayMs = 86_400_000;
const addDays = (date: string, days: number): string => wallDate(wallMs(date) + days * dayMs);
const daysBetween = (from: string, to: string): number => Math.round((wallMs(to) - wallMs(from)) / dayMs) + 1;
const monthStart = (date: string, months: number): string => {
  const [year, month] = date.split('-').map(Number) as [number, number];
  return wallDate(Date.UTC(year, month - 1 + months, 1));
};
const monthEnd = (date: string, months: number): string => addDays(monthStart(date, months + 1), -1);

/** Whether a text from the address is a date. The API explains what is wrong with any other. */
const isDate = (text: string): boolean => {
  const ms = wallMs(text);
  return text.length === 10 && !Number.isNaN(ms) && wallDate(ms) === text;
};

export const periodLabel = (period: Period, today: string): string => {
  if ('range' in period) return ranges[period.range];
  if (periodDays(period, today) === null) return 'Invalid dates';
  return formatDays(period.from, period.to === '' ? today : period.to);
};

/** The days of a period; null for `all` and for invalid dates. */
export const periodDays = (period: Period, today: string): { from: string; to: string } | null => {
  if (!('range' in period)) {
    const to = period.to === '' ? today : period.to;
    return isDate(period.from) && isDate(to) ? { from: period.from, to } : null;
  }
  const lastDays = (days: number) => ({ from: addDays(today, 1 - days), to: today });
  const spans: Record<RangeKey, { from: string; to: string } | null> = {
    today: lastDays(1),
    yesterday: { from: addDays(today, -1), to: addDays(today, -1) },
    '24h': lastDays(1),
    '7d': lastDays(7),
    '30d': lastDays(30),
    '90d': lastDays(90),
    month: { from: monthStart(today, 0), to: monthEnd(today, 0) },
    '12m': { from: monthStart(today, -11), to: monthEnd(today, 0) },
    all: null,
  };
  return spans[period.range];
};

/** The period beside this one, of the same length; whole months stay whole months. Null for all time and in the future. */
export const movedPeriod = (period: Period, direction: -1 | 1, today: string): Period | null => {
  const days = periodDays(period, today);
  if (days === null) return null;
  const { from, to } = days;
  const months = wholeMonths(from, to);
  const moved =
    months > 0
      ? { from: monthStart(from, direction * months), to: monthEnd(to, direction * months) }
      : {
          from: addDays(from, direction * daysBetween(from, to)),
          to: addDays(to, direction * daysBetween(from, to)),
        };
  if (moved.from > today) return null;
  return { from: moved.from, to: moved.to > today ? today : moved.to };
};

/** How many whole months the days make; 0 when they do not. */
const wholeMonths = (from: string, to: string): number => {
  if (from !== monthStart(from, 0) || to !== monthEnd(to, 0)) return 0;
  const [fromYear, fromMonth] = from.split('-').map(Number) as [number, number];
  const [toYear, toMonth] = to.split('-').map(Number) as [number, number];
  return (toYear - fromYear) * 12 + toMonth - fromMonth + 1;
};
