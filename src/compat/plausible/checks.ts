/** Which metrics go with what, as Plausible has it, and how names of dimensions are read. */
import type { Bucket } from '../../api/request/window.ts';
import { badQuery } from './errors.ts';
import { fieldNamed, missingFields } from './fields.ts';
import { looksAt, type ReadFilter } from './filters.ts';
import { plausibleMetrics } from './metrics.ts';
import type { AskedDimension } from './question.ts';

/** Throws HttpError for a metric that is unknown, asked twice, or cannot be answered here. */
export const checkMetrics = (
  metrics: readonly string[],
  dimensions: readonly AskedDimension[],
  filters: readonly ReadFilter[],
): void => {
  if (new Set(metrics).size < metrics.length) throw badQuery('Metrics cannot be queried multiple times.');
  const isAbout = (name: string): boolean =>
    dimensions.some(dimension => dimension.name === name) || filters.some(filter => looksAt(filter, name));
  const isPerGoal = dimensions.some(({ kind }) => kind === 'goal');
  for (const name of metrics) {
    const metric = Object.hasOwn(plausibleMetrics, name) ? plausibleMetrics[name] : undefined;
    if (metric === undefined) {
      throw badQuery(
        `The metric '${name.slice(0, 100)}' is not known. Metrics are ${Object.keys(plausibleMetrics).join(', ')}.`,
      );
    }
    if (metric.requires === 'goal' && !isAbout('event:goal')) {
      throw badQuery(`Metric '${name}' can only be queried with a filter on event:goal, or by event:goal.`);
    }
    if (metric.requires === 'page' && !isAbout('event:page')) {
      throw badQuery(`Metric '${name}' can only be queried with a filter on event:page, or by event:page.`);
    }
    if (metric.requires === 'dimension' && dimensions.length === 0) {
      throw badQuery(`Metric '${name}' can only be queried with a dimension.`);
    }
    if (isPerGoal && dimensions.length === 1 && metric.isOfGoals === undefined) {
      throw badQuery(`Metric '${name}' cannot be queried by event:goal.`);
    }
  }
};

const buckets: readonly Bucket[] = ['hour', 'day', 'week', 'month'];

/** `time` alone is of the bucket that is given. Throws HttpError. */
export const readDimension = (name: unknown, timeBucket: Bucket, withNull: boolean): AskedDimension => {
  if (name === 'time') return { kind: 'time', name, bucket: timeBucket };
  const bucket = buckets.find(each => name === `time:${each}`);
  if (bucket !== undefined) return { kind: 'time', name: `time:${bucket}`, bucket };
  if (name === 'event:goal') return { kind: 'goal', name };
  const field = typeof name === 'string' ? fieldNamed(name) : undefined;
  if (field !== undefined)
    return { kind: 'field', name: field.name, field, withNull: withNull && field.nullName !== null };
  const shown = String(JSON.stringify(name)).slice(0, 200);
  throw badQuery(
    missingFields.includes(String(name)) ? `Daybook does not store ${shown}.` : `Invalid dimension ${shown}.`,
  );
};
