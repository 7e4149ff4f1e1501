/** Umami's numbers: totals, series, metrics by a dimension, and who is there now. */
import { answerOf, askOne, noTime, type QueryStep, type ReadableSite, refuseHidden } from '../../api/endpoint.ts';
import { presentVisitors } from '../../api/realtime.ts';
import { readablePart, type Span } from '../../api/request/window.ts';
import { isOneOf } from '../../model/filters.ts';
import { eventsMax } from '../../model/limits.ts';
import { partOfField } from '../../model/public-parts.ts';
import type { TableMetricName } from '../../model/table-metrics.ts';
import { isoTime, isoTimeOrNull } from '../../model/time.ts';
import { directName } from '../../model/visit-fields.ts';
import type { Answer, Filter, Slice } from '../../query/query.ts';
import { headline, headlineOf, mostVisited } from '../../query/usual-questions.ts';
import { namedBuckets } from './buckets.ts';
import { badRequest } from './errors.ts';
import { earlierSpan, fieldNamed, readAsked, type UmamiQuestion, wholeParameter } from './parameters.ts';

const withEarlier = (span: Span, compare: 'prev' | 'yoy', view: ReadableSite): Span[] => [
  span,
  readablePart(earlierSpan(span, compare), view),
];

const totalsIn = (span: Span, filters: Filter[]): Slice => ({ ...span, filters, questions: [headline] });

/** Totals, and those of the window before, or of the year before with `compare=yoy`. */
export const stats = (search: URLSearchParams, view: ReadableSite): QueryStep<object> => {
  const { span, compare = 'prev', filters } = readAsked(search, view);
  const spans = withEarlier(span, compare, view);
  return {
    slices: spans.map(each => totalsIn(each, filters)),
    render: ([now, earlier]) => ({ ...written(now), comparison: written(earlier) }),
  };
};

const written = (answers: Answer[] | undefined): object => {
  const { pageviews, visitors, visits, bounces, avgVisitSeconds } = totalsOf(answers);
  return { pageviews, visitors, visits, bounces, totaltime: totalTime(avgVisitSeconds, visits) };
};

/** Of all visits, in seconds. */
const totalTime = (avgVisitSeconds: number | null, visits: number | null): number | null =>
  avgVisitSeconds === null || visits === null ? null : Math.round(avgVisitSeconds * visits);

/** Null stands for what imported days do not tell. */
const totalsOf = (answers: Answer[] | undefined) => headlineOf(answerOf(answers, 'metricSeries'));

/** Values of a dimension, without hits that have none. */
const valuesIn = (span: Span, filters: Filter[], dimension: 'event' | 'country'): Slice => {
  const isSet = isOneOf(dimension, [''], true);
  return { ...span, filters: [...filters, isSet], questions: [headline, mostVisited(dimension, 1)] };
};

/** Events, who made them, and how many names they have; now and before. */
export const eventStats = (search: URLSearchParams, view: ReadableSite): QueryStep<object> => {
  refuseHidden(view, 'events');
  const { span, compare = 'prev', filters } = readAsked(search, view);
  const spans = withEarlier(span, compare, view);
  const counted = (answers: Answer[] | undefined): object => {
    const { events, visitors, visits } = totalsOf(answers);
    return { events, visitors, visits, uniqueEvents: answerOf(answers, 'table').total };
  };
  return {
    slices: spans.map(each => valuesIn(each, filters, 'event')),
    render: ([now, earlier]) => ({ data: { ...counted(now), comparison: counted(earlier) } }),
  };
};

/** The totals of the window, and of how many countries. */
export const sessionStats = (search: URLSearchParams, view: ReadableSite): QueryStep<object> => {
  const { span, filters } = readAsked(search, view);
  return {
    slices: [totalsIn(span, filters), valuesIn(span, filters, 'country')],
    render([all, countries]) {
      const { pageviews, visitors, visits, events } = totalsOf(all);
      const values = { pageviews, visitors, visits, countries: answerOf(countries, 'table').total, events };
      return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, { value }]));
    },
  };
};

/** Page views and visitors by steps of time, without those that have none. */
export const pageviews = (search: URLSearchParams, view: ReadableSite): QueryStep<object> => {
  const asked = readAsked(search, view);
  const { span, compare } = asked;
  const spans = compare === undefined ? [span] : withEarlier(span, compare, view);
  const buckets = spans.map(each => namedBuckets({ ...asked, span: each }));
  const pointsOf = (answers: Answer[] | undefined, i: number): object => {
    const { rows } = answerOf(answers, 'metricSeries');
    const points = (metric: number): object[] =>
      buckets[i]!.dates.flatMap((x, bucket) => {
        const y = rows[bucket]!.values[metric];
        return y === 0 ? [] : [{ x, y }];
      });
    return { pageviews: points(0), sessions: points(1) };
  };
  const dated = ({ from, to }: Span): object => ({ startDate: isoTime(from), endDate: isoTime(to - 1) });
  return {
    slices: spans.map(({ from, to }, i) => ({
      ...{ from, to, filters: asked.filters },
      questions: [{ kind: 'metricSeries', metrics: ['pageviews', 'visitors'], bounds: buckets[i]!.bounds }],
    })),
    render([now, earlier]) {
      if (spans[1] === undefined) return pointsOf(now, 0);
      return { ...pointsOf(now, 0), ...dated(span), compare: { ...pointsOf(earlier, 1), ...dated(spans[1]) } };
    },
  };
};

const metricsDefault = 500;
const metricsMax = 10_000;

/** Visitors by a dimension; of events, how many there were. */
export const metrics = (search: URLSearchParams, view: ReadableSite): QueryStep<object> => {
  const sort = search.get('type') === 'event' ? ('events' as const) : ('visitors' as const);
  return rowsBy(search, view, sort, [sort], (x, [y]) => ({ x, y }));
};

/** All numbers by a dimension. */
export const expandedMetrics = (search: URLSearchParams, view: ReadableSite): QueryStep<object> => {
  const names: TableMetricName[] = ['pageviews', 'visitors', 'visits', 'bounces', 'avgVisitSeconds'];
  return rowsBy(search, view, 'visitors', names, (name, [pageviews, visitors, visits, bounces, seconds]) => ({
    ...{ name, pageviews, visitors, visits, bounces },
    totaltime: totalTime(seconds!, visits!),
  }));
};

const rowsBy = (
  search: URLSearchParams,
  view: ReadableSite,
  sort: TableMetricName,
  names: TableMetricName[],
  rowOf: (name: string, values: (number | null)[]) => object,
): QueryStep<object> => {
  const type = search.get('type') ?? '';
  const field = fieldNamed(type);
  if (field === undefined) throw badRequest(`The type ${JSON.stringify(type.slice(0, 100))} cannot be asked for here.`);
  refuseHidden(view, partOfField(field));
  const { span, filters } = readAsked(search, view, ['type', 'limit', 'offset', 'search']);
  const limit = wholeParameter(search, 'limit', metricsDefault, [1, metricsMax]);
  const offset = wholeParameter(search, 'offset', 0, [0, metricsMax]);
  if (offset + limit > metricsMax) throw badRequest(`Rows reach to ${metricsMax} at most.`);
  const named = search.get('search') ?? '';
  const searched: Filter[] = named === '' ? [] : [{ field, operator: 'contains', negated: false, values: [named] }];
  // Who came from nowhere has no row there. One more is asked for in place of theirs.
  const table = {
    ...{ kind: 'table' as const, dimension: field, metrics: names, sort },
    ...{ descending: true, limit: offset + limit + 1, after: null },
  };
  return askOne(span, [...filters, ...searched], table, ({ rows }) =>
    rows
      .filter(({ name }) => name !== '' && !(field === 'referrer' && name === directName))
      .slice(offset, offset + limit)
      .map(({ name, values }) => rowOf(field === 'channel' ? channelName(name) : name, values)),
  );
};

/** `Organic search` is organicSearch there. */
const channelName = (name: string): string =>
  name === 'SMS'
    ? 'sms'
    : name.charAt(0).toLowerCase() + name.slice(1).replace(/ (\w)/g, (_, first) => first.toUpperCase());

export const active = (_: URLSearchParams, { now }: ReadableSite): QueryStep<object> =>
  // Version 2 named it x.
  presentVisitors(now, visitors => ({ visitors, x: visitors }));

/** When the first and the last hit came. */
export const dateRange = (_: URLSearchParams, view: ReadableSite): QueryStep<object> =>
  askOne<'firstHit', object>(noTime, [], { kind: 'firstHit' }, ({ at: first }) => {
    if (first === null) return { startDate: null, endDate: null };
    const from = Math.max(first, view.readableFrom);
    return askOne({ from, to: Math.max(from, view.now + 1) }, [], { kind: 'lastHit' }, ({ at: last }) => ({
      startDate: isoTime(from),
      endDate: isoTimeOrNull(last),
    }));
  });

/** How often each event happened in each step of time, without those in which it did not. */
export const eventSeries = (search: URLSearchParams, view: ReadableSite): QueryStep<object> => {
  refuseHidden(view, 'events');
  const asked: UmamiQuestion = readAsked(search, view, ['limit']);
  const limit = wholeParameter(search, 'limit', eventsMax, [1, eventsMax]);
  const { bounds, dates } = namedBuckets(asked);
  if (bounds.length < 2) return { slices: [], render: () => [] };
  return askOne(asked.span, asked.filters, { kind: 'events', limit, bounds }, ({ rows }) =>
    dates.flatMap((t, bucket) =>
      rows.flatMap(({ name, spark }) => (spark[bucket] === 0 ? [] : [{ x: name, t, y: spark[bucket]! }])),
    ),
  );
};
