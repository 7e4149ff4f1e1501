/**
 * What a period is called, and the one before or after it. Days are those of a site's wall clock,
 * `2026-11-20`.
 */
import { addMonths, wholeMonths } from '../../../model/calendar.ts';
import { rangeAt } from '../../../model/ranges.ts';
import { dayMs } from '../../../model/time.ts';
import { formatDays, wallDate, wallMs } from '../format.ts';
import type { ChosenPeriod } from '../question.ts';
import { t } from '../texts/text.ts';

export const periodLabel = (period: ChosenPeriod, today: string): string => {
  if ('range' in period) return t(`range.${period.range}`);
  if (spanOf(period, today) === null) return t('controls.invalidDates');
  return formatDays(period.from, period.to === '' ? today : period.to);
};

/** The days of a period; null for `all` and for invalid dates. */
export const periodDays = (period: ChosenPeriod, today: string): { from: string; to: string } | null => {
  const span = spanOf(period, today);
  return span && { from: wallDate(span.first), to: wallDate(span.last) };
};

/**
 * The period beside this one, of the same length; whole months stay whole months. Null for all time
 * and in the future.
 */
export const movedPeriod = (period: ChosenPeriod, direction: -1 | 1, today: string): ChosenPeriod | null => {
  const span = spanOf(period, today);
  if (span === null) return null;
  const { first, last } = span;
  const months = wholeMonths(first, last);
  const moved = (at: number): number =>
    months > 0 ? addMonths(at, direction * months) : at + direction * (last + dayMs - first);
  if (moved(first) > wallMs(today)) return null;
  return { from: wallDate(moved(first)), to: wallDate(Math.min(moved(last + dayMs) - dayMs, wallMs(today))) };
};

/** Midnights of the first and the last day, as `wallMs`. */
interface Span {
  first: number;
  last: number;
}

const spanOf = (period: ChosenPeriod, today: string): Span | null => {
  const now = wallMs(today);
  if (!('range' in period)) {
    const to = period.to === '' ? today : period.to;
    return isDate(period.from) && isDate(to) ? { first: wallMs(period.from), last: wallMs(to) } : null;
  }
  if (period.range === 'all') return null;
  const { first, end } = rangeAt(period.range, now);
  return { first, last: end - dayMs };
};

/** Whether a text from the address is a date. The API explains what is wrong with any other. */
const isDate = (text: string): boolean => {
  const ms = wallMs(text);
  return text.length === 10 && !Number.isNaN(ms) && wallDate(ms) === text;
};
