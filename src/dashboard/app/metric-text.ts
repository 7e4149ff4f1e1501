/** Values of metrics as text: counts, percentages, times and money, each in its own way. */
import { currencyDigits } from '../../model/currency.ts';
import type { MetricName } from '../../model/metrics.ts';
import { type TableMetric, type TableMetricName, tableMetrics } from '../../model/table-metrics.ts';
import { formatMoney, formatNumber, formatPercent, formatSeconds, formatShort } from './format.ts';

/** What stands where nothing is known. */
export const noValue = '–';

type Kind = 'money' | 'percentage' | 'seconds' | 'count' | 'quotient';

const kindOf = (name: TableMetricName): Kind => {
  const { label, isMoney }: TableMetric = tableMetrics[name];
  if (isMoney) return 'money';
  if (label.endsWith('%')) return 'percentage';
  if (name === 'avgVisitSeconds' || name === 'secondsOnPage') return 'seconds';
  return name === 'viewsPerVisit' ? 'quotient' : 'count';
};

/** A dash stands for what nothing is known of. */
export const metricText = (name: TableMetricName, value: number | null | undefined, currency: string): string => {
  if (value === null || value === undefined) return noValue;
  const kind = kindOf(name);
  if (kind === 'money') return formatMoney(value, currency);
  if (kind === 'percentage') return formatPercent(value);
  return kind === 'seconds' ? formatSeconds(value) : formatNumber(value);
};

/** The same on an axis: short, because the order of magnitude is enough. */
export const metricTick = (name: TableMetricName, value: number, currency: string): string => {
  const kind = kindOf(name);
  if (kind === 'count' || kind === 'quotient') return formatShort(value);
  if (kind === 'money') {
    const isShort = Math.abs(value) >= shortFrom * 10 ** currencyDigits(currency);
    return formatMoney(value, currency, isShort).replace(/[.,]0+(?=\D*$)/, '');
  }
  return metricText(name, value, currency);
};

/** Major units of money, from which on an axis is short. */
const shortFrom = 10_000;

/** The same where there is room for so many characters, such as `€395.1B`. */
export const fittingText = (
  name: TableMetricName,
  value: number | null | undefined,
  currency: string,
  charsMax: number,
): string => {
  const text = metricText(name, value, currency);
  if (text.length <= charsMax || value === null || value === undefined) return text;
  const kind = kindOf(name);
  return kind === 'money' ? formatMoney(value, currency, true) : kind === 'count' ? formatShort(value) : text;
};

/** Steps between the lines of a grid that people read with ease. */
export const metricSteps = (name: TableMetricName): readonly number[] => {
  const kind = kindOf(name);
  if (kind === 'seconds') return secondSteps;
  return kind === 'quotient' ? [0.1, 0.2, 0.5, ...wholeSteps] : wholeSteps;
};

export const wholeSteps = Array.from({ length: 14 }, (_, i) => [1, 2, 5].map(step => step * 10 ** i)).flat();
const secondSteps = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14_400, 28_800];

/** Metrics of which less is better. */
export const isInverted = (name: TableMetricName): boolean => name === 'bounces' || name === 'bounceRate';
/** More refunds are not better, and nor are more errors. */
export const isNeutral = (name: TableMetricName): boolean => name === 'events';

const perVisit: readonly TableMetricName[] = ['bounceRate', 'avgVisitSeconds', 'viewsPerVisit'];

/** A metric among others; null for a mean where there are no visits to take it of. */
export const knownValue = (
  name: MetricName,
  of: Readonly<Partial<Record<TableMetricName, number | null>>>,
): number | null => (perVisit.includes(name) && of.visits === 0 ? null : (of[name] ?? null));
