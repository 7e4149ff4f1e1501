/**
 * The questions of the query benchmark, as an Ask for Daybook and as SQL for the competitors, with
 * the rows that all must agree on.
 */
import { type DimensionName, dimensionNames, dimensions, exportSections } from '../src/model/dimensions.ts';
import {
  type DimensionField,
  fieldKey,
  filterParameter,
  type HitField,
  isPropertyField,
  operatorOf,
} from '../src/model/filters.ts';
import { exportRowsMax, exportVisitsMax } from '../src/model/limits.ts';
import { tableMetricNames } from '../src/model/table-metrics.ts';
import { dayMs, hourMs } from '../src/model/time.ts';
import { directName } from '../src/model/visit-fields.ts';
import type { Answer, FieldFilter, MetricRow, Question, Slice } from '../src/query/query.ts';
import { headline, headlineOf, topRowsOf, topValues } from '../src/query/usual-questions.ts';
import { competitorColumns } from './query-rows.ts';

export type Row = (string | number)[];

/** Daybook as the questions ask it: by what goes to its threads, or by what a client gets. */
export interface Daybook {
  report(slice: Slice): Promise<Answer[]>;
  /** The file that the CSV export answers with. */
  csv(search: URLSearchParams): Promise<string>;
}

export interface Statement {
  sql: string;
  /** What the rows say in the form of the question's; as they are where there is nothing. */
  read?: (rows: Row[]) => Row[];
}

export interface Case {
  name: string;
  /**
   * Asks with some filters more; what the answer says, for comparison with the rows of the
   * statements.
   */
  daybook(daybook: Daybook, more: readonly FieldFilter[]): Promise<Row[]>;
  /** The same for the competitors; their rows follow each other. */
  statements(dialect: Dialect): Statement[];
}

/** Where the competitors' SQL differs. */
export interface Dialect {
  distinct(column: string): string;
  countIf(condition: string): string;
  any(column: string): string;
  /** Whole part of a quotient. */
  div(a: string, b: number): string;
  contains(column: string, text: string): string;
  /** A query for each visit’s visitor and the number of steps that it `reached`, in their order. */
  stepsReached(conditions: readonly string[], where: string): string;
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
    ...dimensionNames.filter(isColumn).map(dimension => breakdown(dimension, [], { from, to })),
    breakdown('path', [country], { from, to }),
    breakdown('country', [path], { from, to }),
    breakdown('path', [country, is('device', 'mobile')], { from, to }),
    breakdown('city', [country, path], { from, to }),
    breakdown('path', [contains('path', 'page-12')], { from, to }),
    breakdown('path', [not(country)], { from, to }),
    breakdown('prop:plan', [], { from, to }),
    breakdown('path', [is('prop:plan', 'pro')], { from, to }),
    table('country', { from, to }),
    table('path', { from, to }),
    metricSeries(days),
    totals([], { from, to }),
    totals([country], { from, to }),
    totals([path], { from, to }),
    totals([is('prop:plan', 'pro')], { from, to }),
    totals([{ ...is('duration', '30'), operator: 'moreThan' }], { from, to }),
    totals([{ ...is('event', 'Signup'), visit: true }], { from, to }),
    goals({ from, to }, [is('event', 'Signup'), path]),
    series('days', days, []),
    series('days of Berlin', bounds(from, to, -2 * hourMs), []),
    series('days', days, [country]),
    events({ from, to }),
    eventSeries(days),
    propertyValues({ from, to }),
    // No hit is two steps: ClickHouse lets one take the place of an earlier hit of the first.
    funnel({ from, to }, [[is('path', '/')], [path, is('event', '')], [is('event', 'Signup')]]),
    journey({ from, to }, words.path),
    visits({ from, to }),
    breakdownCsv({ from, to }),
    visitsCsv({ from, to }),
  ];
};

/** The competitors have no column of what Daybook works out when it reads. */
const isColumn = (dimension: DimensionName): boolean => competitorColumns.some(([name]) => name === dimension);

const is = (field: HitField, value: string): FieldFilter => ({
  field,
  operator: 'is',
  negated: false,
  values: [value],
});
const contains = (field: HitField, value: string): FieldFilter => ({ ...is(field, value), operator: 'contains' });
const not = (filter: FieldFilter): FieldFilter => ({ ...filter, negated: true });

/** Bounds of days that begin some milliseconds after the UTC days do. */
const bounds = (from: number, to: number, shift: number): number[] =>
  Array.from({ length: (to - from) / dayMs + 1 }, (_, day) => from + shift + day * dayMs);

const conditionText = (filter: FieldFilter): string => {
  const { symbol, label } = operatorOf(filter);
  return `${filter.visit ? 'visit:' : ''}${filter.field} ${symbol === '=' ? symbol : label} ${filter.values[0]}`;
};

const describe = (what: string, filters: readonly FieldFilter[]): string =>
  filters.length === 0 ? what : `${what} where ${filters.map(conditionText).join(', ')}`;

/** The condition that a window and filters are in SQL. */
const where = (dialect: Dialect, { from, to }: Window, filters: readonly FieldFilter[], ...more: string[]): string => {
  const within = `instant >= ${from} and instant < ${to}`;
  const conditions = filters.map(filter => {
    const test = testSql(dialect, filter);
    const whole = filter.visit ? `visit in (select visit from hits where ${within} and ${test})` : test;
    return filter.negated ? `not (${whole})` : whole;
  });
  return [within, ...conditions, ...more].join(' and ');
};

const testSql = (dialect: Dialect, { field, operator, values: [value] }: FieldFilter): string => {
  if (field === 'duration' && operator === 'moreThan') return `hits.visitMs > ${1000 * Number(value)}`;
  return operator === 'is' ? `${columnOf(field)} = '${value}'` : dialect.contains(columnOf(field), value!);
};

/** Properties are columns of their key's name. */
const columnOf = (field: string): string => (isPropertyField(field) ? fieldKey(field) : field);

const one = <K extends Question['kind']>(answer: Answer, kind: K): Extract<Answer, { kind: K }> => {
  if (answer.kind !== kind) throw new Error(`${answer.kind} is not ${kind}`);
  return answer as Extract<Answer, { kind: K }>;
};

/** A question of one ask, and of one statement. */
interface Plain {
  name: string;
  slice: Slice;
  rows(answer: Answer): Row[];
  sql(dialect: Dialect): string;
}

const plain = ({ name, slice, rows, sql }: Plain): Case => ({
  name,
  async daybook(daybook, more) {
    const [answer] = await daybook.report({ ...slice, filters: [...slice.filters, ...more] });
    return rows(answer!);
  },
  statements: dialect => [{ sql: sql(dialect) }],
});

const breakdown = (dimension: DimensionField, filters: FieldFilter[], window: Window): Case =>
  plain({
    name: describe(`by ${dimension}`, filters),
    slice: { ...window, filters, questions: [topValues(dimension, 20)] },
    rows: answer => topRowsOf(one(answer, 'table')).map(row => [row.name, row.value, row.events]),
    sql: dialect => breakdownSql(dialect, dimension, filters, window, 20),
  });

const breakdownSql = (
  dialect: Dialect,
  dimension: DimensionField,
  filters: readonly FieldFilter[],
  window: Window,
  limit: number,
): string => {
  const column = columnOf(dimension);
  const only = dimension === 'referrer' ? [] : [`${column} != ''`];
  const types = dimension === 'event' ? ['type in (2, 3)'] : [];
  const name = dimension === 'referrer' ? `case when referrer = '' then '${directName}' else referrer end` : column;
  return `select ${name} as name, ${dialect.distinct('visitor')} as value, count(*) as events from hits
          where ${where(dialect, window, filters, ...only, ...types)}
          group by name order by value desc, events desc, name limit ${limit}`;
};

/** The metrics of a row from which the others are worked out. */
const sumNames = ['visitors', 'pageviews', 'visits', 'bounces', 'events', 'avgVisitSeconds'] as const;
const sumsOf = ({ values }: MetricRow): number[] => {
  const [visitors, pageviews, visits, bounces, events, seconds] = sumNames.map(
    name => values[tableMetricNames.indexOf(name)] ?? 0,
  ) as [number, number, number, number, number, number];
  return [visitors, pageviews, visits, bounces, Math.round(seconds * visits * 1000), events];
};

/** All metrics, of which the other databases work out those that sums and counts give. */
const table = (dimension: DimensionName, window: Window): Case =>
  plain({
    name: `table by ${dimension}`,
    slice: {
      ...window,
      filters: [],
      questions: [
        {
          kind: 'table',
          dimension,
          metrics: tableMetricNames,
          sort: 'visitors',
          descending: true,
          limit: 20,
          after: null,
        },
      ],
    },
    rows: answer => one(answer, 'table').rows.map(row => [row.name, ...sumsOf(row)]),
    sql: dialect =>
      `${groupedSql(dialect, dimension, window, `${dimension} != ''`)} order by visitors desc, sum(hits) desc, name limit 20`,
  });

const metricSeries = (bounds: number[]): Case => {
  const window = { from: bounds[0]!, to: bounds.at(-1)! };
  return plain({
    name: 'all metrics by day',
    slice: { ...window, filters: [], questions: [{ kind: 'metricSeries', metrics: tableMetricNames, bounds }] },
    rows: answer => one(answer, 'metricSeries').rows.map((row, i) => [i, ...sumsOf(row)]),
    sql: dialect => `${groupedSql(dialect, dialect.div(`instant - ${window.from}`, dayMs), window)} order by name`,
  });
};

/** What `sumsOf` says of each group of the hits that pass some conditions. */
const groupedSql = (dialect: Dialect, group: string, window: Window, ...conditions: string[]): string =>
  `select name, ${dialect.distinct('visitor')} as visitors, sum(pageviews), count(*),
          ${dialect.countIf('visitPageviews <= 1')}, sum(visitMs), sum(events)
   from (
     select ${group} as name, visit, ${dialect.any('visitor')} as visitor,
            ${dialect.any('visitPageviews')} as visitPageviews, ${dialect.any('visitMs')} as visitMs,
            ${dialect.countIf('type = 1')} as pageviews, ${dialect.countIf('type > 1')} as events, count(*) as hits
     from hits where ${where(dialect, window, [], ...conditions)} group by name, visit
   ) as visits
   group by name`;

const totals = (filters: FieldFilter[], window: Window): Case =>
  plain({
    name: describe('totals', filters),
    slice: { ...window, filters, questions: [headline] },
    rows(answer) {
      const of = headlineOf(one(answer, 'metricSeries'));
      // No day of a bench is imported as a sum.
      const visitMs = Math.round(of.avgVisitSeconds! * of.visits! * 1000);
      return [[of.visitors!, of.visits!, of.bounces!, visitMs, of.pageviews!, of.events!]];
    },
    sql: dialect => totalsSql(dialect, filters, window),
  });

const totalsSql = (dialect: Dialect, filters: readonly FieldFilter[], window: Window): string =>
  `select ${dialect.distinct('visitor')}, count(*), ${dialect.countIf('visitPageviews <= 1')}, sum(visitMs), sum(pageviews), sum(events)
   from (
     select visit, ${dialect.any('visitor')} as visitor, ${dialect.any('visitPageviews')} as visitPageviews,
            ${dialect.any('visitMs')} as visitMs, ${dialect.countIf('type = 1')} as pageviews, ${dialect.countIf('type > 1')} as events
     from hits where ${where(dialect, window, filters)} group by visit
   ) as visits`;

const series = (name: string, bounds: number[], filters: FieldFilter[]): Case => {
  const window = { from: bounds[0]!, to: bounds.at(-1)! };
  return plain({
    name: describe(`series of ${name}`, filters),
    slice: {
      ...window,
      filters,
      questions: [{ kind: 'metricSeries', metrics: ['visitors', 'pageviews', 'visits'], bounds }],
    },
    rows: answer => one(answer, 'metricSeries').rows.map(({ values }, i) => [i, ...values.map(value => value ?? 0)]),
    sql: dialect => seriesSql(dialect, filters, window),
  });
};

/** Of days that begin where the window does. */
const seriesSql = (dialect: Dialect, filters: readonly FieldFilter[], window: Window): string =>
  `select ${dialect.div(`instant - ${window.from}`, dayMs)} as bucket, ${dialect.distinct('visitor')}, ${dialect.countIf('type = 1')},
          ${dialect.distinct('visit')}
   from hits where ${where(dialect, window, filters)} group by bucket order by bucket`;

const isEvent = `event != '' and type > 1`;

const events = (window: Window): Case =>
  plain({
    name: 'list of events',
    slice: { ...window, filters: [], questions: [{ kind: 'events', limit: 100, bounds: null }] },
    rows: answer => one(answer, 'events').rows.map(row => [row.name, row.events, row.visitors, row.lastAt]),
    sql: dialect =>
      `select event as name, count(*) as events, ${dialect.distinct('visitor')}, max(instant)
     from hits where ${where(dialect, window, [], isEvent)} group by name order by events desc, name limit 100`,
  });

const eventSeries = (bounds: number[]): Case => {
  const window = { from: bounds[0]!, to: bounds.at(-1)! };
  const filters = [is('event', 'Signup')];
  return plain({
    name: 'one event by day',
    slice: { ...window, filters, questions: [{ kind: 'eventSeries', bounds }] },
    rows(answer) {
      const { events, visitors } = one(answer, 'eventSeries');
      return events.map((value, i) => [i, value, visitors[i]!]);
    },
    sql: dialect =>
      `select ${dialect.div(`instant - ${window.from}`, dayMs)} as bucket, count(*), ${dialect.distinct('visitor')}
       from hits where ${where(dialect, window, filters, isEvent)} group by bucket order by bucket`,
  });
};

/** Each goal is one condition. */
const goals = (window: Window, conditions: FieldFilter[]): Case =>
  plain({
    name: `${conditions.length} goals`,
    slice: {
      ...window,
      filters: [],
      questions: [{ kind: 'goals', goals: conditions.map(one => ({ conditions: [[one]], ofVisits: false })) }],
    },
    rows: answer => [one(answer, 'goals').goals.flatMap(goal => [goal.conversions, goal.visits, goal.visitors])],
    sql(dialect) {
      const counts = conditions.flatMap(condition => {
        const test = testSql(dialect, condition);
        const distinct = (column: string): string => dialect.distinct(`case when ${test} then ${column} end`);
        return [dialect.countIf(test), distinct('visit'), distinct('visitor')];
      });
      return `select ${counts.join(', ')} from hits where ${where(dialect, window, [])}`;
    },
  });

const propertyValues = (window: Window): Case => {
  const filters = [is('event', 'Signup')];
  return plain({
    name: 'values of a property',
    slice: { ...window, filters, questions: [{ kind: 'propertyValues', key: 'plan', limit: 25, bins: 12 }] },
    rows: answer => one(answer, 'propertyValues').rows.map(row => [row.name, row.value]),
    sql: dialect =>
      `select plan as name, count(*) as value from hits where ${where(dialect, window, filters, isEvent, `plan != ''`)}
       group by name order by value desc, name limit 25`,
  });
};

const funnel = (window: Window, steps: FieldFilter[][]): Case =>
  plain({
    name: `funnel of ${steps.length} steps`,
    slice: {
      ...window,
      filters: [],
      questions: [{ kind: 'funnel', steps, scope: 'visit' }],
    },
    rows(answer) {
      const { visits, visitors } = one(answer, 'funnel');
      return [[...visits, ...visitors]];
    },
    sql(dialect) {
      const reached = steps.map((_, i) => `reached >= ${i + 1}`);
      const visitorsAt = ['reached >= 0', ...reached].map(condition =>
        dialect.distinct(`case when ${condition} then visitor end`),
      );
      const conditions = steps.map(step =>
        step.map(({ field, values: [value] }) => `${field} = '${value}'`).join(' and '),
      );
      return `select count(*), ${reached.map(dialect.countIf).join(', ')}, ${visitorsAt.join(', ')}
              from (${dialect.stepsReached(conditions, where(dialect, window, []))}) as visits`;
    },
  });

/** The pages after the first view of a page. */
const journey = (window: Window, path: string): Case =>
  plain({
    name: 'pages after a page',
    slice: {
      ...window,
      filters: [],
      questions: [
        {
          kind: 'journey',
          direction: 'after',
          // A page view, and no event on the page.
          anchor: [is('path', path), is('event', '')],
          via: [],
          show: 'pages',
          folder: 0,
          limit: 20,
        },
      ],
    },
    rows: answer => one(answer, 'journey').levels[0]!.rows.map(row => [row.step.name, row.visits, row.visitors]),
    sql: dialect =>
      `select next as name, count(*) as visits, ${dialect.distinct('visitor')} as visitors from (
         select visitor, path, lead(path) over (partition by visit order by instant) as next,
                row_number() over (partition by visit, path order by instant) as nth
         from (
           select visit, visitor, instant, path, lag(path) over (partition by visit order by instant) as before
           from hits where ${where(dialect, window, [], 'type = 1')}
         ) as pages where before is null or before != path
       ) as steps where path = '${path}' and nth = 1 and next is not null and next != ''
       group by name order by visits desc, visitors desc, name limit 20`,
  });

/** Of a visit as the API lists it. */
interface ListedVisit {
  started: string;
  pageviews: number;
  events: number;
}

const visits = (window: Window): Case =>
  plain({
    name: 'latest 50 visits',
    slice: {
      ...window,
      filters: [],
      questions: [
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
          form: 'json',
        },
      ],
    },
    rows: answer =>
      (JSON.parse(`[${one(answer, 'visits').pieces.join('')}]`) as ListedVisit[]).map(row => [
        Date.parse(row.started),
        row.pageviews,
        row.pageviews + row.events,
      ]),
    sql: dialect => latestVisitsSql(dialect, window, ['visitPageviews'], 50),
  });

/**
 * Started, and some columns that every hit of a visit repeats, of the latest visits; `counted` is
 * one of its own hits.
 */
const latestVisitsSql = (
  dialect: Dialect,
  window: Window,
  columns: readonly string[],
  limit: number,
  counted = 'count(*)',
): string => {
  const repeated = ['started', ...columns];
  return `select ${repeated.join(', ')}, counted from (
     select visit, ${['visitor', ...repeated].map(name => `${dialect.any(name)} as ${name}`).join(', ')}, ${counted} as counted
     from hits where ${where(dialect, window, [])} group by visit
   ) as visits order by started desc, visitor limit ${limit}`;
};

/** The parameters of an address that a window of whole days and filters are. */
const searchOf = ({ from, to }: Window, filters: readonly FieldFilter[]): URLSearchParams => {
  const date = (at: number): string => new Date(at).toISOString().slice(0, 10);
  const search = new URLSearchParams({ from: date(from), to: date(to - 1) });
  for (const filter of filters) for (const value of filter.values) search.append(...filterParameter(filter, value));
  return search;
};

/** The lines of a file none of whose cells needs quotes. */
const csvRows = (file: string): string[][] => {
  if (file.includes('"')) throw new Error('a cell is quoted, which the benchmark does not read');
  return file
    .trimEnd()
    .split('\n')
    .map(line => line.split(','));
};

export const breakdownCsvName = 'breakdown CSV';

/**
 * Which of the competitors' statements about the whole breakdown CSV are its sections: those behind
 * the totals and the series.
 */
export const isSection = (statement: number): boolean => statement >= 2;

const breakdownCsv = (window: Window): Case => {
  const compared = ['Unique visitors', 'Visits', 'Bounces', 'Pageviews'];
  const isCompared = ([section, name]: string[]): boolean => section !== 'Summary' || compared.includes(name!);
  return {
    name: breakdownCsvName,
    async daybook(daybook, more) {
      const [, , , ...lines] = csvRows(await daybook.csv(searchOf(window, more)));
      return lines.filter(isCompared).map(([section, name, value]) => [section!, name!, Number(value)]);
    },
    statements: dialect => [
      {
        sql: totalsSql(dialect, [], window),
        read: ([[visitors, visits, bounces, , pageviews] = [] as Row]) => [
          ['Summary', 'Unique visitors', visitors!],
          ['Summary', 'Pageviews', pageviews!],
          ['Summary', 'Visits', visits!],
          ['Summary', 'Bounces', bounces!],
        ],
      },
      {
        sql: seriesSql(dialect, [], window),
        read: rows => {
          const date = (bucket: number): string => new Date(window.from + bucket * dayMs).toISOString().slice(0, 19);
          return [
            ...rows.map(([bucket, visitors]): Row => ['Series', date(bucket as number), visitors!]),
            ...rows.map(([bucket, , pageviews]): Row => ['Series pageviews', date(bucket as number), pageviews!]),
          ];
        },
      },
      ...exportSections.map(dimension => ({
        sql: breakdownSql(dialect, dimension, [], window, exportRowsMax),
        read: (rows: Row[]) => rows.map(([name, value]): Row => [dimensions[dimension].section!, String(name), value!]),
      })),
    ],
  };
};

/**
 * What the sessions CSV says of a visit and the competitors' table says too, in the order of the
 * file.
 */
const visitFields = [
  'entryPath',
  'exitPath',
  'referrer',
  'utmSource',
  'utmCampaign',
  'country',
  'region',
  'city',
  'language',
  'browser',
  'os',
  'device',
];

const visitsCsv = (window: Window): Case => ({
  name: `sessions CSV of ${exportVisitsMax.toLocaleString('en-US')} visits`,
  async daybook(daybook, more) {
    const search = searchOf(window, more);
    search.set('mode', 'sessions');
    const [, ...lines] = csvRows(await daybook.csv(search));
    const [pageviews, events, seconds] = [17, 18, 20];
    return lines.map(cells => [
      ...cells.slice(0, 2),
      ...cells.slice(4, 16),
      ...[pageviews, events, seconds].map(column => Number(cells[column!])),
    ]);
  },
  statements: dialect => [
    {
      sql: latestVisitsSql(
        dialect,
        window,
        ['visitMs', 'visitPageviews', ...visitFields],
        exportVisitsMax,
        dialect.countIf('type > 1'),
      ),
      read: rows =>
        rows.map(cells => {
          const [started, visitMs, pageviews] = cells as [number, number, number];
          const times = [started, started + visitMs].map(at => new Date(at).toISOString());
          return [...times, ...cells.slice(3, -1), pageviews, cells.at(-1)!, Math.round(visitMs / 1000)];
        }),
    },
  ],
});
