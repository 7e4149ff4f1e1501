/**
 * The demo's hits, day by day: how many visits a day has, who makes them and what they do.
 * Everything follows from the seed and the last day, so the same call gives the same hits.
 */
import { automationBits, eventTypes, type HitType } from '../../model/hit.ts';
import { dayMs, utcDayOf } from '../../model/time.ts';
import { momentOf, type Today, todayOf, visitsOn } from './calendar.ts';
import { crawlReports, type DemoReport } from './crawlers.ts';
import { peopleOf } from './people.ts';
import { type DemoSource, type Profile, profiles } from './profile.ts';
import { type Chance, chanceFrom, seedOf, type Weighted } from './random.ts';
import { type DemoHit, visitHits } from './visits.ts';

export interface DemoOptions {
  seed: number;
  /** Nothing happens after this, in UTC milliseconds. */
  until: number;
  days: number;
  /** Pageviews and events over all sites and days, approximately. */
  hits: number;
}

/** One thing that arrives; `site` is a place in `profiles`. */
export type DemoLine = (DemoHit | DemoReport) & { site: number };

export interface DemoDay {
  /** UTC day number. */
  day: number;
  /** In the order of time. */
  lines: DemoLine[];
}

/** Crawls per visit. */
const crawlsPerVisit = 0.3;
/** Share of visits that a program makes. */
const automatedShare = 0.006;

export function* demoDays({ seed, until, days, hits }: DemoOptions): Generator<DemoDay> {
  const lastDay = utcDayOf(until);
  const calendar = Array.from({ length: days }, (_, i) => todayOf(lastDay - days + 1 + i, lastDay, seed));
  const sites = profiles.map((profile, i) => siteOf(profile, i, calendar, seedOf(seed, i + 1), hits * profile.share));
  /** A visit that goes on after midnight. */
  let later: DemoLine[] = [];
  for (const today of calendar) {
    const end = Math.min((today.day + 1) * dayMs, until + 1);
    const all = [...later, ...sites.flatMap(site => site(today))].sort((a, b) => a.at - b.at);
    later = all.filter(({ at }) => at >= end);
    yield { day: today.day, lines: all.slice(0, all.length - later.length) };
  }
}

type Site = (today: Today) => DemoLine[];

const siteOf = (profile: Profile, site: number, calendar: readonly Today[], seed: number, hits: number): Site => {
  const people = peopleOf(profile, chanceFrom(seedOf(seed, 0)));
  const weightOf = (today: Today): number => sourcesOf(profile, today).reduce((sum, [, weight]) => sum + weight, 0);
  const visits = hits / hitsPerVisit(profile, calendar.at(-1)!);
  const scale = visits / calendar.reduce((sum, today) => sum + weightOf(today), 0);

  return today => {
    const chance = chanceFrom(seedOf(seed, today.day));
    const sources = sourcesOf(profile, today);
    const count = chance.count(weightOf(today) * scale);
    const lines: DemoLine[] = crawlReports(chance, profile, today.day, chance.count(count * crawlsPerVisit)).map(
      report => ({ ...report, site }),
    );
    for (let i = 0; i < count; i++) {
      const source = chance.weighted(sources);
      const person = people.visitor(source, today.day * dayMs);
      const at = momentOf(chance, today, person.country.utcHours);
      const automated = chance.is(automatedShare) ? { b: automationBits.webdriver } : {};
      for (const { hit, ...line } of visitHits(chance, profile, source, person, at)) {
        lines.push({ ...line, site, hit: { ...hit, ...automated } });
      }
      people.left(person);
    }
    return lines;
  };
};

const sourcesOf = (profile: Profile, today: Today): Weighted<DemoSource> =>
  profile.sources.map(source => [source, visitsOn(today, source, profile.busy)]);

/** Visits that are tried to learn how many hits a visit has. */
const trials = 1500;

/**
 * Average pageviews and events of a visit: tried out on an ordinary day, with a chance of its own.
 */
const hitsPerVisit = (profile: Profile, today: Today): number => {
  const chance: Chance = chanceFrom(1);
  const people = peopleOf(profile, chanceFrom(2));
  const sources = sourcesOf(profile, today);
  let hits = 0;
  for (let i = 0; i < trials; i++) {
    const source = chance.weighted(sources);
    const person = people.visitor(source, today.day * dayMs);
    hits += visitHits(chance, profile, source, person, 0).filter(({ hit }) => counted(source, hit.t)).length;
    people.left(person);
  }
  return hits / trials;
};

const countedTypes: ReadonlySet<unknown> = new Set<HitType>(['pageview', ...eventTypes]);
const counted = ({ who }: DemoSource, type: unknown): boolean => who !== 'staff' && countedTypes.has(type);
