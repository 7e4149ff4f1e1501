/** How busy a site is on a day and at an hour. */
import { dayMs, hourMs } from '../../model/time.ts';
import type { DemoSource, Profile } from './profile.ts';
import { type Chance, chanceFrom, seedOf } from './random.ts';

export interface Today {
  /** UTC day number. */
  day: number;
  /** 1 to 12, 1 to 31, and 0 (Sunday) to 6. */
  month: number;
  date: number;
  weekday: number;
  /**
   * What a steady source brings: 1 on an average weekday at the end of the demo. Grows, and has its
   * seasons and weeks.
   */
  steady: number;
  /**
   * What somebody's link to the site brings: 1 on a day that chance picks in every so many, less on
   * the three days after it, else 0. Each `key` has days of its own.
   */
  burst: (key: number, everyDays: number) => number;
}

/** Visits grow by this factor in a year. */
const growthPerYear = 1.9;
/** January to December: people start things after the holidays and in autumn. */
const seasons = [1.08, 1.06, 1.04, 1, 0.97, 0.93, 0.84, 0.82, 1.02, 1.1, 1.12, 0.86];
/** Sunday to Saturday. */
const weekdays = [0.6, 1.1, 1.18, 1.15, 1.1, 0.98, 0.52];
const fade = [1, 0.45, 0.16, 0.07];

export const todayOf = (day: number, lastDay: number, seed: number): Today => {
  const at = new Date(day * dayMs);
  const month = at.getUTCMonth() + 1;
  const date = at.getUTCDate();
  const weekday = at.getUTCDay();
  const growth = growthPerYear ** ((day - lastDay) / 365);
  const holidays = (month === 12 && date >= 23) || (month === 1 && date <= 2) ? 0.55 : 1;
  const mood = chanceFrom(seedOf(seed, day)).around(1, 0.05);
  const steady = growth * between(seasons, month - 1, (date - 1) / 31) * weekdays[weekday]! * holidays * mood;
  const burst = (key: number, everyDays: number): number => {
    const period = Math.floor(day / everyDays);
    const starts = [period, period - 1].map(
      n => n * everyDays + chanceFrom(seedOf(seedOf(seed, key), n)).below(everyDays),
    );
    return Math.max(0, ...starts.map(start => fade[day - start] ?? 0)) * growth;
  };
  return { day, month, date, weekday, steady, burst };
};

/** How many visits a source brings on a day, relative to other sources and days. */
export const visitsOn = (today: Today, source: DemoSource, busy: Profile['busy']): number => {
  const { weight, campaign, newsletter, burst } = source;
  if (burst !== undefined) return weight * today.burst(burst.key, burst.everyDays);
  if (newsletter) return weight * letterReaders(today) * today.steady;
  if (campaign !== undefined) return weight * today.steady * campaignPart(today, campaign);
  const holidays = busy !== undefined && today.month >= 11 ? busy.holidays : 1;
  return weight * today.steady * holidays * (busy !== undefined && isWeekend(today) ? busy.weekends : 1);
};

/** Most read a letter on the Tuesday on which it comes. */
const letterReaders = ({ weekday, date }: Today): number => {
  if (weekday === 2 && date <= 7) return 26;
  if (weekday === 3 && date >= 2 && date <= 8) return 9;
  return weekday === 4 && date >= 3 && date <= 9 ? 4 : 0.4;
};

/** 1 on the first day of a campaign, half of it after the last, 0 on other days. */
const campaignPart = ({ day, month }: Today, { from, days }: NonNullable<DemoSource['campaign']>): number => {
  const year = new Date(day * dayMs).getUTCFullYear() - (month < from[0] ? 1 : 0);
  const passed = day - Date.UTC(year, from[0] - 1, from[1]) / dayMs;
  return passed < 0 || passed >= days ? 0 : 1 - (0.5 * passed) / days;
};

const isWeekend = ({ weekday }: Today): boolean => weekday === 0 || weekday === 6;

/** From the middle of one month to the middle of the next, so that there are no steps. */
const between = (months: readonly number[], month: number, passed: number): number => {
  const other = passed < 0.5 ? month + 11 : month + 1;
  const far = Math.abs(passed - 0.5);
  return months[month]! * (1 - far) + months[other % 12]! * far;
};

/** Midnight to 23:00 where people are: at work, and in the evening at home. */
const workHours = [
  1, 0.6, 0.4, 0.3, 0.4, 0.8, 2, 4, 7.5, 9.5, 10, 9.5, 7.5, 8.5, 9.5, 9, 8, 6.5, 5, 4.6, 4.8, 4.6, 3.6, 2,
];
const freeHours = [
  2, 1.2, 0.8, 0.5, 0.4, 0.5, 1, 2, 3.6, 5.2, 6.2, 6.4, 6, 6, 6.2, 6.4, 6.4, 6.2, 6, 6.4, 7, 6.6, 5, 3.2,
];

/** A moment of the UTC day at which somebody whose clock is `utcHours` ahead is likely to come. */
export const momentOf = (chance: Chance, today: Today, utcHours: number): number => {
  const hours = isWeekend(today) ? freeHours : workHours;
  const local = chance.weighted(hours.map((weight, hour) => [hour, weight] as const)) + chance.number();
  const hour = (local - utcHours + 24) % 24;
  return today.day * dayMs + Math.min(dayMs - 1, Math.floor(hour * hourMs));
};
