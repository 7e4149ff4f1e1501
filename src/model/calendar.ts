/**
 * Wall-clock time as a number, `local`: the instant at which UTC would show that reading. Days,
 * months and hours of any zone are then plain UTC arithmetic. Only the way from and to an instant
 * knows of zones (api/request/zone.ts).
 */
import { dayMs, hourMs } from './time.ts';

/** `2026-11-20T14:00:00`: a reading of the wall clock as the API writes it, without zone. */
export const localName = (local: number): string => new Date(local).toISOString().slice(0, 19);

/** The beginning of the hour, day, week, month, quarter or year of a reading. */
export const startOfHour = (local: number): number => local - mod(local, hourMs);
export const startOfDay = (local: number): number => local - mod(local, dayMs);
/** Weeks begin on Mondays (ISO 8601). The first of January 1970 was a Thursday. */
export const startOfWeek = (local: number): number => local - mod(local + 3 * dayMs, 7 * dayMs);
export const startOfMonth = (local: number): number => {
  const date = new Date(local);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth());
};
export const startOfQuarter = (local: number): number => {
  const date = new Date(local);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - (date.getUTCMonth() % 3));
};
export const startOfYear = (local: number): number => Date.UTC(new Date(local).getUTCFullYear(), 0);

/**
 * How many months after the month of `from` the month of `to` comes. Their days do not matter.
 */
const monthsBetween = (from: number, to: number): number => {
  const [first, last] = [new Date(from), new Date(to)];
  const years = last.getUTCFullYear() - first.getUTCFullYear();
  return 12 * years + last.getUTCMonth() - first.getUTCMonth();
};

/** The same reading so many months later; the last day of a month that is shorter. */
export const addMonths = (local: number, months: number): number => {
  const date = new Date(local);
  const month = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months);
  const daysInMonth = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months + 1, 0)).getUTCDate();
  return month + (Math.min(date.getUTCDate(), daysInMonth) - 1) * dayMs + mod(local, dayMs);
};

/**
 * How many months two days span, from the first of one to the last of another, both included; 0 if
 * they do not.
 */
export const wholeMonths = (first: number, last: number): number => {
  const end = last + dayMs;
  return first === startOfMonth(first) && end === startOfMonth(end) ? monthsBetween(first, end) : 0;
};

/** Whether the calendar has this day; months count from 1. False for what is no number. */
export const dayExists = (year: number, month: number, day: number): boolean =>
  month >= 1 && month <= 12 && day >= 1 && (day <= 28 || new Date(Date.UTC(year, month - 1, day)).getUTCDate() === day);

const mod = (value: number, by: number): number => ((value % by) + by) % by;
