/** The oracle of days that came as sums, written from docs/importing.md, "Sums". */
import type { TableMetricName } from '../src/model/table-metrics.ts';
import type { Answer, AnswerOf, Question, QuestionOf, Slice } from '../src/query/query.ts';

/** Null where the product does not tell. */
export type NaiveSum = Record<(typeof names)[number], number | null>;
const names = ['visitors', 'visits', 'bounces', 'visitMs', 'pageviews', 'events'] as const;

/** A day, whole and by page, browser and source; null where its import tells nothing of these on any day. */
export interface NaiveSumDay {
  fromAt: number;
  toAt: number;
  whole: NaiveSum;
  path: ReadonlyMap<string, NaiveSum> | null;
  browser: ReadonlyMap<string, NaiveSum> | null;
  referrer: ReadonlyMap<string, NaiveSum> | null;
}

const toldDimensions = ['path', 'browser', 'referrer'] as const;
type ToldDimension = (typeof toldDimensions)[number];

/** The days that count: those before the first hit. */
export const countingDays = (days: readonly NaiveSumDay[], firstAt: number | null): NaiveSumDay[] =>
  days.filter(({ toAt }) => toAt <= (firstAt ?? Number.POSITIVE_INFINITY));

/** Whether days concern a question in a way that this oracle cannot tell: under filters, and in tables. */
export const isUntold = (days: readonly NaiveSumDay[], slice: Slice, question: Question): boolean => {
  const filters = slice.filters.filter(filter => !('field' in filter && filter.field === 'suspect' && filter.negated));
  const isConcerned = days.some(({ fromAt, toAt }) => fromAt < slice.to && toAt > slice.from);
  if (question.kind !== 'table' && question.kind !== 'metricSeries') return false;
  const isTold = question.metrics.every(name => (toldMetrics as readonly string[]).includes(name));
  const isList = question.kind === 'table' && isTopValues(question);
  return isConcerned && (filters.length > 0 || !(question.kind === 'metricSeries' ? isTold : isList));
};

/** The answer of own hits, with what the days of each site add. */
export const naiveWithSums = (
  daysOfSites: readonly (readonly NaiveSumDay[])[],
  slice: Slice,
  question: Question,
  own: Answer,
): Answer => {
  const days = daysOfSites.flat();
  const within = (from: number, to: number) => days.filter(({ fromAt, toAt }) => fromAt >= from && toAt <= to);
  if (own.kind === 'firstHit' && days.length > 0)
    return { ...own, at: Math.min(own.at ?? Number.POSITIVE_INFINITY, ...days.map(({ fromAt }) => fromAt)) };
  if (own.kind === 'metricSeries' && question.kind === 'metricSeries') {
    const { metrics, bounds = [slice.from, slice.to] } = question;
    const rows = own.rows.map((row, i) => {
      const ofBucket = within(Math.max(bounds[i]!, slice.from), Math.min(bounds[i + 1]!, slice.to));
      return ofBucket.length === 0
        ? row
        : { ...row, values: valuesWith(metrics, row.values, ofBucket), imported: true as const };
    });
    return { ...own, rows };
  }
  if (question.kind !== 'table' || !isTopValues(question)) return own;
  const dimension = toldDimensions.find(name => name === question.dimension);
  if (dimension === undefined) return own;
  const inSlice = within(slice.from, slice.to);
  const telling = daysOfSites
    .map(ofSite => ofSite.filter(day => inSlice.includes(day)))
    .filter(ofSite => ofSite.every(day => day[dimension] !== null));
  return topValuesWith(telling.flat(), dimension, own as AnswerOf<'table'>);
};

export const isTopValues = ({ metrics, sort, descending, after }: QuestionOf<'table'>): boolean =>
  metrics.length === 1 && metrics[0] === 'visitors' && sort === 'visitors' && descending && after === null;

const toldMetrics = [
  'visitors',
  'visits',
  'bounces',
  'pageviews',
  'events',
  'revenue',
  'bounceRate',
  'avgVisitSeconds',
  'viewsPerVisit',
] as const;

/** Own values of metrics, with the days of a bucket; rates are worked out where what they are of was asked for. */
const valuesWith = (
  metrics: readonly TableMetricName[],
  values: readonly (number | null)[],
  days: readonly NaiveSumDay[],
): (number | null)[] => {
  const own = (name: TableMetricName): number => values[metrics.indexOf(name)] ?? 0;
  const added = (name: (typeof names)[number]): number => days.reduce((sum, { whole }) => sum + whole[name]!, 0);
  const count = (name: Exclude<(typeof names)[number], 'visitMs'>): number => own(name) + added(name);
  const per = (part: number): number => (count('visits') === 0 ? 0 : part / count('visits'));
  const seconds = () => (Math.round(own('avgVisitSeconds') * own('visits') * 1000) + added('visitMs')) / 1000;
  type Told = [of: readonly (typeof names)[number][], value: () => number];
  const told: Partial<Record<TableMetricName, Told>> = {
    ...Object.fromEntries(
      (['visitors', 'visits', 'bounces', 'pageviews', 'events'] as const).map((name): [string, Told] => [
        name,
        [[name], () => count(name)],
      ]),
    ),
    bounceRate: [['bounces', 'visits'], () => per(count('bounces') * 100)],
    avgVisitSeconds: [['visitMs', 'visits'], () => per(seconds())],
    viewsPerVisit: [['pageviews', 'visits'], () => per(count('pageviews'))],
  };
  return metrics.map((metric, i) => {
    if (told[metric] === undefined) return values[i]!;
    const [of, value] = told[metric];
    return of.every(name => days.every(({ whole }) => whole[name] !== null)) ? value() : null;
  });
};

/** `own` has all rows. */
const topValuesWith = (days: readonly NaiveSumDay[], dimension: ToldDimension, own: AnswerOf<'table'>): Answer => {
  const all = new Map(own.rows.map(row => [row.name, { ...row }]));
  for (const day of days)
    for (const [name, { visitors, pageviews }] of day[dimension]!) {
      const { hits, values, otherRevenue } = all.get(name) ?? { hits: 0, values: [null], otherRevenue: {} };
      const told = visitors === null ? values[0]! : (values[0] ?? 0) + visitors;
      all.set(name, { name, hits: hits + (pageviews ?? 0), values: [told], otherRevenue });
    }
  const rank = ([visitors]: readonly (number | null)[]): number => visitors ?? -1;
  const ranked = [...all.values()].sort(
    (a, b) => rank(b.values) - rank(a.values) || b.hits - a.hits || (a.name < b.name ? -1 : 1),
  );
  return { kind: 'table', rows: ranked, total: ranked.length, next: null };
};
