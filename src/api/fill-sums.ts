/**
 * Sums days of sites, and keeps that (store/day/day-sums.ts): new days, and those whose hits or
 * whose site's filters are others than those that were summed.
 */
import { dayMs } from '../model/time.ts';
import { QueryBusy } from '../query/errors.ts';
import type { AnswerOf, Filter, Query, Question, Report } from '../query/query.ts';
import { keptDimensions, keptEdges, keyIn, keyOf, nameByTime, namesBy, packTimes } from '../query/reports/kept-sums.ts';
import { ruledDays } from '../query/rules/ruled-days.ts';
import { summedVersion } from '../query/summed-days.ts';
import type { Database } from '../store/database.ts';
import { type DayOutline, dayReader } from '../store/day/day-reader.ts';
import { type DaySum, daySums } from '../store/day/day-sums.ts';
import { byDay, unitedDays } from '../store/day/united-days.ts';
import { rules } from '../store/rules.ts';

/** A site, and of which hits sums are kept. */
export interface SummedSite {
  id: number;
  currency: string;
  sets: SumSet[];
}

/** Sums of the hits that pass some filters. */
export interface SumSet {
  filters: Filter[];
  /** Only sums by time, and none by dimensions. */
  isByTime?: true;
}

export interface SumBounds {
  /** Days of fewer hits are scanned as quickly. */
  hitsMin: number;
  /** A sum takes at most this part of what a scan reads. */
  part: number;
}

const usualBounds: SumBounds = { hitsMin: 10_000, part: 1 / 4 };

/** Days that are looked at together. */
const daysAtOnce = 64;

/** Asks for sums of a day. None where visitors may come on other days. */
export const sumsOfDay = async (
  run: (query: Query) => Promise<Report>,
  { id: siteId, currency, sets }: SummedSite,
  day: number,
  part: number = usualBounds.part,
): Promise<DaySum[]> => {
  const times = keptEdges.map((edges): Question => ({ kind: 'daySum', by: { edges }, part }));
  const named = Object.entries(keptDimensions);
  const byNames = named.map(([, by]): Question => ({ kind: 'daySum', by, part }));
  const slices = sets.map(({ filters, isByTime }) => {
    const questions = isByTime ? times : [...times, ...byNames];
    return { from: day * dayMs, to: (day + 1) * dayMs, filters, questions };
  });
  const report = await run({ siteId, currency, minorRates: {}, slices });
  return sets.flatMap(({ filters }, i) => {
    const rows = report[i]!.map(answer => (answer as AnswerOf<'daySum'>).rows);
    const ofTime = rows.slice(0, times.length).flat();
    const isWhole = ofTime.length === 2 * times.length && !ofTime.includes(null);
    return [
      ...(isWhole ? [{ name: nameByTime(filters), data: packTimes(ofTime as Uint8Array[]) }] : []),
      ...rows.slice(times.length).flatMap((both, n) => {
        const names = namesBy(named[n]![0], filters);
        return both.flatMap((data, row) => (data === null ? [] : [{ name: names[row]!, data }]));
      }),
      // Says that the day was looked at, once the others are kept.
      { name: keyOf(filters), data: new Uint8Array(0) },
    ];
  });
};

/**
 * Sums the days of a site that need it, set by set. Gives way after each short write, and between
 * looks at other days.
 */
export type FillSums = (site: SummedSite) => AsyncGenerator<void>;

/**
 * `run` answers of the same database. Where it rejects, `onFailed` may throw to stop; otherwise
 * that set of that day is not asked for again.
 */
export const sumFiller = (
  db: Database,
  run: (query: Query) => Promise<Report>,
  onFailed: (site: SummedSite, day: number, error: unknown) => void,
  { hitsMin, part }: SumBounds = usualBounds,
): FillSums => {
  const { outline } = ruledDays(db, unitedDays(dayReader(db, 0)));
  const sums = daySums(db);
  const { highestId } = rules(db);
  /** What was asked in vain. */
  const failed = new Set<string>();

  const fillDay = async function* (site: SummedSite, set: SumSet, day: number, version: string): AsyncGenerator<void> {
    const asked = `${site.id} ${day} ${version} ${keyOf(set.filters)}`;
    if (failed.has(asked)) return;
    const highestRule = highestId();
    const found = await sumsOfDay(run, { ...site, sets: [set] }, day, part).catch(error => {
      if (!(error instanceof QueryBusy)) failed.add(asked);
      throw error;
    });
    const isSame = (): boolean => {
      const [now = []] = byDay(outline(site.id, day * dayMs, (day + 1) * dayMs));
      return highestId() === highestRule && summedVersion(now, site) === version;
    };
    const steps = sums.put(site.id, day, version, found);
    while (isSame() && !steps.next().done) yield;
  };

  return async function* (site) {
    const keys = site.sets.map(({ filters }) => keyOf(filters));
    for (const name of sums.names(site.id)) if (!keys.includes(keyIn(name))) yield* sums.dropName(site.id, name);
    const { first, last } = sums.span(site.id);
    for (let to = last + 1; to > first; to -= daysAtOnce) {
      const from = Math.max(first, to - daysAtOnce);
      const known = keys.map(
        key => new Map(sums.between(site.id, key, from, to - 1).map(({ day, version }) => [day, version])),
      );
      const days = byDay(outline(site.id, from * dayMs, to * dayMs)).reverse();
      for (const ofDay of days) {
        const { day } = ofDay[0]!;
        const version = summedVersion(ofDay, site);
        const sets = site.sets.filter((_, i) => known[i]!.get(day) !== version);
        if (version === null || hitsOf(ofDay) < hitsMin) continue;
        for (const set of sets) {
          try {
            yield* fillDay(site, set, day, version);
          } catch (error) {
            onFailed(site, day, error);
            yield;
          }
        }
      }
      const there = new Set(days.map(([of]) => of!.day));
      for (const day of known[0]?.keys() ?? []) if (!there.has(day)) sums.dropDay(site.id, day);
      yield;
    }
  };
};

const hitsOf = (ofDay: readonly DayOutline[]): number =>
  // Parts of several sources are united: each says how many hits the day has.
  ofDay.reduce((sum, of) => sum + (of.sealed ? of.hits / (of.part.sources === undefined ? 1 : ofDay.length) : 0), 0);
