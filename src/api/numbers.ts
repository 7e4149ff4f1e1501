/** How numbers stand in an answer: the nine metrics, money of other currencies, comparisons. */
import { delta, type MetricName, metricNames, rounded } from '../model/metrics.ts';
import { type TableMetricName, tableMetricNames, tableMetrics } from '../model/table-metrics.ts';
import type { AnswerOf, MetricRow } from '../query/query.ts';
import { headlineOf } from '../query/usual-questions.ts';
import { count, described, each, nullable, number, object, record, type Schema, text } from './schema.ts';

export type Metrics = Record<MetricName, number | null> & { otherRevenue?: Record<string, number> };

export const fieldsOf = <Name extends string, V>(names: readonly Name[], value: (name: Name) => V): Record<Name, V> =>
  Object.fromEntries(names.map(name => [name, value(name)])) as Record<Name, V>;

export const metricsOf = (answer: AnswerOf<'metricSeries'>): Metrics => {
  const exact = headlineOf(answer);
  return {
    ...fieldsOf(metricNames, name => roundedOrNull(exact[name])),
    ...otherRevenueOf(answer.rows[0]!.otherRevenue),
  };
};

/** It stands beside `revenue` only where there are amounts without a rate. */
export const otherRevenueOf = (otherRevenue: Record<string, number>): { otherRevenue?: Record<string, number> } =>
  Object.keys(otherRevenue).length === 0 ? {} : { otherRevenue };

export const roundedFields = <Name extends string>(exact: Record<Name, number>): Record<Name, number> =>
  fieldsOf(Object.keys(exact) as Name[], name => rounded(exact[name]));

/** What stands beside headline metrics that are compared; null for none before. */
export const previousOf = (now: AnswerOf<'metricSeries'>, before: AnswerOf<'metricSeries'> | null) => ({
  previous: before && metricsOf(before),
  delta: deltas(headlineOf(now), before && headlineOf(before)),
});

/** Percentage changes of exact fields; null when there is nothing to compare with at all. */
export const deltas = <Name extends string>(
  now: Record<Name, number | null>,
  before: Record<Name, number | null> | null,
): Record<Name, number | null> | null =>
  before === null ? null : fieldsOf(Object.keys(now) as Name[], name => deltaOf(now[name], before[name]));

/** One that has no value on either side has none. */
const deltaOf = (now: number | null, before: number | null): number | null =>
  now === null ? null : delta(now, before);

/** The metrics of a row of a table or a series, by name. */
export const rowOf = (names: readonly TableMetricName[], { values, otherRevenue }: MetricRow): object => ({
  ...Object.fromEntries(names.map((name, i) => [name, roundedOrNull(values[i]!)])),
  ...otherRevenueOf(otherRevenue),
});

const roundedOrNull = (value: number | null): number | null => value && rounded(value);

/** Percentage changes of a row; a metric that one of both has no value of has none. */
export const rowDeltas = (names: readonly TableMetricName[], now: MetricRow, before: MetricRow): object =>
  Object.fromEntries(names.map((name, i) => [name, deltaOf(now.values[i]!, before.values[i]!)]));

/** What a row may hold: the metrics that were asked for. */
export const rowMetricsSchema = fieldsOf(tableMetricNames, name =>
  described(nullable(number), tableMetrics[name].meaning),
);

export const otherRevenueSchema = described(
  record(number),
  'Minor units by currency, of amounts that no rate brings to the site’s currency',
);
/**
 * The headline metrics. A public page may not show revenue, and an import may not tell the
 * others.
 */
export const metricsSchema = fieldsOf(metricNames, name => rowMetricsSchema[name]);
/** The headline metrics as an object of their own. */
export const headlineSchema = object(metricsSchema, { otherRevenue: otherRevenueSchema });
export const deltaSchema = <Name extends string>(names: readonly Name[]): Schema<Record<Name, number | null> | null> =>
  described(
    nullable(object(each(names, nullable(number)))),
    'Percentage changes; null where the earlier value is 0 or there is no earlier window',
  );
export const headlineDeltaSchema = deltaSchema(metricNames);
/** A row of a ranking by visitors. */
export const rowSchema = object({ name: text, value: count });
