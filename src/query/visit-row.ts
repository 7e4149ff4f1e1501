/** One visit as a row: every column of it, with its texts. */
import { dayMs } from '../model/time.ts';
import type { Day, TextName } from '../store/day.ts';
import type { DayIndex } from './day-index.ts';
import type { PlanContext } from './plan.ts';
import type { VisitRow } from './query.ts';
import { revenueOfVisit } from './revenue.ts';

/** 16 hex digits. */
export const visitorHex = (day: Day, visit: number): string => day.hashes()[visit]!.toString(16).padStart(16, '0');

/** UTC milliseconds. */
export const startedAt = (day: Day, visit: number): number => day.day * dayMs + day.numbers('started')[visit]!;

/** Stable while the day is open: ordinals within it are not. */
export const visitId = (day: Day, visit: number): string =>
  `${day.day}-${visitorHex(day, visit)}-${startedAt(day, visit)}`;

export const readVisit = (day: Day, index: DayIndex, visit: number, context: PlanContext): VisitRow => {
  const entry = (name: TextName): number => {
    const { codes, dictionary } = day.texts(name);
    return dictionary[codes[visit]!]!;
  };
  const text = (name: TextName): string | null => context.text(entry(name));
  const started = startedAt(day, visit);
  const pageviews = day.numbers('pageviews')[visit]!;
  const size = entry('screen');
  return {
    id: visitId(day, visit),
    started,
    ended: started + day.numbers('duration')[visit]!,
    visitor: visitorHex(day, visit),
    identified: text('identified'),
    entryPath: text('entryPath'),
    exitPath: text('exitPath'),
    referrer: text('referrer'),
    utmSource: text('utmSource'),
    utmCampaign: text('utmCampaign'),
    country: text('country'),
    region: text('region'),
    city: text('city'),
    language: text('language'),
    browser: text('browser'),
    os: text('os'),
    device: text('device'),
    width: size >>> 16,
    height: size & 0xffff,
    pageviews,
    events: day.numbers('hits')[visit]! - pageviews,
    bounce: pageviews <= 1,
    returning: day.numbers('newVisitor')[visit] === 0 || day.numbers('seenBefore')[visit] === 1,
    ...revenueOfVisit(day, index.hitsFrom, visit, context),
  };
};
