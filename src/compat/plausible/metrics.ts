/** Plausible's metrics: what each is worked out from, and how it is written. */
import { currencyDigits } from '../../model/currency.ts';
import { quotient } from '../../model/metrics.ts';
import type { TableMetricName } from '../../model/table-metrics.ts';

/** What is known of the hits of a row, and of all hits. */
export interface RowFacts {
  /** Null where there is nothing to work it out from. */
  value(metric: TableMetricName): number | null;
  /** Visitors of all that is asked; null where imported days do not tell them. */
  allVisitors: number | null;
  /** Visitors without the filters on goals and properties, of all and of the row's dimension. */
  visitorsBefore: number | null;
  groupBefore: number;
  currency: string;
}

export interface PlausibleMetric {
  needs: readonly TableMetricName[];
  value(row: RowFacts): unknown;
  /** The metric of ours that orders rows as this one does. */
  order?: TableMetricName;
  /** What it is not answered without. */
  requires?: 'goal' | 'page' | 'dimension';
  /** Whether it is known of goals, which are counted apart. */
  isOfGoals?: true;
  /** Changes are told as a difference of percentages. */
  isPercentage?: true;
  /** In a bucket of time without hits. */
  empty: unknown;
}

const round = (value: number, digits: number): number =>
  Math.round((value + Number.EPSILON) * 10 ** digits) / 10 ** digits;
const percent = (part: number | null, whole: number | null): number | null =>
  part === null || whole === null ? null : round(quotient(part * 100, whole), 1);

const plain = (metric: TableMetricName, digits: number, empty: number | null = 0): PlausibleMetric => ({
  needs: [metric],
  order: metric,
  empty,
  value(row) {
    const value = row.value(metric);
    return value === null ? null : round(value, digits);
  },
});
const ofVisitors = (
  value: (row: RowFacts) => number | null,
  requires: PlausibleMetric['requires'],
): PlausibleMetric => ({
  needs: ['visitors'],
  value,
  ...(requires && { requires }),
  isOfGoals: true,
  empty: 0,
});
const visitors = (row: RowFacts): number | null => row.value('visitors');
/** Of a page no events are told, and of an event no page views. */
const conversions = (row: RowFacts): number | null => {
  const [pageviews, events] = [row.value('pageviews'), row.value('events')];
  return pageviews === null && events === null ? null : (pageviews ?? 0) + (events ?? 0);
};

const revenue = (
  amount: (row: RowFacts) => number,
): Pick<PlausibleMetric, 'value' | 'requires' | 'isOfGoals' | 'empty'> => ({
  value: row => money(amount(row), row.currency),
  requires: 'goal',
  isOfGoals: true,
  empty: null,
});

export const plausibleMetrics: Readonly<Record<string, PlausibleMetric>> = {
  visitors: { ...plain('visitors', 0), isOfGoals: true },
  visits: { ...plain('visits', 0), isOfGoals: true },
  pageviews: plain('pageviews', 0),
  views_per_visit: plain('viewsPerVisit', 2),
  bounce_rate: { ...plain('bounceRate', 0), isPercentage: true },
  visit_duration: plain('avgVisitSeconds', 0, null),
  events: { needs: ['pageviews', 'events'], value: conversions, isOfGoals: true, empty: 0 },
  scroll_depth: { ...plain('scroll', 0, null), requires: 'page' },
  time_on_page: { ...plain('secondsOnPage', 0, null), requires: 'page' },
  percentage: {
    ...ofVisitors(row => percent(visitors(row), row.allVisitors), 'dimension'),
    order: 'visitors',
  },
  conversion_rate: {
    ...ofVisitors(row => percent(visitors(row), row.visitorsBefore), 'goal'),
    order: 'visitors',
  },
  group_conversion_rate: ofVisitors(row => percent(visitors(row), row.groupBefore), 'goal'),
  total_revenue: { needs: ['revenue'], order: 'revenue', ...revenue(row => row.value('revenue') ?? 0) },
  average_revenue: {
    needs: ['revenue', 'pageviews', 'events'],
    ...revenue(row => quotient(row.value('revenue') ?? 0, conversions(row) ?? 0)),
  },
};

/** An amount as Plausible writes money, from minor units. */
const money = (minor: number, currency: string): object => {
  const value = minor / 10 ** currencyDigits(currency);
  const format = (options: Intl.NumberFormatOptions): string =>
    new Intl.NumberFormat('en', { style: 'currency', currency, ...options }).format(value);
  const short = format({ notation: 'compact', minimumFractionDigits: 1, maximumFractionDigits: 1 });
  return { value: round(value, 3), currency, short, long: format({}) };
};

/** What an order compares: of money its value. */
export const comparedValue = (value: unknown): number | null =>
  typeof value === 'object' && value !== null ? (value as { value: number }).value : (value as number | null);
