/** Questions that many ask in the same words, and what is read from their answers. */
import type { DimensionField } from '../model/filters.ts';
import { type MetricName, metricNames } from '../model/metrics.ts';
import type { TableMetricName } from '../model/table-metrics.ts';
import type { AnswerOf, BreakdownRow, MetricRow, QuestionOf } from './query.ts';

/** The metrics of a row by name, in the order in which they were asked. */
export const namedValues = <Name extends TableMetricName>(
  names: readonly Name[],
  { values }: Pick<MetricRow, 'values'>,
): Record<Name, number | null> =>
  Object.fromEntries(names.map((name, i) => [name, values[i]!])) as Record<Name, number | null>;

/** The headline metrics of a slice. */
export const headline: QuestionOf<'metricSeries'> = { kind: 'metricSeries', metrics: [...metricNames] };

/** Exact. Null where imported days within do not tell it. */
export const headlineOf = ({ rows }: AnswerOf<'metricSeries'>): Record<MetricName, number | null> =>
  namedValues(metricNames, rows[0]!);

/** The values of a dimension that most visitors have. */
export const mostVisited = (dimension: DimensionField, limit: number): QuestionOf<'table'> => ({
  ...{ kind: 'table', dimension, metrics: ['visitors'], sort: 'visitors', descending: true, limit, after: null },
});

/** The same as lists show it: of events, those without revenue. */
export const topValues = (dimension: DimensionField, limit: number): QuestionOf<'table'> => ({
  ...mostVisited(dimension, limit),
  ...(dimension === 'event' && { types: ['custom', 'outbound'] }),
});

/** Visitors count 0 where imported days do not tell them. */
export const topRowsOf = ({ rows }: AnswerOf<'table'>): BreakdownRow[] =>
  rows.map(({ name, hits, values: [visitors] }) => ({ name, value: visitors ?? 0, events: hits }));
