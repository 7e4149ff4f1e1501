/**
 * What must be known of each site: the hits that it was given, by the way they came, without what was taken out. From that a
 * naive recount answers every question.
 */
import { utcDayOf } from '../../src/model/time.ts';
import type { Answer, Query, Question, Report, Slice } from '../../src/query/query.ts';
import type { QueryEngine } from '../../src/query/query-engine.ts';
import { type NaiveHit, type NaiveSite, naiveReport, naiveSelection, naiveWithout } from '../naive.ts';
import { naiveCut, naiveMarks, naiveUnited } from '../naive-days.ts';
import { type NaiveRecord, naiveRecordsAnswer } from '../naive-records.ts';
import { countingDays, isTopValues, isUntold, type NaiveSumDay, naiveWithSums } from '../naive-sums.ts';
import type { PastFormat, PastHit } from './formats.ts';
import { fieldsOf, type Said, type SaidSums, type VisitTexts } from './people.ts';

/** A hit with a visit of its own, and a number that no other has. */
export type Arrival = NaiveHit & { number: number };

interface Import {
  id: number;
  format: PastFormat;
  hits: Arrival[];
  /** What its file held of them. */
  past: readonly PastHit[];
  /** Times of the first and the last hit that it brought. */
  firstAt: number;
  lastAt: number;
}

/** What leaves hits out that came before it. */
export interface Rule {
  id: number;
  /** What it is about: a second one of it takes its place. */
  key: string;
  slice: Slice;
  /** The imports that were there: others bring hits that stay. */
  imports: readonly number[];
}

export interface SiteModel {
  id: number;
  domain: string;
  own: Arrival[];
  imports: Import[];
  rules: Rule[];
  /** Visitors with a cookie, and the day on which each came first, as far as the site knows. */
  firstDays: Map<string, number>;
  /** What came besides hits, and how all ended; by the way it came. */
  records: { importId: number | null; record: NaiveRecord }[];
  /** Days of another product's sums. */
  sums: { importId: number; days: SumDay[] }[];
}

type SumDay = SaidSums & Pick<NaiveSumDay, 'fromAt' | 'toAt'>;

export interface Whose {
  /** 16 hex digits. */
  visitor: string;
  persistent: boolean;
}

let numbers = 0;

/** A hit that came. `isNew` tells whether the visitor keeps count of days: a cookie that was seen on an earlier day. */
export const arrivalOf = (
  { firstDays }: SiteModel,
  at: number,
  said: Said,
  texts: VisitTexts,
  { visitor, persistent }: Whose,
): Arrival => {
  const day = utcDayOf(at);
  const seenBefore = persistent && (firstDays.get(visitor) ?? day) < day;
  const visit = { id: 0, day, visitor, persistent, seenBefore, ...texts };
  return { number: ++numbers, at, visit, ...fieldsOf(said) };
};

/** Remembers on which day visitors came first; marks alone are no coming. */
export const keepVisitors = ({ firstDays }: SiteModel, arrivals: readonly NaiveHit[]): void => {
  for (const { visit } of arrivals.filter(isCounting))
    if (visit.persistent) firstDays.set(visit.visitor, Math.min(visit.day, firstDays.get(visit.visitor) ?? visit.day));
};

/** Takes an import back: visitors whose first day was one of its days have the first of those that are left. */
export const undoImport = (site: SiteModel, id: number): void => {
  site.sums = site.sums.filter(({ importId }) => importId !== id);
  const gone = site.imports.find(one => one.id === id);
  if (gone === undefined) return;
  site.imports = site.imports.filter(one => one !== gone);
  site.records = site.records.filter(({ importId }) => importId !== id);
  const days = gone.hits.map(({ visit }) => visit.day);
  const [first, last] = [Math.min(...days), Math.max(...days)];
  for (const [visitor, day] of site.firstDays) if (day >= first && day <= last) site.firstDays.delete(visitor);
  keepVisitors(site, wholeOf(site));
};

/** All hits of the site. */
export const wholeOf = ({ own, imports }: SiteModel): NaiveSite => {
  const sources = [own, ...imports.map(({ hits }) => hits.toSorted((a, b) => a.at - b.at))];
  return naiveUnited(
    sources.map(source => {
      const { marks, others } = naiveMarks(naiveCut(source));
      return [...marks, ...others];
    }),
  );
};

/** What tells two rows of a format apart: whose they are, where the file names that, or else all that is kept. */
const rowOf = ({ naming }: PastFormat, { at, type, path, event, query, title, hostname, visit }: Arrival): string => {
  const { browser, os, device, country, region, city } = visit;
  const whose =
    naming === 'address'
      ? [query, title, hostname, browser, os, device, country, region, city]
      : [visit.visitor, visit.persistent];
  return JSON.stringify([at, type, path, event, ...whose]);
};

/** From the first to the last hit that the site collected on days in a row, and up to now where hits go on coming. */
const collectedSpans = ({ own }: SiteModel, now: number): { firstAt: number; lastAt: number }[] => {
  const spans: { firstAt: number; lastAt: number }[] = [];
  for (const { at } of own.filter(isCounting).toSorted((a, b) => a.at - b.at)) {
    const run = spans.at(-1);
    if (run !== undefined && utcDayOf(at) - utcDayOf(run.lastAt) <= 1) run.lastAt = at;
    else spans.push({ firstAt: at, lastAt: at });
  }
  const newest = spans.at(-1);
  if (newest !== undefined && utcDayOf(now) - utcDayOf(newest.lastAt) <= 1)
    newest.lastAt = Math.max(now, newest.lastAt);
  return spans;
};

/** The hits of an import, none of which is a mark, that are not here yet (docs/importing.md, "What is here already"). */
export const newOf = (site: SiteModel, format: PastFormat, hits: readonly Arrival[], now: number): Set<Arrival> => {
  const isSame = (other: PastFormat): boolean => other.format === format.format;
  const stored = new Map<string, number>();
  for (const { hits: of } of site.imports.filter(one => isSame(one.format)))
    for (const hit of of.filter(isCounting)) {
      const row = rowOf(format, hit);
      stored.set(row, (stored.get(row) ?? 0) + 1);
    }
  const spans = [...collectedSpans(site, now), ...site.imports.filter(one => !isSame(one.format))];
  return new Set(
    hits.filter(hit => {
      const row = rowOf(format, hit);
      const left = stored.get(row) ?? 0;
      if (left > 0) stored.set(row, left - 1);
      return left === 0 && !spans.some(({ firstAt, lastAt }) => hit.at >= firstAt && hit.at <= lastAt);
    }),
  );
};

/** The numbers of the hits that a rule leaves out. */
export const leftOutBy = (
  site: SiteModel,
  whole: NaiveSite,
  { slice, imports }: Omit<Rule, 'id' | 'key'>,
): Set<number> => {
  const later = new Set(
    site.imports.filter(({ id }) => !imports.includes(id)).flatMap(({ hits }) => hits.map(({ number }) => number)),
  );
  return new Set([...selected(whole, slice)].filter(number => !later.has(number)));
};

/** The site as it is to be read. */
export const siteOf = (site: SiteModel): NaiveSite => {
  const whole = wholeOf(site);
  const gone = new Set(site.rules.flatMap(rule => [...leftOutBy(site, whole, rule)]));
  return naiveWithout(whole, new Set(whole.flatMap(({ number }, i) => (gone.has(number!) ? [i] : []))));
};
export const isCounting = ({ type }: NaiveHit): boolean => type !== 'identify' && type !== 'duration';

/** The numbers of the hits that a slice selects. */
export const selected = (site: NaiveSite, slice: Slice): Set<number> => {
  const flags = naiveSelection(site, slice);
  return new Set(site.flatMap(({ number }, i) => (flags[i] === 1 ? [number!] : [])));
};

/** Drops what is older than a UTC day, and visitors of before who are on none that is left. */
export const dropBefore = (site: SiteModel, day: number): void => {
  const stays = ({ visit }: Arrival): boolean => visit.day >= day;
  site.own = site.own.filter(stays);
  for (const one of site.imports) one.hits = one.hits.filter(stays);
  site.records = site.records.filter(({ record: { at } }) => utcDayOf(at) >= day);
  for (const one of site.sums) one.days = one.days.filter(({ fromAt }) => utcDayOf(fromAt) >= day);
  const left = new Set(wholeOf(site).map(({ visit }) => visit.visitor));
  for (const [visitor, first] of site.firstDays) if (first < day && !left.has(visitor)) site.firstDays.delete(visitor);
};

/** A site as it is to be read. */
export interface Recounted {
  hits: NaiveSite;
  records: readonly NaiveRecord[];
  sums: readonly NaiveSumDay[];
}

/** The days of sums that count: those before the site's first hit. */
export const sumsOf = ({ sums }: SiteModel, hits: NaiveSite): NaiveSumDay[] => {
  const times = hits.filter(isCounting).map(({ at }) => at);
  const ofImport = ({ days }: SiteModel['sums'][number]): NaiveSumDay[] => {
    const tells = (by: 'path' | 'browser' | 'referrer'): boolean => days.some(day => day[by].size > 0);
    return days.map(day => ({
      ...day,
      ...(!tells('path') && { path: null }),
      ...(!tells('browser') && { browser: null }),
      ...(!tells('referrer') && { referrer: null }),
    }));
  };
  return countingDays(sums.flatMap(ofImport), times.length === 0 ? null : Math.min(...times));
};

/** Answers from recounts of sites, by their ids. `onUntold` learns that an answer is not what it should be. */
export const naiveEngine = (siteWith: (id: number) => Recounted, onUntold: () => void): QueryEngine => {
  const answer = (query: Query, slice: Slice, question: Question): Answer => {
    const { siteId, rollup = [siteId] } = query;
    const sites = (slice.site === undefined ? rollup : [slice.site]).map(siteWith);
    const records = sites.flatMap(site => site.records);
    const sums = sites.flatMap(site => site.sums);
    const ofRecords = naiveRecordsAnswer(records, question);
    if (ofRecords !== undefined) return ofRecords;
    if (isUntold(sums, slice, question)) onUntold();
    const hits = sites.flatMap(site => site.hits).sort((a, b) => a.at - b.at);
    // Of other tables no days are told: what own hits say of them is all.
    const isTable = question.kind === 'table' && isTopValues(question) && sums.length > 0;
    const wide = isTable ? { ...question, limit: Number.POSITIVE_INFINITY } : question;
    const own = naiveReport(hits, { ...query, slices: [{ ...slice, questions: [wide] }] })[0]![0]!;
    const all = naiveWithSums(
      sites.map(site => site.sums),
      slice,
      question,
      own,
    );
    if (!isTable || all.kind !== 'table' || all.rows.length <= question.limit) return all;
    const rows = all.rows.slice(0, question.limit);
    const { name, hits: count, values } = rows.at(-1)!;
    return { ...all, rows, next: { value: values[question.metrics.indexOf(question.sort)]!, hits: count, name } };
  };
  return {
    run: async (query): Promise<Report> =>
      query.slices.map(slice => slice.questions.map(question => answer(query, slice, question))),
  };
};
