/** The questions of the query benchmark, as an Ask for Daybook and as SQL for the peers, with the rows that all must agree on. */
import { type DimensionName, dimensionNames } from '../src/model/dimensions.ts';
import type { FilterField } from '../src/model/filters.ts';
import { dayMs, hourMs } from '../src/model/time.ts';
import type { Answer, Ask, Filter, Slice } from '../src/query/query.ts';

export type Row = (string | number)[];

export interface Case {
  name: string;
  slice: Slice;
  /** What the answer says, for comparison with the rows of the SQL. */
  rows(answer: Answer): Row[];
  sql(dialect: Dialect): string;
}

/** Where the peers' SQL differs. */
export interface Dialect {
  distinct(column: string): string;
  countIf(condition: string): string;
  any(column: string): string;
  /** Whole part of a quotient. */
  div(a: string, b: number): string;
  contains(column: string, text: string): string;
}

export interface Window {
  from: number;
  to: number;
}

export const casesFor = ({ from, to }: Window, words: { country: string; path: string }): Case[] => {
  const country = is('country', words.country);
  const path = is('path', words.path);
  const days = bounds(from, to, 0);
  return [
    ...dimensionNames.map(dimension => breakdown(dimension, [], { from, to })),
    breakdown('path', [country], { from, to }),
    breakdown('country', [path], { from, to }),
    breakdown('path', [country, is('device', 'mobile')], { from, to }),
    breakdown('city', [country, path], { from, to }),
    breakdown('path', [contains('path', 'page-12')], { from, to }),
    breakdown('path', [not(country)], { from, to }),
    totals([], { from, to }),
    totals([country], { from, to }),
    totals([path], { from, to }),
    series('days', days, []),
    series('days of Berlin', bounds(from, to, -2 * hourMs), []),
    series('days', days, [country]),
    events({ from, to }),
    eventSeries(days),
    propertyValues({ from, to }),
    visits({ from, to }),
  ];
};

const is = (field: FilterField, value: string): Filter => ({ field, operator: 'is', negated: false, values: [value] });
const contains = (field: FilterField, value: string): Filter => ({ ...is(field, value), operator: 'contains' });
const not = (filter: Filter): Filter => ({ ...filter, negated: true });

/** Bounds of days that begin some milliseconds after the UTC days do. */
const bounds = (from: number, to: number, shift: number): number[] =>
  Array.from({ length: (to - from) / dayMs + 1 }, (_, day) => from + shift + day * dayMs);

const operatorNames = { is: '=', contains: 'contains', startsWith: 'starts with', endsWith: 'ends with' };

const describe = (what: string, filters: readonly Filter[]): string =>
  filters.length === 0
    ? what
    : `${what} where ${filters.map(f => `${f.field} ${f.negated ? 'is not' : operatorNames[f.operator]} ${f.values[0]}`).join(', ')}`;

/** The condition that a window and filters are in SQL. */
const where = (dialect: Dialect, { from, to }: Window, filters: readonly Filter[], ...more: string[]): string => {
  const conditions = filters.map(({ field, operator, negated, values: [value] }) => {
    const test = operator === 'is' ? `${field} = '${value}'` : dialect.contains(field, value!);
    return negated ? `not (${test})` : test;
  });
  return [`instant >= ${from} and instant < ${to}`, ...conditions, ...more].join(' and ');
};

const one = <K extends Ask['kind']>(answer: Answer, kind: K): Extract<Answer, { kind: K }> => {
  if (answer.kind !== kind) throw new Error(`${answer.kind} is not ${kind}`);
  return answer as Extract<Answer, { kind: K }>;
};

const breakdown = (dimension: DimensionName, filters: Filter[], window: Window): Case => {
  const only = dimension === 'referrer' ? [] : [`${dimension} != ''`];
  const types = dimension === 'event' ? ['type in (2, 3)'] : [];
  const name = dimension === 'referrer' ? `case when referrer = '' then 'Direct / none' else referrer end` : dimension;
  return {
    name: describe(`by ${dimension}`, filters),
    slice: { ...window, filters, asks: [{ kind: 'breakdown', dimension, limit: 20 }] },
    rows: answer => one(answer, 'breakdown').rows.map(row => [row.name, row.value, row.events]),
    sql: dialect =>
      `select ${name} as name, ${dialect.distinct('visitor')} as value, count(*) as events from hits
       where ${where(dialect, window, filters, ...only, ...types)}
       group by name order by value desc, events desc, name limit 20`,
  };
};

const totals = (filters: Filter[], window: Window): Case => ({
  name: describe('totals', filters),
  slice: { ...window, filters, asks: [{ kind: 'totals' }] },
  rows(answer) {
    const { visitors, visits, bounces, visitMs, pageviews, events } = one(answer, 'totals').totals;
    return [[visitors, visits, bounces, visitMs, pageviews, events]];
  },
  sql: dialect =>
    `select ${dialect.distinct('visitor')}, count(*), ${dialect.countIf('visitPageviews <= 1')}, sum(visitMs), sum(pageviews), sum(events)
     from (
       select visit, ${dialect.any('visitor')} as visitor, ${dialect.any('visitPageviews')} as visitPageviews,
              ${dialect.any('visitMs')} as visitMs, ${dialect.countIf('type = 1')} as pageviews, ${dialect.countIf('type > 1')} as events
       from hits where ${where(dialect, window, filters)} group by visit
     ) as visits`,
});

const series = (name: string, bounds: number[], filters: Filter[]): Case => {
  const window = { from: bounds[0]!, to: bounds.at(-1)! };
  return {
    name: describe(`series of ${name}`, filters),
    slice: { ...window, filters, asks: [{ kind: 'series', bounds }] },
    rows(answer) {
      const { visitors, pageviews, visits } = one(answer, 'series');
      return visitors.map((value, i) => [i, value, pageviews[i]!, visits[i]!]);
    },
    sql: dialect =>
      `select ${dialect.div(`instant - ${window.from}`, dayMs)} as bucket, ${dialect.distinct('visitor')}, ${dialect.countIf('type = 1')},
              ${dialect.distinct('visit')}
       from hits where ${where(dialect, window, filters)} group by bucket order by bucket`,
  };
};

const isEvent = `event != '' and type > 1`;

const events = (window: Window): Case => ({
  name: 'list of events',
  slice: { ...window, filters: [], asks: [{ kind: 'events', limit: 100, bounds: null }] },
  rows: answer => one(answer, 'events').rows.map(row => [row.name, row.events, row.visitors, row.lastAt]),
  sql: dialect =>
    `select event as name, count(*) as events, ${dialect.distinct('visitor')}, max(instant)
     from hits where ${where(dialect, window, [], isEvent)} group by name order by events desc, name limit 100`,
});

const eventSeries = (bounds: number[]): Case => {
  const window = { from: bounds[0]!, to: bounds.at(-1)! };
  const filters = [is('event', 'Signup')];
  return {
    name: 'one event by day',
    slice: { ...window, filters, asks: [{ kind: 'eventSeries', bounds }] },
    rows(answer) {
      const { events, visitors } = one(answer, 'eventSeries');
      return events.map((value, i) => [i, value, visitors[i]!]);
    },
    sql: dialect =>
      `select ${dialect.div(`instant - ${window.from}`, dayMs)} as bucket, count(*), ${dialect.distinct('visitor')}
       from hits where ${where(dialect, window, filters, isEvent)} group by bucket order by bucket`,
  };
};

const propertyValues = (window: Window): Case => {
  const filters = [is('event', 'Signup')];
  return {
    name: 'values of a property',
    slice: { ...window, filters, asks: [{ kind: 'propertyValues', key: 'plan', limit: 25, bins: 12 }] },
    rows: answer => one(answer, 'propertyValues').rows.map(row => [row.name, row.value]),
    sql: dialect =>
      `select plan as name, count(*) as value from hits where ${where(dialect, window, filters, isEvent, `plan != ''`)}
       group by name order by value desc, name limit 25`,
  };
};

const visits = (window: Window): Case => ({
  name: 'latest 50 visits',
  slice: {
    ...window,
    filters: [],
    asks: [
      {
        kind: 'visits',
        sort: 'started',
        descending: true,
        limit: 50,
        search: '',
        converted: false,
        bounced: false,
        paid: false,
        returning: false,
        after: null,
      },
    ],
  },
  rows: answer => one(answer, 'visits').rows.map(row => [row.started, row.pageviews]),
  sql: dialect =>
    `select started, visitPageviews from (
       select visit, ${dialect.any('started')} as started, ${dialect.any('visitPageviews')} as visitPageviews, ${dialect.any('visitor')} as visitor
       from hits where ${where(dialect, window, [])} group by visit
     ) as visits order by started desc, visitor limit 50`,
});
