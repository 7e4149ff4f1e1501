/** What the figures and the chart show, as choices in the address: metric, comparison, interval. */
import type { MetricName } from '../../../model/metrics.ts';
import type { TableMetricName } from '../../../model/table-metrics.ts';
import { dayMs } from '../../../model/time.ts';
import { wallMs } from '../format.ts';
import { withChoice } from '../question.ts';

/** The metrics that have a figure. The bounce rate stands for the bounces. */
export const figureNames = [
  'visitors',
  'visits',
  'pageviews',
  'viewsPerVisit',
  'bounceRate',
  'avgVisitSeconds',
  'events',
  'revenue',
] as const satisfies MetricName[];
export type FigureName = (typeof figureNames)[number];

/** `figures` are those that the page shows. */
export const chosenMetric = (search: URLSearchParams, figures: readonly FigureName[]): FigureName =>
  figures.find(name => name === search.get('_metric')) ?? 'visitors';

export const withMetric = (search: URLSearchParams, name: FigureName): URLSearchParams =>
  withChoice(search, '_metric', name, 'visitors');

/** The window to compare with, as the API's `compare` has it. */
export const comparisonDefault = 'previous';
const comparisons = /^(none|(previous|year)(-weekday)?|\d{4}-\d\d-\d\d_\d{4}-\d\d-\d\d)$/;

export const chosenComparison = (search: URLSearchParams): string => {
  const chosen = search.get('_compare') ?? '';
  return comparisons.test(chosen) ? chosen : comparisonDefault;
};

export const withComparison = (search: URLSearchParams, compare: string): URLSearchParams =>
  withChoice(search, '_compare', compare, comparisonDefault);

/** The days of a comparison that somebody chose by them; null for any other. */
export const comparedDays = (compare: string): { from: string; to: string } | null => {
  const [from, to] = compare.split('_');
  return from !== undefined && to !== undefined ? { from, to } : null;
};

const intervalNames = ['hour', 'day', 'week', 'month'] as const;
export type Interval = (typeof intervalNames)[number];

/** From how many days on, and up to how many, an interval makes a chart that can be read. */
const bounds: Record<Interval, [least: number, most: number]> = {
  hour: [1, 14],
  day: [2, 400],
  week: [14, 3000],
  month: [59, Number.POSITIVE_INFINITY],
};

/** The intervals that suit a period; those of all time, where its days are not known yet. */
export const intervalsOf = (days: { from: string; to: string } | null): Interval[] => {
  if (days === null) return ['week', 'month'];
  const length = (wallMs(days.to) - wallMs(days.from)) / dayMs + 1;
  return intervalNames.filter(name => length >= bounds[name][0] && length <= bounds[name][1]);
};

/** Null leaves it to the API. */
export const chosenInterval = (search: URLSearchParams, suited: readonly Interval[]): Interval | null =>
  suited.find(name => name === search.get('_interval')) ?? null;

/** What a panel's rows can be ranked by. Events are counted, revenue events among them. */
export const panelMetrics = [
  'visitors',
  'pageviews',
  'bounceRate',
  'avgVisitSeconds',
  'revenue',
  'conversions',
] as const;
export const eventMetrics = ['visitors', 'events'] as const;
export type PanelMetric = (typeof panelMetrics | typeof eventMetrics)[number] & TableMetricName;

/** `choice` is that of the panel's tabs. */
const metricChoice = (choice: `_${string}`): `_${string}` => `${choice}By`;

export const chosenPanelMetric = (
  search: URLSearchParams,
  choice: `_${string}`,
  metrics: readonly PanelMetric[],
): PanelMetric => metrics.find(name => name === search.get(metricChoice(choice))) ?? 'visitors';

export const withPanelMetric = (search: URLSearchParams, choice: `_${string}`, name: string): URLSearchParams =>
  withChoice(search, metricChoice(choice), name, 'visitors');

/** The goal whose conversions each row shows; null for none. */
export const chosenGoal = (search: URLSearchParams): string | null => search.get('_goal');
export const withGoal = (search: URLSearchParams, name: string | null): URLSearchParams =>
  withChoice(search, '_goal', name);
