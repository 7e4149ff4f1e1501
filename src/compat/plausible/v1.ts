/** Plausible's first API: a number of visitors, totals, a series, a breakdown. */
import { type QueryStep, type ReadableSite, thenStep } from '../../api/endpoint.ts';
import { presentVisitors } from '../../api/realtime.ts';
import { type Bucket, readablePart, type Span } from '../../api/request/window.ts';
import { checkMetrics, readDimension } from './checks.ts';
import { badQuery } from './errors.ts';
import { type ReadFilter, readFilters } from './filters.ts';
import { plausibleMetrics } from './metrics.ts';
import { bucketFor, type PlausiblePeriod, v1Period } from './periods.ts';
import { type AskedDimension, type PlausibleAnswer, type PlausibleQuestion, rowsMax } from './question.ts';
import { planRows } from './rows.ts';
import { filterTree } from './v1-filters.ts';

/** Visitors of the last five minutes, as a number alone. */
export const realtimeVisitors = (_: URLSearchParams, { now }: ReadableSite): QueryStep<number> =>
  presentVisitors(now, visitors => visitors);

interface QuestionOfV1 {
  period: PlausiblePeriod;
  filters: ReadFilter[];
  metrics: string[];
}

const read = (search: URLSearchParams, view: ReadableSite): QuestionOfV1 => {
  const period = v1Period(search, view);
  const filters = readFilters(filterTree(search.get('filters') ?? ''), view);
  const metrics = (search.get('metrics') ?? 'visitors').split(',').map(name => name.trim());
  return { period, filters, metrics };
};

const questionOf = (
  { filters, metrics }: QuestionOfV1,
  span: Span,
  view: ReadableSite,
  more: Partial<PlausibleQuestion>,
): PlausibleQuestion => ({
  ...readablePart(span, view),
  ...{ filters, metrics, dimensions: [], order: [], offset: 0, limit: 1, keepsEmpty: false },
  ...more,
});

export const aggregate = (search: URLSearchParams, view: ReadableSite): QueryStep<object> => {
  const asked = read(search, view);
  checkMetrics(asked.metrics, [], asked.filters);
  const compare = search.get('compare');
  if (compare !== null && compare !== 'previous_period') {
    throw badQuery(`Invalid compare '${compare.slice(0, 100)}'. It can be previous_period.`);
  }
  const values = ({ rows }: PlausibleAnswer): unknown[] => rows[0]!.metrics;
  const ask = (span: Span): QueryStep<unknown[]> => thenStep(planRows(questionOf(asked, span, view, {}), view), values);
  const results = (now: unknown[], earlier?: unknown[]): object => ({
    results: Object.fromEntries(
      asked.metrics.map((name, i) => {
        const change = earlier === undefined ? {} : { change: changeOf(name, earlier[i], now[i]) };
        return [name, { value: now[i], ...change }];
      }),
    ),
  });
  const { period } = asked;
  if (compare === null) return thenStep(ask(period), now => results(now));
  return thenStep(ask(period), now => thenStep(ask(period.previous!), earlier => results(now, earlier)));
};

const changeOf = (metric: string, earlier: unknown, now: unknown): number | null => {
  if (typeof earlier !== 'number' || typeof now !== 'number') return null;
  if (plausibleMetrics[metric]!.isPercentage) return earlier > 0 ? now - earlier : null;
  if (earlier === 0) return now > 0 ? 100 : 0;
  return Math.round(((now - earlier) / earlier) * 100);
};

export const timeseries = (search: URLSearchParams, view: ReadableSite): QueryStep<object> => {
  const asked = read(search, view);
  const bucket = intervalOf(search, asked.period);
  const dimension: AskedDimension = { kind: 'time', name: 'time', bucket };
  // A rate is one of each bucket's own visitors.
  const metrics = asked.metrics.map(name => (name === 'conversion_rate' ? 'group_conversion_rate' : name));
  checkMetrics(asked.metrics, [dimension], asked.filters);
  const question = questionOf(asked, asked.period, view, {
    ...{ metrics, dimensions: [dimension], order: [{ name: 'time', descending: false }] },
    ...{ limit: rowsMax, keepsEmpty: true },
  });
  return thenStep(planRows(question, view), ({ rows }) => ({
    results: rows.map(({ dimensions: [date], metrics: values }) => ({
      date,
      ...Object.fromEntries(asked.metrics.map((name, i) => [name, values[i]])),
    })),
  }));
};

const intervals = ['hour', 'day', 'week', 'month'] as const;

const intervalOf = (search: URLSearchParams, period: PlausiblePeriod): Bucket => {
  const typed = search.get('interval');
  if (typed === null) {
    const name = search.get('period') ?? '30d';
    if (name === 'day') return 'hour';
    if (name === 'custom') return bucketFor(period) === 'month' ? 'month' : 'day';
    return name.endsWith('mo') ? 'month' : 'day';
  }
  const found = intervals.find(each => each === (typed === 'date' ? 'day' : typed));
  if (found === undefined) {
    throw badQuery(
      `Error parsing the interval parameter: invalid interval '${typed.slice(0, 100)}'. It is one of ${intervals.join(', ')}.`,
    );
  }
  return found;
};

export const breakdown = (search: URLSearchParams, view: ReadableSite): QueryStep<object> => {
  const property = search.get('property');
  if (property === null) throw badQuery('The property parameter is required: what to break down by.');
  const asked = read(search, view);
  if (property.startsWith('time')) throw badQuery(`Invalid property '${property.slice(0, 100)}'.`);
  const dimension = readDimension(property, 'day', isNamedWithoutValue(property));
  checkMetrics(asked.metrics, [dimension], asked.filters);
  const isOfGoals = property === 'event:goal' || property.startsWith('event:props:');
  const metrics = asked.metrics.map(name =>
    name === 'conversion_rate' && !isOfGoals ? 'group_conversion_rate' : name,
  );
  const [limit, page] = [whole(search, 'limit', 100, 1000), whole(search, 'page', 1, Number.MAX_SAFE_INTEGER)];
  const first = metrics.find(name => name !== 'time_on_page') ?? metrics[0]!;
  const order = [{ name: first, descending: true }];
  const question = questionOf(asked, asked.period, view, {
    ...{ metrics, dimensions: [dimension], order, offset: (page - 1) * limit, limit },
  });
  const key = property.replace(/^(event:props:|event:|visit:)/, '');
  return thenStep(planRows(question, view), ({ rows }) => ({
    results: rows.map(({ dimensions: [value], metrics: values }) => ({
      [key]: value,
      ...Object.fromEntries(asked.metrics.map((name, i) => [name, values[i]])),
    })),
  }));
};

/** Whether a breakdown has a row for those without a value; campaigns have none. */
const isNamedWithoutValue = (property: string): boolean =>
  property.startsWith('event:props:') || ['visit:browser', 'visit:os'].includes(property);

const whole = (search: URLSearchParams, name: string, preset: number, most: number): number => {
  const typed = search.get(name);
  if (typed === null) return preset;
  if (/^[1-9]\d{0,8}$/.test(typed) && Number(typed) <= most) return Number(typed);
  throw badQuery(
    most === Number.MAX_SAFE_INTEGER
      ? `Please provide ${name} as a positive number.`
      : `Please provide ${name} as a number between 1 and ${most}.`,
  );
};
