/** The oracle of what is recorded besides hits, written from docs/definitions.md and docs/api.md, "Beyond". */
import { type Outcome, outcomes } from '../src/model/outcomes.ts';
import { hourMs, minuteMs } from '../src/model/time.ts';
import { type VitalName, vitalNames, vitals } from '../src/model/vitals.ts';
import type { Answer, FieldFilter, Question, QuestionOf } from '../src/query/query.ts';
import { naiveMatch } from './naive.ts';

/** How a hit ended, and what it left besides. */
export interface NaiveRecord {
  at: number;
  outcome: Outcome;
  crawl?: { name: string; path: string; status: string };
  vital?: { path: string; device: string } & Partial<Record<VitalName, number>>;
}

const slotMs = 15 * minuteMs;
const outcomeNames = Object.keys(outcomes) as Outcome[];
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** The answer to a question about records; undefined to any other. */
export const naiveRecordsAnswer = (records: readonly NaiveRecord[], question: Question): Answer | undefined => {
  if (question.kind === 'outcomes') return outcomesIn(records, question);
  if (question.kind === 'crawls') return crawlsIn(records, question);
  return question.kind === 'vitals' ? vitalsIn(records, question) : undefined;
};

/** Hours belong to the bucket that they begin in. */
const outcomesIn = (records: readonly NaiveRecord[], { bounds }: QuestionOf<'outcomes'>): Answer => {
  const counts = bounds.slice(1).flatMap((to, bucket) => {
    const inBucket = records.filter(({ at }) => at - (at % hourMs) >= bounds[bucket]! && at - (at % hourMs) < to);
    const names = outcomeNames.filter(name => inBucket.some(({ outcome }) => outcome === name));
    return names.map(outcome => {
      return { bucket, outcome, hits: inBucket.filter(one => one.outcome === outcome).length };
    });
  });
  return { kind: 'outcomes', counts, otherTexts: [] };
};

/** Quarters of an hour belong to the bucket that they end in, and the last bucket has the one that it ends in. */
const crawlsIn = (records: readonly NaiveRecord[], { bounds, by, filters, limit }: QuestionOf<'crawls'>): Answer => {
  const found = records.flatMap(({ at, crawl }) => {
    const passes = crawl && filters.every(filter => naiveMatch(filter as FieldFilter, crawl[filter.field]));
    return passes ? [{ ...crawl, quarter: Math.floor(at / slotMs) }] : [];
  });
  const series = bounds.slice(1).map((to, bucket) => {
    const from = Math.floor(bounds[bucket]! / slotMs);
    const end = bucket === bounds.length - 2 ? Math.ceil(to / slotMs) : Math.floor(to / slotMs);
    return found.filter(({ quarter }) => quarter >= from && quarter < end);
  });
  const all = series.flat();
  const groups = [...new Set(all.map(crawl => crawl[by]))].map(name => {
    const of = all.filter(crawl => crawl[by] === name);
    return { name, crawls: of.length, lastAt: Math.max(...of.map(({ quarter }) => quarter)) * slotMs };
  });
  groups.sort((a, b) => b.crawls - a.crawls || compare(a.name, b.name));
  return { kind: 'crawls', total: all.length, groups: groups.slice(0, limit), series: series.map(of => of.length) };
};

const vitalsIn = (records: readonly NaiveRecord[], { from, to, by, filters, limit }: QuestionOf<'vitals'>): Answer => {
  const found = records.flatMap(({ at, vital }) => {
    const passes = vital && filters.every(filter => naiveMatch(filter as FieldFilter, vital[filter.field]));
    return passes && at >= from && at < to ? [vital] : [];
  });
  const groups = [...new Set(found.map(vital => vital[by]))]
    .map(name => ({ name, of: found.filter(vital => vital[by] === name) }))
    .sort((a, b) => b.of.length - a.of.length || compare(a.name, b.name))
    .slice(0, limit)
    .map(({ name, of }) => summaryOf(name, of));
  return { kind: 'vitals', all: summaryOf('', found), groups };
};

const summaryOf = (name: string, of: readonly NonNullable<NaiveRecord['vital']>[]) => ({
  name,
  reports: of.length,
  metrics: Object.fromEntries(
    vitalNames.map(metric => {
      const { good, poor } = vitals[metric];
      const values = of.flatMap(vital => vital[metric] ?? []).sort((a, b) => a - b);
      const p75 = values[Math.ceil(0.75 * values.length) - 1]!;
      const counted = {
        ...{ reports: values.length, p75, good: values.filter(value => value <= good).length },
        poor: values.filter(value => value > poor).length,
      };
      return [metric, values.length === 0 ? null : counted];
    }),
  ) as Extract<Answer, { kind: 'vitals' }>['all']['metrics'],
});
