/** The oracle of days that came as sums, written from docs/importing.md, "Sums". */
import type { Answer, AnswerOf, Question, Slice } from '../src/query/query.ts';

export interface NaiveSum {
  visitors: number;
  visits: number;
  bounces: number;
  visitMs: number;
  pageviews: number;
}

/** A day, whole and by page and browser. */
export interface NaiveSumDay {
  fromAt: number;
  toAt: number;
  whole: NaiveSum;
  path: ReadonlyMap<string, NaiveSum>;
  browser: ReadonlyMap<string, NaiveSum>;
}

const names = ['visitors', 'visits', 'bounces', 'visitMs', 'pageviews'] as const;

/** The days that count: those before the first hit. */
export const countingDays = (days: readonly NaiveSumDay[], firstAt: number | null): NaiveSumDay[] =>
  days.filter(({ toAt }) => toAt <= (firstAt ?? Number.POSITIVE_INFINITY));

/** Whether days concern a question in a way that this oracle cannot tell: under filters, and in tables. */
export const isUntold = (days: readonly NaiveSumDay[], slice: Slice, question: Question): boolean => {
  const filters = slice.filters.filter(filter => !('field' in filter && filter.field === 'suspect' && filter.negated));
  const isConcerned = days.some(({ fromAt, toAt }) => fromAt < slice.to && toAt > slice.from);
  const addsUp = ['totals', 'series', 'breakdown', 'table', 'metricSeries'].includes(question.kind);
  const isTable = question.kind === 'table' || question.kind === 'metricSeries';
  return isConcerned && addsUp && (filters.length > 0 || isTable);
};

/** The answer of own hits, with what the days add. */
export const naiveWithSums = (days: readonly NaiveSumDay[], slice: Slice, question: Question, own: Answer): Answer => {
  const within = (from: number, to: number) => days.filter(({ fromAt, toAt }) => fromAt >= from && toAt <= to);
  const inSlice = within(slice.from, slice.to);
  if (own.kind === 'firstHit' && days.length > 0)
    return { ...own, at: Math.min(own.at ?? Number.POSITIVE_INFINITY, ...days.map(({ fromAt }) => fromAt)) };
  if (own.kind === 'totals') {
    const totals = { ...own.totals };
    for (const { whole } of inSlice) for (const name of names) totals[name] += whole[name];
    return { ...own, totals };
  }
  if (own.kind === 'series' && question.kind === 'series') {
    const { bounds } = question;
    const added = (name: 'visitors' | 'pageviews' | 'visits'): number[] =>
      own[name].map((count, i) => {
        const ofBucket = within(Math.max(bounds[i]!, slice.from), Math.min(bounds[i + 1]!, slice.to));
        return ofBucket.reduce((sum, { whole }) => sum + whole[name], count ?? 0);
      });
    return { ...own, visitors: added('visitors'), pageviews: added('pageviews'), visits: added('visits') };
  }
  const isOfValues =
    question.kind === 'breakdown' && (question.dimension === 'path' || question.dimension === 'browser');
  return isOfValues ? breakdownWith(inSlice, question.dimension as 'path', own as AnswerOf<'breakdown'>) : own;
};

/** `own` has all rows. */
const breakdownWith = (
  days: readonly NaiveSumDay[],
  dimension: 'path' | 'browser',
  { rows }: AnswerOf<'breakdown'>,
): Answer => {
  const all = new Map(rows.map(row => [row.name, { ...row }]));
  for (const day of days)
    for (const [name, { visitors, pageviews }] of day[dimension]) {
      const row = all.get(name) ?? { name, value: 0, events: 0 };
      all.set(name, { name, value: row.value + visitors, events: row.events + pageviews });
    }
  const ranked = [...all.values()].sort(
    (a, b) => b.value - a.value || b.events - a.events || (a.name < b.name ? -1 : 1),
  );
  return { kind: 'breakdown', rows: ranked };
};
