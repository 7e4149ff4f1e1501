/** `/api/ext/…/series`: any metrics per bucket, zero-filled, beside a window to compare with. */
import { bucketsMax } from '../model/limits.ts';
import { type TableMetricName, tableMetricNames } from '../model/table-metrics.ts';
import type { Answer } from '../query/query.ts';
import { answerOf, refuseHiddenMetrics, windowEndpoint, windowObject } from './endpoint.ts';
import { otherRevenueSchema, rowMetricsSchema, rowOf } from './numbers.ts';
import { type Buckets, bucketsOf, hasTooManyBuckets } from './request/buckets.ts';
import { choice, choices, comparison, ParameterError } from './request/parameters.ts';
import { type Bucket, type Span, spansOf } from './request/window.ts';
import type { Zone } from './request/zone.ts';
import { described, list, localTime, nullable, object, oneOf, truth } from './schema.ts';

const intervals = ['hour', 'day', 'week', 'month'] as const satisfies Bucket[];
const importedPoint = described(truth, 'True where imported days are in the numbers');
export const pointSchema = object(
  { date: localTime },
  { ...rowMetricsSchema, otherRevenue: otherRevenueSchema, imported: importedPoint },
);
const points = list(pointSchema, bucketsMax);

export const metricSeries = windowEndpoint({
  summary: 'Zero-filled time series of any metrics',
  own: {
    metrics: choices('metric', tableMetricNames, ['visitors', 'pageviews', 'visits'], 'Metrics'),
    interval: choice(
      ['auto', ...intervals],
      'auto',
      'Hours, days, weeks from Monday, or months; auto is as in /series',
    ),
    compare: comparison('none'),
  },
  response: windowObject(
    { interval: oneOf(intervals), data: points },
    { previous: described(nullable(points), 'With compare; null where there is no such window') },
  ),
  plan({ window, filters, metrics, interval, compare }, view) {
    const { zone } = view;
    refuseHiddenMetrics(view, metrics);
    const bucket: Bucket = interval === 'auto' ? window.bucket : (interval as Bucket);
    const spans = spansOf(window);
    const buckets = spans.map(span => bucketsWithin(span, bucket, zone));
    return {
      slices: spans.map((span, i) => ({
        ...{ ...span, filters },
        questions: [{ kind: 'metricSeries', metrics, bounds: buckets[i]!.bounds }],
      })),
      render([current, earlier]) {
        const data = pointsOf(current, buckets[0]!, metrics);
        if (compare === 'none') return { interval: bucket, data };
        const previous = earlier === undefined ? null : pointsOf(earlier, buckets[1]!, metrics);
        return { interval: bucket, data, previous };
      },
    };
  },
});

const bucketsWithin = (span: Span, bucket: Bucket, zone: Zone): Buckets => {
  if (hasTooManyBuckets(span, bucket)) {
    throw new ParameterError({ error: 'too many buckets', parameter: 'interval' });
  }
  return bucketsOf({ ...span, bucket }, zone);
};

const pointsOf = (answers: Answer[] | undefined, { dates }: Buckets, metrics: readonly TableMetricName[]): object[] => {
  const { rows } = answerOf(answers, 'metricSeries');
  return dates.map((date, i) => ({
    date,
    ...rowOf(metrics, rows[i]!),
    ...(rows[i]!.imported && { imported: true }),
  }));
};
