/** Which period a report is of, and when it is sent, in the zone of its site. */
import type { Zone } from '../api/request/zone.ts';
import { addMonths, localName, startOfDay, startOfMonth, startOfQuarter, startOfWeek } from '../model/calendar.ts';
import type { Cadence, ReportSchedule } from '../model/reports.ts';
import { dayMs, hourMs } from '../model/time.ts';

/** Local days, both included: `2026-11-16`. */
export interface ReportPeriod {
  from: string;
  to: string;
}

export const periodName = ({ from, to }: ReportPeriod): string => `${from}_${to}`;

/** The beginning of the period that a reading of the wall clock is in. */
const startOf = ({ cadence, weekday }: ReportSchedule, local: number): number => {
  const shift = (weekday - 1) * dayMs;
  const starts: Record<Cadence, (of: number) => number> = {
    day: startOfDay,
    week: of => startOfWeek(of - shift) + shift,
    month: startOfMonth,
    quarter: startOfQuarter,
  };
  return starts[cadence](local);
};

const endOf = ({ cadence }: ReportSchedule, start: number): number => {
  if (cadence === 'day') return start + dayMs;
  if (cadence === 'week') return start + 7 * dayMs;
  return addMonths(start, cadence === 'month' ? 1 : 3);
};

/** When the period that ends there is sent: an hour that the clock skips is when it goes on. */
const sentAt = ({ hour }: ReportSchedule, zone: Zone, end: number): number => zone.instant(end + hour * hourMs);

const periodTo = (schedule: ReportSchedule, end: number): ReportPeriod => ({
  from: localName(startOf(schedule, end - 1)).slice(0, 10),
  to: localName(end - 1).slice(0, 10),
});

/** The newest period that should have been sent at `now`, UTC milliseconds. */
export const newestPeriod = (schedule: ReportSchedule, zone: Zone, now: number): ReportPeriod => {
  let end = startOf(schedule, zone.local(now));
  while (sentAt(schedule, zone, end) > now) end = startOf(schedule, end - 1);
  return periodTo(schedule, end);
};

/** When the next period after `now` is sent. */
export const nextSending = (schedule: ReportSchedule, zone: Zone, now: number): number => {
  let end = startOf(schedule, zone.local(now));
  while (sentAt(schedule, zone, end) <= now) end = endOf(schedule, end);
  return sentAt(schedule, zone, end);
};

/** How many periods should have been sent from one moment on, up to another, both included. */
export const sendingsBetween = (schedule: ReportSchedule, zone: Zone, from: number, to: number): number => {
  let count = 0;
  for (let at = from; at <= to && count < countedMax; at = nextSending(schedule, zone, at)) count++;
  return count;
};

/** A server that was away for longer has skipped that many and more. */
const countedMax = 1000;
