/**
 * `/events`: one endpoint with four shapes, chosen by which parameters are there:
 * the list of events, one event over time, the keys of its properties, the values of one property.
 */
import { isOneOf, isPropertyField } from '../model/filters.ts';
import { eventTypes, type PropertyType, propertyTypes } from '../model/hit.ts';
import { eventsMax, histogramBins, propertyKeysMax, propertyValuesMax } from '../model/limits.ts';
import { delta, quotient, ratio } from '../model/metrics.ts';
import { isoTime, isoTimeOrNull } from '../model/time.ts';
import {
  type Answer,
  type EventRow,
  type FieldFilter,
  type Filter,
  isFieldFilter,
  type PropertyKeyRow,
  type PropertySummary,
  type Slice,
} from '../query/query.ts';
import { headline, headlineOf } from '../query/usual-questions.ts';
import { answerOf, askOne, type QueryStep, refuseHidden, windowEndpoint, windowObject } from './endpoint.ts';
import { deltaSchema, deltas, roundedFields } from './numbers.ts';
import { type Buckets, bucketsOf } from './request/buckets.ts';
import { flag, freeText, rowLimit } from './request/parameters.ts';
import type { Span, Window } from './request/window.ts';
import {
  count,
  described,
  each,
  instant,
  list,
  localTime,
  nullable,
  number,
  object,
  oneOf,
  percentage,
  text,
} from './schema.ts';

export const eventListSchema = windowObject({
  data: list(
    object({
      name: text,
      type: oneOf(eventTypes),
      events: count,
      visitors: count,
      perVisitor: number,
      previousEvents: nullable(count),
      previousVisitors: nullable(count),
      delta: nullable(number),
      lastSeen: instant,
      spark: list(object({ date: localTime, value: count })),
    }),
    eventsMax,
  ),
});

const compareNames = ['events', 'visitors', 'visitorShare', 'perVisitor'] as const;
const comparable = { events: count, visitors: count, visitorShare: percentage, perVisitor: number };
export const eventSeriesSchema = windowObject({
  data: list(object({ date: localTime, Events: count, Visitors: count })),
  summary: object({
    name: text,
    type: nullable(oneOf(eventTypes)),
    ...comparable,
    sessions: count,
    medianPerSession: number,
    firstSeen: nullable(instant),
    lastSeen: nullable(instant),
    previous: nullable(object(comparable)),
    delta: deltaSchema(compareNames),
  }),
});

const propertyType = oneOf(Object.keys(propertyTypes) as PropertyType[]);
export const propertyKeysSchema = windowObject({
  data: list(
    object({
      key: text,
      events: count,
      values: count,
      dataType: propertyType,
      coverage: percentage,
      numeric: nullable(object(each(['sum', 'avg', 'min', 'max', 'p50'], number))),
    }),
    propertyKeysMax,
  ),
});

export const propertyValuesSchema = windowObject({
  data: list(object({ name: text, value: count, events: count, share: percentage }), propertyValuesMax),
  total: count,
  dataType: nullable(propertyType),
  histogram: list(object({ name: text, value: count, from: number, to: number }), histogramBins),
});

export const events = windowEndpoint({
  part: 'events',
  summary: 'Events, properties, values, histograms: the shape depends on the parameters',
  own: {
    series: flag('With event: that event over time'),
    property: freeText('With event: the values of this property'),
    histogram: flag('With event and property: bins of a numeric property'),
    limit: rowLimit(
      eventsMax,
      eventsMax,
      `Rows at most, of ${eventsMax} events, ${propertyKeysMax} keys or ${propertyValuesMax} values`,
    ),
  },
  response: described(
    { anyOf: [eventListSchema, eventSeriesSchema, propertyKeysSchema, propertyValuesSchema] },
    'Without event: the list. With event and series: over time. With event: property keys. With event and property: values',
  ),
  plan({ window, filters, series, property, histogram, limit }, view) {
    const { zone } = view;
    const asked = { window, filters, limit };
    const names = eventNames(filters);
    if (names === undefined) return eventList(asked, bucketsOf(window, zone));
    if (series) return eventSeries(asked, bucketsOf(window, zone), names.join(', '));
    refuseHidden(view, 'properties');
    if (property === undefined) return propertyKeys(asked);
    return propertyValues(asked, property, histogram);
  },
});

interface EventsAsked {
  window: Window;
  filters: Filter[];
  limit: number;
}

/** The events that `event=…` names; undefined without such a filter. */
const eventNames = (filters: readonly Filter[]): string[] | undefined =>
  filters
    .filter(isAboutEvents)
    .find(({ field, operator, negated }) => field === 'event' && operator === 'is' && !negated)?.values;

/** Whether a filter selects hits by their event or properties. */
const isAboutEvents = (filter: Filter): filter is FieldFilter =>
  isFieldFilter(filter) &&
  !filter.visit &&
  (['event', 'propKey', 'propValue'].includes(filter.field) || isPropertyField(filter.field));

/**
 * Asks for the window before in a second step, by name: there, the events need not be the most
 * frequent.
 */
const eventList = ({ window, filters, limit }: EventsAsked, { bounds, dates }: Buckets): QueryStep<object> =>
  askOne(window, filters, { kind: 'events', limit, bounds }, ({ rows }) => {
    const { previous } = window;
    if (previous === null || rows.length === 0) return listJson(rows, null, dates);
    const names = rows.map(({ name }) => name);
    const question = { kind: 'events', limit: rows.length, bounds: null } as const;
    return askOne(previous, [...filters, isOneOf('event', names)], question, ({ rows: earlier }) =>
      listJson(rows, earlier, dates),
    );
  });

/** `earlier` is null if there is no window before. */
const listJson = (rows: readonly EventRow[], earlier: readonly EventRow[] | null, dates: readonly string[]): object => {
  const byName = earlier && new Map(earlier.map(row => [row.name, row]));
  return {
    data: rows.map(({ name, type, events, visitors, lastAt, spark }) => {
      const before = byName && (byName.get(name) ?? { events: 0, visitors: 0 });
      return {
        ...{ name, type, events, visitors, perVisitor: ratio(events, visitors) },
        previousEvents: before?.events ?? null,
        previousVisitors: before?.visitors ?? null,
        delta: delta(events, before?.events ?? null),
        lastSeen: isoTime(lastAt),
        spark: dates.map((date, i) => ({ date, value: spark[i]! })),
      };
    }),
  };
};

const eventSeries = ({ window, filters }: EventsAsked, { bounds, dates }: Buckets, name: string): QueryStep<object> => {
  const everyone = filters.filter(filter => !isAboutEvents(filter));
  const slices = ({ from, to }: Span, edges: number[]): Slice[] => [
    { from, to, filters, questions: [{ kind: 'eventSeries', bounds: edges }] },
    { from, to, filters: everyone, questions: [headline] },
  ];
  const { previous: before } = window;
  return {
    slices: [...slices(window, bounds), ...(before === null ? [] : slices(before, [before.from, before.to]))],
    render(answers) {
      const { events, visitors, total } = answerOf(answers[0], 'eventSeries');
      const now = comparableOf(answers[0], answers[1]);
      const previous = before === null ? null : comparableOf(answers[2], answers[3]);
      return {
        data: dates.map((date, i) => ({ date, Events: events[i]!, Visitors: visitors[i]! })),
        summary: {
          name,
          type: total.type,
          ...roundedFields(now),
          sessions: total.visits,
          medianPerSession: total.medianPerVisit,
          firstSeen: isoTimeOrNull(total.firstAt),
          lastSeen: isoTimeOrNull(total.lastAt),
          previous: previous && roundedFields(previous),
          delta: deltas(now, previous),
        },
      };
    },
  };
};

/** What an event is compared by: its own numbers, and its share of all visitors of the window. */
const comparableOf = (
  ofEvent: Answer[] | undefined,
  ofAll: Answer[] | undefined,
): Record<(typeof compareNames)[number], number> => {
  const { events, visitors } = answerOf(ofEvent, 'eventSeries').total;
  const everyone = headlineOf(answerOf(ofAll, 'metricSeries')).visitors ?? 0;
  return {
    events,
    visitors,
    visitorShare: quotient(visitors * 100, everyone),
    perVisitor: quotient(events, visitors),
  };
};

/** Keys in one question: so many are a short turn's work on a day. */
const keysPerQuestion = 10;

/** Asks for the keys, and in a second step for the values of those that are shown. */
const propertyKeys = ({ window, filters, limit }: EventsAsked): QueryStep<object> => {
  const question = { kind: 'propertyKeys', limit: Math.min(limit, propertyKeysMax) } as const;
  return askOne(window, filters, question, ({ rows, total }) => {
    const { from, to } = window;
    const questions = groupsOf(rows, keysPerQuestion).map(
      some => ({ kind: 'propertySummaries', keys: some.map(({ key }) => key) }) as const,
    );
    return {
      slices: [{ from, to, filters, questions }],
      render: ([answers]) => keysJson(rows, total, summariesOf(answers!)),
    };
  });
};

const groupsOf = <T>(list: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(list.length / size) }, (_, i) => list.slice(i * size, (i + 1) * size));

const summariesOf = (answers: readonly Answer[]): PropertySummary[] =>
  answers.flatMap(answer => (answer.kind === 'propertySummaries' ? answer.summaries : []));

const keysJson = (rows: readonly PropertyKeyRow[], total: number, summaries: readonly PropertySummary[]): object => ({
  data: rows.map(({ key, events }, i) => {
    const { values, type, numeric } = summaries[i]!;
    return { key, events, values, dataType: type, coverage: ratio(events * 100, total), numeric };
  }),
});

const propertyValues = (
  { window, filters, limit }: EventsAsked,
  key: string,
  histogram: boolean,
): QueryStep<object> => {
  const bins = histogram ? histogramBins : 0;
  return askOne(
    window,
    filters,
    { kind: 'propertyValues', key, limit: Math.min(limit, propertyValuesMax), bins },
    ({ rows, total, type, bins: counted }) => ({
      data: rows.map(row => ({ ...row, share: ratio(row.value * 100, total) })),
      total,
      dataType: type,
      histogram: counted.map(bin => ({ name: binName(bin.from, bin.to), ...bin })),
    }),
  );
};

/** A label with as many decimals as tell the bin from its neighbours. */
const binName = (from: number, to: number): string => {
  const decimals = Math.min(Math.max(2 - Math.floor(Math.log10(to - from)), 0), 15);
  return [from, to].map(edge => String(Number(edge.toFixed(decimals)))).join(' – ');
};
