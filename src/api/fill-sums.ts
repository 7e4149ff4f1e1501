/**
 * Sums days of sites, and keeps that (store/day/day-sums.ts): new days, and those whose hits or
 * whose site's filters are others than those that were summed.
 */
import { dayMs } from '../model/time.ts';
import { QueryBusy } from '../query/errors.ts';
import type { AnswerOf, Filter, Query, Question, Report } from '../query/query.ts';
import {
  keptDimensions,
  keptEdges,
  keyIn,
  keyOf,
  nameByTime,
  namesBy,
  packTimes,
} from '../query/questions/kept-sums.ts';
import { touchedBy } from '../query/removal-rules/hits-of-rule.ts';
import { ruledDays } from '../query/removal-rules/ruled-days.ts';
import { numbersIn, partsOfVersion, summedVersion } from '../query/summed-days.ts';
import type { Database } from '../store/database.ts';
import { type DayOutline, dayReader } from '../store/day/day-reader.ts';
import { type DaySum, daySums, type StoredSum } from '../store/day/day-sums.ts';
import { byDay, type UnitedDays, unitedDays } from '../store/day/united-days.ts';
import { type Rule, rules } from '../store/removal-rules.ts';

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

/**
 * Asks for sums of a day, of which rules may leave hits out. None where visitors may come on other
 * days.
 */
export const sumsOfDay = async (
  run: (query: Query) => Promise<Report>,
  { id: siteId, currency, sets }: SummedSite,
  day: number,
  all: readonly Rule[],
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
  const touching = Buffer.from(`${await touchedBy(run, siteId, all, day)}`);
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
      // Says that the day was looked at, once the others are kept, and which rules touch it.
      { name: keyOf(filters), data: touching },
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
  const [sums, isSameAs] = [daySums(db), versionTeller(db, outline)];
  const [rulesIn, renewDay] = [rulesOfVersion(db), dayRenewer(db, run, isSameAs)];
  /** What was asked in vain. */
  const failed = new Set<string>();

  const fillDay = async function* (site: SummedSite, set: SumSet, day: number, version: string): AsyncGenerator<void> {
    const asked = `${site.id} ${day} ${version} ${keyOf(set.filters)}`;
    if (failed.has(asked)) return;
    const isSame = isSameAs(site, day, version);
    const found = await sumsOfDay(run, { ...site, sets: [set] }, day, rulesIn(site.id, version), part).catch(error => {
      if (!(error instanceof QueryBusy)) failed.add(asked);
      throw error;
    });
    const steps = sums.put(site.id, day, version, found);
    while (isSame() && !steps.next().done) yield;
  };

  const lookAt = async function* (site: SummedSite, ofDay: readonly DayOutline[]): AsyncGenerator<void> {
    const [{ day }, version] = [ofDay[0]!, summedVersion(ofDay, site)];
    if (version === null || hitsOf(ofDay) < hitsMin) return;
    const stored = (): (StoredSum | undefined)[] =>
      site.sets.map(({ filters }) => sums.between(site.id, keyOf(filters), day, day)[0]);
    const attempt = async function* (steps: AsyncGenerator<void>): AsyncGenerator<void> {
      try {
        yield* steps;
      } catch (error) {
        onFailed(site, day, error);
        yield;
      }
    };
    const before = stored().flatMap(sum => sum ?? []);
    const known = new Map(before.map(sum => [sum.version, Buffer.from(sum.data).toString()]));
    known.delete(version);
    if (known.size > 0) yield* attempt(renewDay(site, day, known, version));
    const now = stored();
    for (const [i, set] of site.sets.entries())
      if (now[i]?.version !== version) yield* attempt(fillDay(site, set, day, version));
  };

  return async function* (site) {
    const keys = site.sets.map(({ filters }) => keyOf(filters));
    for (const name of sums.names(site.id)) if (!keys.includes(keyIn(name))) yield* sums.dropName(site.id, name);
    const { first, last } = sums.span(site.id);
    for (let to = last + 1; to > first; to -= daysAtOnce) {
      const from = Math.max(first, to - daysAtOnce);
      const days = byDay(outline(site.id, from * dayMs, to * dayMs)).reverse();
      for (const ofDay of days) yield* lookAt(site, ofDay);
      const there = new Set(days.map(([of]) => of!.day));
      for (const { day } of sums.between(site.id, keys[0] ?? '', from, to - 1))
        if (!there.has(day)) sums.dropDay(site.id, day);
      yield;
    }
  };
};

/** Gives what tells whether a day is still of a version, as far as rules are known now. */
const versionTeller = (db: Database, outline: UnitedDays['outline']) => {
  const { highestId } = rules(db);
  return ({ id, currency }: SummedSite, day: number, version: string): (() => boolean) => {
    const highestRule = highestId();
    return () => {
      const [now = []] = byDay(outline(id, day * dayMs, (day + 1) * dayMs));
      return highestId() === highestRule && summedVersion(now, { currency }) === version;
    };
  };
};

const rulesOfVersion = (db: Database): ((siteId: number, version: string) => Rule[]) => {
  const { ofSite } = rules(db);
  return (siteId, version) => {
    const ids = new Set(partsOfVersion(version).rules);
    return ofSite(siteId).filter(({ id }) => ids.has(id));
  };
};

/**
 * Rules come and go, and most touch few days: what was summed of the others holds. Of sums by
 * version, `known` has which rules touch the day.
 */
const dayRenewer = (
  db: Database,
  run: (query: Query) => Promise<Report>,
  isSameAs: ReturnType<typeof versionTeller>,
) => {
  const [{ renew }, rulesIn] = [daySums(db), rulesOfVersion(db)];
  return async function* (
    site: SummedSite,
    day: number,
    known: ReadonlyMap<string, string>,
    version: string,
  ): AsyncGenerator<void> {
    const [now, isSame] = [partsOfVersion(version), isSameAs(site, day, version)];
    for (const [before, touching] of known) {
      const { hits, rules } = partsOfVersion(before);
      const isUndone = numbersIn(touching).some(id => !now.rules.includes(id));
      if (hits !== now.hits || isUndone) continue;
      const added = rulesIn(site.id, version).filter(({ id }) => !rules.includes(id));
      if ((await touchedBy(run, site.id, added, day)).length > 0) continue;
      const steps = renew(site.id, day, before, version);
      while (isSame() && !steps.next().done) yield;
    }
  };
};

const hitsOf = (ofDay: readonly DayOutline[]): number =>
  // Parts of several sources are united: each says how many hits the day has.
  ofDay.reduce((sum, of) => sum + (of.sealed ? of.hits / (of.part.sources === undefined ? 1 : ofDay.length) : 0), 0);
