/** Visits of a day as rows: every column of them, with its texts. */
import { dayMs } from '../model/time.ts';
import type { Day, NumberName, TextName } from '../store/day/day.ts';
import type { DayIndex } from './day-index.ts';
import type { PlanContext } from './plan.ts';
import type { VisitRow } from './query.ts';
import { revenueOfVisit } from './revenue.ts';

export interface VisitReader {
  /** `<day>-<visitor>-<started>`: stable while the day is open, which ordinals within it are not. */
  id(visit: number): string;
  /** UTC milliseconds. */
  startedAt(visit: number): number;
  row(visit: number): VisitRow;
}

/** Columns are loaded when they are first needed, and looked up once for all rows. */
export const visitReader = (day: Day, { hitsFrom }: DayIndex, context: PlanContext): VisitReader => {
  const numbers = once((name: NumberName) => day.numbers(name));
  const texts = once((name: TextName) => day.texts(name));
  const hashes = once((_: 'visitor') => day.hashes());

  const visitorOf = (visit: number): string => hashes('visitor')[visit]!.toString(16).padStart(16, '0');
  const startedAt = (visit: number): number => day.day * dayMs + numbers('started')[visit]!;
  const idOf = (visit: number): string => `${day.day}-${visitorOf(visit)}-${startedAt(visit)}`;
  const entry = (name: TextName, visit: number): number => {
    const { codes, dictionary } = texts(name);
    return dictionary[codes[visit]!]!;
  };

  return {
    id: idOf,
    startedAt,
    row(visit) {
      const text = (name: TextName): string | null => context.text(entry(name, visit));
      const started = startedAt(visit);
      const pageviews = numbers('pageviews')[visit]!;
      const size = entry('screen', visit);
      return {
        id: idOf(visit),
        started,
        ended: started + numbers('duration')[visit]!,
        visitor: visitorOf(visit),
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
        events: numbers('hits')[visit]! - pageviews,
        bounce: pageviews <= 1,
        returning: numbers('newVisitor')[visit] === 0 || numbers('seenBefore')[visit] === 1,
        ...revenueOfVisit(day, hitsFrom, visit, context),
      };
    },
  };
};

/** Remembers what a function returned for each name. */
const once = <N, V>(load: (name: N) => V): ((name: N) => V) => {
  const loaded = new Map<N, V>();
  return name => {
    let value = loaded.get(name);
    if (value === undefined) {
      value = load(name);
      loaded.set(name, value);
    }
    return value;
  };
};
