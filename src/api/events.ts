/**
 * `/events`: one endpoint with four shapes, chosen by which parameters are there:
 * the list of events, one event over time, the keys of its properties, the values of one property.
 */
import { eventTypes, propertyTypes } from '../model/hit.ts';
import { eventsMax, histogramBins, propertyKeysMax, propertyValuesMax } from '../model/limits.ts';
import { delta, quotient, ratio } from '../model/metrics.ts';
import type { Answer, EventRow, Filter, Slice } from '../query/query.ts';
import { answerOf, hitEndpoint, type Reader } from './endpoint.ts';
import { deltaSchema, deltas, isoTime, roundedFields } from './numbers.ts';
import type { Parameters } from './request/parameters.ts';
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

const flag = { type: 'string', default: '0' };

const listSchema = object({
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
const seriesSchema = object({
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

const propertyType = oneOf(Object.keys(propertyTypes));
const keysSchema = object({
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

const valuesSchema = object({
  data: list(object({ name: text, value: count, events: count, share: percentage }), propertyValuesMax),
  total: count,
  dataType: nullable(propertyType),
  histogram: list(object({ name: text, value: count, from: number, to: number }), histogramBins),
});

export const events = hitEndpoint({
  summary: 'Events, properties, values, histograms: the shape depends on the parameters',
  own: {
    series: { schema: flag, meaning: 'With event: that event over time. Any value but 0 and false' },
    property: { schema: text, meaning: 'With event: the values of this property' },
    histogram: {
      schema: flag,
      meaning: 'With event and property: bins of a numeric property. Any value but 0 and false',
    },
    limit: {
      schema: { type: 'integer', minimum: 1, maximum: eventsMax },
      meaning: `Rows at most: ${eventsMax} events, ${propertyKeysMax} keys or ${propertyValuesMax} values where it is left out, and never more`,
    },
  },
  response: described(
    { anyOf: [listSchema, seriesSchema, keysSchema, valuesSchema] },
    'Without event: the list. With event and series: over time. With event: property keys. With event and property: values',
  ),
  async answer(reader, parameters) {
    const window = await reader.window(parameters.period);
    const names = eventNames(parameters.filters);
    const property = parameters.value('property');
    if (names === undefined) return eventList(reader, parameters, window);
    if (parameters.flag('series')) return eventSeries(reader, parameters, window, names.join(', '));
    if (property === undefined) return propertyKeys(reader, parameters, window);
    return propertyValues(reader, parameters, window, property);
  },
});

/** The events that `event=…` names, more than one when it is repeated; undefined where it is not there. */
const eventNames = (filters: readonly Filter[]): string[] | undefined =>
  filters.find(({ field, operator, negated }) => field === 'event' && operator === 'is' && !negated)?.values;

const eventList = async (reader: Reader, { filters, ...parameters }: Parameters, window: Window): Promise<object> => {
  const { from, to, previous } = window;
  const limit = parameters.limit(eventsMax, eventsMax);
  const { bounds, dates } = reader.buckets(window);
  const [current] = await reader.run([{ from, to, filters, questions: [{ kind: 'events', limit, bounds }] }]);
  const { rows } = answerOf(current, 'events');
  const earlier = previous === null || rows.length === 0 ? null : await earlierEvents(reader, rows, previous, filters);
  return {
    data: rows.map(row => {
      const before = earlier === null ? null : (earlier.get(row.name) ?? { events: 0, visitors: 0 });
      return {
        name: row.name,
        type: row.type,
        events: row.events,
        visitors: row.visitors,
        perVisitor: ratio(row.events, row.visitors),
        previousEvents: before?.events ?? null,
        previousVisitors: before?.visitors ?? null,
        delta: delta(row.events, before?.events ?? null),
        lastSeen: isoTime(row.lastAt),
        spark: dates.map((date, i) => ({ date, value: row.spark[i]! })),
      };
    }),
  };
};

/** The same events in an earlier window, asked for by name: there, they need not be among the most frequent. */
const earlierEvents = async (
  reader: Reader,
  rows: readonly EventRow[],
  { from, to }: Span,
  filters: Filter[],
): Promise<Map<string, EventRow>> => {
  const named: Filter = { field: 'event', operator: 'is', negated: false, values: rows.map(row => row.name) };
  const questions: Slice['questions'] = [{ kind: 'events', limit: rows.length, bounds: null }];
  const [answers] = await reader.run([{ from, to, filters: [...filters, named], questions }]);
  return new Map(answerOf(answers, 'events').rows.map(row => [row.name, row]));
};

const eventSeries = async (reader: Reader, { filters }: Parameters, window: Window, name: string): Promise<object> => {
  const { bounds, dates } = reader.buckets(window);
  const everyone = filters.filter(({ field }) => !['event', 'propKey', 'propValue'].includes(field));
  const slices = ({ from, to }: Span, edges: number[]): Slice[] => [
    { from, to, filters, questions: [{ kind: 'eventSeries', bounds: edges }] },
    { from, to, filters: everyone, questions: [{ kind: 'totals' }] },
  ];
  const { previous: before } = window;
  const answers = await reader.run([
    ...slices(window, bounds),
    ...(before === null ? [] : slices(before, [before.from, before.to])),
  ]);
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
      firstSeen: total.firstAt === null ? null : isoTime(total.firstAt),
      lastSeen: total.lastAt === null ? null : isoTime(total.lastAt),
      previous: previous && roundedFields(previous),
      delta: deltas(now, previous),
    },
  };
};

/** What an event is compared by, exactly: its own numbers, and its share of all visitors of the window. */
const comparableOf = (
  ofEvent: Answer[] | undefined,
  ofAll: Answer[] | undefined,
): Record<(typeof compareNames)[number], number> => {
  const { events, visitors } = answerOf(ofEvent, 'eventSeries').total;
  const everyone = answerOf(ofAll, 'totals').totals.visitors;
  return {
    events,
    visitors,
    visitorShare: quotient(visitors * 100, everyone),
    perVisitor: quotient(events, visitors),
  };
};

const propertyKeys = async (
  reader: Reader,
  { filters, ...parameters }: Parameters,
  { from, to }: Span,
): Promise<object> => {
  const limit = parameters.limit(propertyKeysMax, propertyKeysMax);
  const [answers] = await reader.run([{ from, to, filters, questions: [{ kind: 'propertyKeys', limit }] }]);
  const { rows, total } = answerOf(answers, 'propertyKeys');
  return {
    data: rows.map(({ key, events, values, type, numeric }) => ({
      key,
      events,
      values,
      dataType: type,
      coverage: ratio(events * 100, total),
      numeric,
    })),
  };
};

const propertyValues = async (
  reader: Reader,
  { filters, ...parameters }: Parameters,
  { from, to }: Span,
  key: string,
): Promise<object> => {
  const limit = parameters.limit(propertyValuesMax, propertyValuesMax);
  const bins = parameters.flag('histogram') ? histogramBins : 0;
  const [answers] = await reader.run([
    { from, to, filters, questions: [{ kind: 'propertyValues', key, limit, bins }] },
  ]);
  const { rows, total, type, bins: counted } = answerOf(answers, 'propertyValues');
  return {
    data: rows.map(({ name, value, events }) => ({ name, value, events, share: ratio(value * 100, total) })),
    total,
    dataType: type,
    histogram: counted.map(({ from, to, value }) => ({ name: binName(from, to), value, from, to })),
  };
};

/** A label with as many decimals as tell the bin from its neighbours. */
const binName = (from: number, to: number): string => {
  const decimals = Math.min(Math.max(2 - Math.floor(Math.log10(to - from)), 0), 15);
  return [from, to].map(edge => String(Number(edge.toFixed(decimals)))).join(' – ');
};
