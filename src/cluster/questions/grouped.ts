/**
 * Hits in groups, by the values of a dimension or by buckets of time, and what each group counts:
 * tables and series are this.
 */
import { type DimensionName, dimensions } from '../../model/dimensions.ts';
import { type DimensionField, isPropertyField } from '../../model/filters.ts';
import { hitTypes, scrollOf } from '../../model/hit.ts';
import {
  type MedianName,
  medianNames,
  noTotals,
  partsFor,
  type RowPart,
  type RowTotals,
  type TableMetricName,
  tableMetrics,
} from '../../model/table-metrics.ts';
import type { AnswerOf, Filter, MetricRow, QuestionOf, TableCursor } from '../../query/query.ts';
import { compareText } from '../../query/rows/top-rows.ts';
import { isTooLarge } from '../client.ts';
import { conditionOf, isEvent, tellsScroll, tellsSeconds, textOf } from '../conditions.ts';
import { addUp, type Cell, medianOf, number, type ResultRow, type Scope, visitorsOf } from '../run.ts';
import { bucketOf } from '../selection.ts';
import { all, any } from '../sql.ts';
import { moneyBy } from './money.ts';

/** What groups the hits, and which of them are in a group at all. */
interface Grouping {
  key: string;
  hits: string;
}

interface Group {
  key: Cell;
  hits: number;
  totals: RowTotals;
}

export const table = async (scope: Scope, question: QuestionOf<'table'>): Promise<AnswerOf<'table'>> => {
  const { dimension, types, metrics, sort, descending, limit, after, conversion } = question;
  const isOfTypes = types === undefined ? isEvent : any(types.map(type => `type = ${hitTypes[type]}`));
  const isCounted = dimension === 'event' ? isOfTypes : '1';
  const grouping = groupingBy(dimension, all([scope.selection.hits, isCounted]));
  const inOrder = orderOf(descending);
  let total = 0;
  const first = await inPasses(grouping, async (part, before: TableRow[], pass) => {
    const groups = await groupsOf(scope, part, partsFor([...metrics, sort]), conversion);
    total = (pass === 0 ? 0 : total) + groups.length;
    const found = groups.map((group): TableRow => {
      const name = nameOf(dimension, group.key);
      const place: TableCursor = { value: tableMetrics[sort].value(group.totals), hits: group.hits, name };
      return { place, row: { name, hits: group.hits, ...metricsOf(group.totals, metrics, [...metrics, sort]) } };
    });
    return [...before, ...(after === null ? found : found.filter(({ place }) => inOrder(place, after) > 0))]
      .sort((a, b) => inOrder(a.place, b.place))
      .slice(0, limit + 1);
  });
  const page = first.slice(0, limit);
  const next = first.length > limit ? page.at(-1)!.place : null;
  return { kind: 'table', rows: page.map(({ row }) => row), total, next };
};

export const metricSeries = async (
  scope: Scope,
  { metrics, bounds }: QuestionOf<'metricSeries'>,
): Promise<AnswerOf<'metricSeries'>> => {
  const key = bounds === undefined ? '0' : bucketOf(bounds);
  const groups = await groupsOf(scope, { key, hits: scope.selection.hits }, partsFor(metrics));
  const found = new Map(groups.map(({ key, totals: of }) => [number(key), of]));
  const rows = (bounds?.slice(1) ?? [0]).map((_, bucket) => metricsOf(found.get(bucket) ?? noTotals, metrics, metrics));
  return { kind: 'metricSeries', rows };
};

const metricsOf = (
  of: RowTotals,
  metrics: readonly TableMetricName[],
  asked: readonly TableMetricName[],
): MetricRow => ({
  values: metrics.map(metric => tableMetrics[metric].value(of)),
  otherRevenue: asked.some(metric => 'isMoney' in tableMetrics[metric]) ? of.otherRevenue : {},
});

/** Rows without a value come last, whichever way they are sorted. */
const orderOf =
  (descending: boolean) =>
  (a: TableCursor, b: TableCursor): number => {
    if (a.value !== b.value) {
      if (a.value === null) return 1;
      if (b.value === null) return -1;
      return descending ? b.value - a.value : a.value - b.value;
    }
    return b.hits - a.hits || compareText(a.name, b.name);
  };

interface TableRow {
  place: TableCursor;
  row: AnswerOf<'table'>['rows'][number];
}

/** A pass has one of so many parts of all groups. */
const passesMax = 256;

/**
 * Works through all groups: at once or, where they are more than an answer may have, in passes,
 * each with a part of them. `work` gives what to keep of a pass and of those before.
 */
const inPasses = async <T>(
  { key, hits }: Grouping,
  work: (part: Grouping, before: T[], pass: number) => Promise<T[]>,
): Promise<T[]> => {
  for (let passes = 1; ; passes *= 16) {
    try {
      let kept: T[] = [];
      for (let pass = 0; pass < passes; pass++) {
        const part = passes === 1 ? [] : [`cityHash64(toString(${key})) % ${passes} = ${pass}`];
        kept = await work({ key, hits: all([hits, ...part]) }, kept, pass);
      }
      return kept;
    } catch (error) {
      if (!isTooLarge(error) || passes === passesMax) throw error;
    }
  }
};

const nullNameOf = (dimension: DimensionField): string | null =>
  isPropertyField(dimension) ? null : dimensions[dimension as DimensionName].nullName;

const nameOf = (dimension: DimensionField, key: Cell): string => (key === '' ? nullNameOf(dimension)! : String(key));

/** Hits without a value are in no group, if nothing names that. */
const groupingBy = (dimension: DimensionField, hits: string): Grouping => {
  const key = textOf(dimension);
  return { key, hits: nullNameOf(dimension) === null ? all([hits, `${key} != ''`]) : hits };
};

/** Of all groups what some parts of their totals need; parts that nobody needs are 0. */
const groupsOf = async (
  scope: Scope,
  grouping: Grouping,
  parts: readonly RowPart[],
  conversion?: Filter,
): Promise<Group[]> => {
  const medians = medianNames.filter(name => parts.includes(name));
  const [counts, money, conversions, ...ofMedians] = await Promise.all([
    countsOf(scope, grouping, parts),
    parts.includes('revenue') ? moneyBy(scope, [grouping.key], grouping.hits) : null,
    parts.includes('conversions') ? conversionsOf(scope, grouping, conversion) : null,
    ...medians.map(name => mediansOf(scope, grouping, name)),
  ]);
  return counts.map(([key, hits, ...cells]) => {
    const [ofVisitors, visits, bounces, visitMs, pageviews, events, entries, exits] = cells as number[];
    const told = medians.map((name, i) => [name, ofMedians[i]!.get(key!) ?? null]);
    return {
      key: key!,
      hits: number(hits),
      totals: {
        ...{ ...noTotals, visits, bounces, visitMs, pageviews, events, entries, exits, visitors: ofVisitors },
        ...money?.([key!]),
        conversions: conversions?.get(key!) ?? 0,
        ...Object.fromEntries(told),
      } as RowTotals,
    };
  });
};

/** The parts that hits tell without a look at each visit. */
const ofHits: readonly RowPart[] = ['visitors', 'visits', 'pageviews', 'revenue', ...medianNames];

/** By group the hits, visitors, visits and so on: first of each visit, then of each group. */
const countsOf = async (scope: Scope, { key, hits }: Grouping, parts: readonly RowPart[]): Promise<Cell[][]> => {
  const { run, selection } = scope;
  const where = `from ${selection.table} where ${hits}`;
  if (parts.every(part => ofHits.includes(part))) {
    const counts = `${visitorsOf(scope)}, ${parts.includes('visits') ? 'uniqExact(visit)' : '0'}, 0, 0, countIf(type = 1)`;
    return addUp(await run(`select ${key} as g, count(), ${counts} ${where} group by g`), 1);
  }
  const ofVisits = `select ${key} as g, visit as v, any(visitor) as w, count() as c, any(pageviews) as views,
    any(duration) as ms, countIf(type = 1) as p, countIf(${isEvent}) as e, sum(isEntry) as entering, sum(isExit) as leaving
    ${where} group by g, v`;
  const shards = await run(
    `select g, sum(c), ${visitorsOf(scope, 'w')}, count(), countIf(views <= 1), sum(ms), sum(p), sum(e), sum(entering), sum(leaving)
     from (${ofVisits}) group by g`,
  );
  return addUp(shards, 1);
};

/** By group the visits that convert, by whichever of their hits. */
const conversionsOf = async (
  { run, selection }: Scope,
  { key, hits }: Grouping,
  conversion?: Filter,
): Promise<Map<Cell, number>> => {
  const converts =
    conversion === undefined
      ? 'converted'
      : `visit in (select visit from ${selection.table} where ${all([selection.days, conditionOf([conversion], selection)])})`;
  const shards = await run(
    `select ${key} as g, uniqExact(visit) from ${selection.table} where ${all([hits, converts])} group by g`,
  );
  return new Map(addUp(shards, 1).map(([group, visits]) => [group!, number(visits)]));
};

/** By group the median of a column over the page views that tell it. */
const mediansOf = async (
  { run, selection }: Scope,
  { key, hits }: Grouping,
  column: MedianName,
): Promise<Map<Cell, number | null>> => {
  const told = all([hits, column === 'scroll' ? tellsScroll : tellsSeconds]);
  const shards = await run(
    `select ${key} as g, ${column} as value, count() from ${selection.table} where ${told} group by g, value`,
  );
  const ofGroups = Map.groupBy(addUp(shards, 2), ([group]) => group!);
  const counted = ([, value, count]: ResultRow): [number, number] => [
    column === 'scroll' ? scrollOf(number(value))! : number(value),
    number(count),
  ];
  return new Map([...ofGroups].map(([group, rows]) => [group, medianOf(rows.map(counted))]));
};
