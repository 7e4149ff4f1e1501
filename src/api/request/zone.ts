/**
 * Wall-clock time in an IANA zone: from an instant to a reading (model/calendar.ts) and back, with
 * skipped and repeated hours.
 */
import { lru } from 'tiny-lru';
import { dayMs, utcDayOf } from '../../model/time.ts';

export interface Zone {
  /** What the wall clock shows at an instant. */
  local(at: number): number;
  /**
   * When the wall clock shows `local`: the first of two times; as long after the gap if skipped.
   */
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
  // Reading an offset takes some microseconds, and a year of days needs thousands. No zone changes
  // its clocks twice in a day, so an offset that is the same at both ends of a day holds all day.
  const offset = (at: number): number => {
    const day = utcDayOf(at);
    const before = offsetAtMidnight(day);
    return before === offsetAtMidnight(day + 1) ? before : readOffset(at);
  };
  return {
    local: at => at + offset(at),
    instant(local) {
      // A zone changes its clocks at most once in two days, so one of these two offsets holds at
      // the instant.
      const before = local - offset(local - dayMs);
      const after = local - offset(local + dayMs);
      const [first, second] = before < after ? [before, after] : [after, before];
      if (first + offset(first) === local) return first;
      if (second + offset(second) === local) return second;
      return before;
    },
  };
};
