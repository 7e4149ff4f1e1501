/**
 * The columns of a table with a row per value of a dimension (docs/definitions.md, "Rows of a
 * table"): the headline metrics and more, one row each.
 */
import { type Metric, metrics, quotient, type Totals } from './metrics.ts';

/** What is known of the hits with one value, and of their visits. What is not asked for is 0. */
export interface RowTotals extends Totals {
  entries: number;
  exits: number;
  conversions: number;
  /** Medians; null where no page view tells. */
  secondsOnPage: number | null;
  scroll: number | null;
}

export const noTotals: Readonly<RowTotals> = {
  visitors: 0,
  visits: 0,
  bounces: 0,
  visitMs: 0,
  pageviews: 0,
  events: 0,
  revenue: 0,
  otherRevenue: {},
  entries: 0,
  exits: 0,
  conversions: 0,
  secondsOnPage: null,
  scroll: null,
};

/** The columns of hits that medians are of. */
export const medianNames = ['secondsOnPage', 'scroll'] as const satisfies (keyof RowTotals)[];
export type MedianName = (typeof medianNames)[number];

export type RowPart = Exclude<keyof RowTotals, 'otherRevenue'>;

/** As a Metric; null where there is nothing to work it out from. */
export interface TableMetric extends Omit<Metric, 'needs' | 'value'> {
  needs: readonly RowPart[];
  value: (row: RowTotals) => number | null;
}

export const tableMetrics = {
  ...metrics,
  entries: {
    label: 'Entries',
    meaning: 'Page views that were the first of their visit',
    needs: ['entries'],
    value: row => row.entries,
  },
  exits: {
    label: 'Exits',
    meaning: 'Page views that were the last of their visit',
    needs: ['exits'],
    value: row => row.exits,
  },
  exitRate: {
    label: 'Exit rate %',
    meaning: 'Exits per hundred page views',
    needs: ['exits', 'pageviews'],
    value: row => quotient(row.exits * 100, row.pageviews),
  },
  secondsOnPage: {
    label: 'Seconds on page',
    meaning: 'Median time that a page was looked at, of the page views where it is known',
    needs: ['secondsOnPage'],
    value: row => row.secondsOnPage,
  },
  scroll: {
    label: 'Scroll depth %',
    meaning: 'Median of the largest part of the page that was seen, of the page views where it is known',
    needs: ['scroll'],
    value: row => row.scroll,
  },
  conversions: {
    label: 'Conversions',
    meaning: 'Visits with a custom or revenue event that has a name, on whichever page it was',
    needs: ['conversions'],
    value: row => row.conversions,
  },
  conversionRate: {
    label: 'Conversion rate %',
    meaning: 'Conversions per hundred visits',
    needs: ['conversions', 'visits'],
    value: row => quotient(row.conversions * 100, row.visits),
  },
  revenuePerVisitor: {
    label: 'Revenue per visitor',
    meaning: 'Revenue divided by visitors; in the API in minor units',
    needs: ['revenue', 'visitors'],
    value: row => quotient(row.revenue, row.visitors),
    isMoney: true,
  },
} as const satisfies Record<string, TableMetric>;

export type TableMetricName = keyof typeof tableMetrics;
export const tableMetricNames = Object.keys(tableMetrics) as TableMetricName[];

/** The totals that some metrics are worked out from, each once. */
export const partsFor = (names: readonly TableMetricName[]): RowPart[] => [
  ...new Set(names.flatMap(name => tableMetrics[name].needs)),
];
