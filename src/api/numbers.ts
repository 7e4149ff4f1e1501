/** How numbers stand in an answer: the nine metrics, money of other currencies, comparisons. */
import { delta, type MetricName, metricNames, metrics, type Totals } from '../model/metrics.ts';
import { count, each, nullable, number, object, record, type Schema } from './schema.ts';

export type Metrics = Record<MetricName, number> & { otherRevenue?: Record<string, number> };

/** Stands beside `revenue` where there are amounts without a rate, and only there. */
export const otherRevenue = (amounts: Record<string, number>): { otherRevenue?: Record<string, number> } =>
  Object.keys(amounts).length === 0 ? {} : { otherRevenue: amounts };

export const metricsOf = (totals: Totals): Metrics => ({
  ...(Object.fromEntries(metricNames.map(name => [name, metrics[name].value(totals)])) as Record<MetricName, number>),
  ...otherRevenue(totals.otherRevenue),
});

/** Percentage changes of some fields; null when there is nothing to compare with at all. */
export const deltas = <Name extends string>(
  names: readonly Name[],
  now: Record<Name, number>,
  before: Record<Name, number> | null,
): Record<Name, number | null> | null =>
  before === null
    ? null
    : (Object.fromEntries(names.map(name => [name, delta(now[name], before[name])])) as Record<Name, number | null>);

export const isoTime = (at: number): string => new Date(at).toISOString();

export const otherRevenueSchema: Schema = {
  ...record(number),
  description: 'Minor units by currency, of amounts that no rate brings to the site’s currency',
};
export const metricsSchema: Record<string, Schema> = Object.fromEntries(
  metricNames.map(name => [name, { type: 'number', description: metrics[name].meaning }]),
);
export const deltaSchema = (names: readonly string[]): Schema => ({
  ...nullable(object(each(names, nullable(number)))),
  description: 'Percentage changes; null where the earlier value is 0 or there is no earlier window',
});
/** A row of a ranking by visitors. */
export const rowSchema = object({ name: { type: 'string' }, value: count });
