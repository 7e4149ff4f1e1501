/**
 * The ranges by key, and what people call them (docs/api.md, "Ranges"), in the order of the
 * `allowed` list: the nine of the specification, then the others. api/request/window.ts knows what
 * each spans.
 */
export const ranges = {
  today: 'Today',
  yesterday: 'Yesterday',
  '24h': 'Last 24 hours',
  '7d': 'Last 7 days',
  '30d': 'Last 30 days',
  '90d': 'Last 90 days',
  month: 'This month',
  '12m': 'Last 12 months',
  all: 'All time',
  week: 'This week',
  'last-week': 'Last week',
  'last-month': 'Last month',
  quarter: 'This quarter',
  'last-quarter': 'Last quarter',
  year: 'This year',
  'last-year': 'Last year',
} as const;

export type RangeKey = keyof typeof ranges;
export const rangeKeys = Object.keys(ranges) as RangeKey[];
export const rangeDefault: RangeKey = '30d';
