/** The headline metrics (docs/definitions.md, "Metrics"), one row each, and their parts. */

/**
 * Sums over the visits and hits of a slice. Two slices of different days add up, field by field.
 */
export interface Totals {
  /** Distinct visitors with a hit in the slice. */
  visitors: number;
  /** Visits with a hit in the slice. */
  visits: number;
  /** Of those visits, the ones with at most one pageview in all. */
  bounces: number;
  /** Milliseconds those visits lasted in all. */
  visitMs: number;
  /** Pageview hits in the slice. */
  pageviews: number;
  /** Custom, outbound and revenue hits in the slice that have a name. */
  events: number;
  /**
   * Of the revenue hits in the slice that could be converted: minor units of the site's currency.
   */
  revenue: number;
  /** Of those that could not: minor units by currency. */
  otherRevenue: Record<string, number>;
}

export interface Metric {
  /** Row name in the CSV summary and heading of its columns; the currency follows that of money. */
  label: string;
  meaning: string;
  /** The totals that it is worked out from. */
  needs: readonly Exclude<keyof Totals, 'otherRevenue'>[];
  /** Exact; `rounded` is what people see. */
  value: (totals: Totals) => number;
  /** In minor units of the site's currency. */
  isMoney?: true;
  /** Whether the CSV summary leaves it out. */
  isNotInSummary?: true;
}

const round = (value: number, decimals: number): number => {
  const scale = 10 ** decimals;
  return Math.round((value + Number.EPSILON) * scale) / scale;
};

/** An exact quotient; 0 when there is nothing to divide by. */
export const quotient = (part: number, whole: number): number => (whole === 0 ? 0 : part / whole);

/** A count as it is, a rate to two decimals. */
export const rounded = (value: number): number => (Number.isInteger(value) ? value : round(value, 2));

/** A rounded quotient. */
export const ratio = (part: number, whole: number): number => rounded(quotient(part, whole));

/**
 * Percentage change of exact values, to one decimal; null when there is nothing to compare with.
 */
export const delta = (now: number, before: number | null): number | null =>
  before === null || before === 0 ? null : round(((now - before) * 100) / before, 1);

export const metrics = {
  visitors: {
    label: 'Unique visitors',
    meaning: 'Distinct visitors; a visitor is a browser on one UTC day',
    needs: ['visitors'],
    value: t => t.visitors,
  },
  pageviews: { label: 'Pageviews', meaning: 'Pages shown', needs: ['pageviews'], value: t => t.pageviews },
  visits: {
    label: 'Visits',
    meaning: 'Runs of hits of one visitor with gaps of at most 30 minutes',
    needs: ['visits'],
    value: t => t.visits,
  },
  bounces: {
    label: 'Bounces',
    meaning: 'Visits with at most one pageview; events do not clear a bounce',
    needs: ['bounces'],
    value: t => t.bounces,
  },
  bounceRate: {
    label: 'Bounce rate %',
    meaning: 'Bounces per hundred visits',
    needs: ['bounces', 'visits'],
    value: t => quotient(t.bounces * 100, t.visits),
  },
  avgVisitSeconds: {
    label: 'Avg visit seconds',
    meaning: 'Mean time from the first to the last hit of a visit',
    needs: ['visitMs', 'visits'],
    value: t => quotient(t.visitMs / 1000, t.visits),
  },
  viewsPerVisit: {
    label: 'Views per visit',
    meaning: 'Pageviews divided by visits',
    needs: ['pageviews', 'visits'],
    value: t => quotient(t.pageviews, t.visits),
  },
  events: {
    label: 'Events',
    meaning: 'Custom, outbound and revenue hits that have a name',
    needs: ['events'],
    value: t => t.events,
    isNotInSummary: true,
  },
  revenue: {
    label: 'Revenue',
    meaning: 'Sum of the revenue events in the site’s currency; in the API in its minor units',
    needs: ['revenue'],
    value: t => t.revenue,
    isMoney: true,
  },
} as const satisfies Record<string, Metric>;

export type MetricName = keyof typeof metrics;
export const metricNames = Object.keys(metrics) as MetricName[];
