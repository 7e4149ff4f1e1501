/**
 * Wall-clock time in an IANA zone. A reading of the wall clock is a number, `local`: the instant at
 * which UTC shows that reading. Days, months and hours of the zone are then plain UTC arithmetic, and
 * only the way back to an instant has to know of skipped and repeated hours.
 */
import { lru } from 'tiny-lru';
import { dayMs, hourMs, utcDayOf } from '../../model/time.ts';

export interface Zone {
  /** What the wall clock shows at an instant. */
  local(at: number): number;
  /** When the wall clock shows `local`: the first of two times; as long after the gap if skipped. */
  instant(local: number): number;
}

/** A formatter takes some 50 µs to make, so all sites of a zone share one. */
const zones = lru<Zone>(500);

/** Throws RangeError for a name that is no time zone. */
export const zoneOf = (name: string): Zone => {
  let zone = zones.get(name);
  if (zone === undefined) {
    zone = makeZone(name);
    zones.set(name, zone);
  }
  return zone;
};

/** Offsets kept per zone: those of the UTC midnights of a long range. */
const midnightsMax = 1000;

const offsetPattern = /GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/;

const makeZone = (name: string): Zone => {
  const format = new Intl.DateTimeFormat('en-US', { timeZone: name, timeZoneName: 'longOffset' });
  const readOffset = (at: number): number => {
    const [, sign, hours, minutes, seconds = 0] = offsetPattern.exec(format.format(at))!;
    if (sign === undefined) return 0;
    const size = (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)) * 1000;
    return sign === '-' ? -size : size;
  };
  const midnights = lru<number>(midnightsMax);
  const offsetAtMidnight = (day: number): number => {
    let offset = midnights.get(day);
    if (offset === undefined) {
      offset = readOffset(day * dayMs);
      midnights.set(day, offset);
    }
    return offset;
  };
  // Reading an offset takes some microseconds, and a year of days needs thousands. No zone changes its
  // clocks twice in a day, so an offset that is the same at both ends of a day holds all day.
  const offset = (at: number): number => {
    const day = utcDayOf(at);
    const before = offsetAtMidnight(day);
    return before === offsetAtMidnight(day + 1) ? before : readOffset(at);
  };
  return {
    local: at => at + offset(at),
    instant(local) {
      // A zone changes its clocks at most once in two days, so one of these two offsets holds at the instant.
      const before = local - offset(local - dayMs);
      const after = local - offset(local + dayMs);
      const [first, second] = before < after ? [before, after] : [after, before];
      if (first + offset(first) === local) return first;
      if (second + offset(second) === local) return second;
      return before;
    },
  };
};

/** `2026-11-20T14:00:00`: a reading of the wall clock as the API writes it, without zone. */
export const localName = (local: number): string => new Date(local).toISOString().slice(0, 19);

/** What windows and buckets begin with. */
export const startOfHour = (local: number): number => local - mod(local, hourMs);
export const startOfDay = (local: number): number => local - mod(local, dayMs);
export const startOfMonth = (local: number): number => {
  const date = new Date(local);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth());
};

/** How many months later `to` is: both are readings in their months, of which the days do not count. */
export const monthsBetween = (from: number, to: number): number => {
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

const mod = (value: number, by: number): number => ((value % by) + by) % by;
