/**
 * The rows of one group of hits: one for all of them, or one for each bucket of time, value of a
 * dimension, or goal. Each way is the questions to ask, and how rows are read from the answers.
 */
import { areOfVisits, conditionsOf } from '../../api/definitions.ts';
import { answerOf, type ReadableSite } from '../../api/endpoint.ts';
import type { Span } from '../../api/request/window.ts';
import type { TableMetricName } from '../../model/table-metrics.ts';
import type { Answer, Filter, GoalCounts, MetricRow, Slice } from '../../query/query.ts';
import { headline, headlineOf, mostVisited, namedValues } from '../../query/usual-questions.ts';
import { type PlausibleField, writtenValue } from './fields.ts';
import { outboundGoal, outboundLinks, valueFilter } from './filters.ts';

/** Hits, and the labels that their rows begin with. */
export interface Group extends Span {
  labels: string[];
  filters: Filter[];
}

export interface FoundRow {
  labels: string[];
  /** What the row is of, where it is a value of a dimension; null: those without one. */
  value: string | null;
  values: Partial<Record<TableMetricName, number | null>>;
  /** Visitors of the row without the filters on goals and properties; null: still to be asked. */
  before: number | null;
}

export interface FoundRows {
  rows: FoundRow[];
  /** How many there are, with those that were not asked for. */
  total: number;
}

/** How the rows of a group are asked for: `before` are its filters without those on goals. */
export interface Inner {
  slices(group: Group, before: Filter[] | null): Slice[];
  rows(answers: readonly Answer[][], group: Group): FoundRows;
}

/** A row for each bucket; one row for all, where there are none. */
export const byBuckets = (
  buckets: { bounds: number[]; labels: string[] } | undefined,
  needs: TableMetricName[],
): Inner => ({
  slices: ({ from, to, filters }, before) => {
    const of = (metrics: TableMetricName[], filters: Filter[]): Slice => ({
      ...{ from, to, filters },
      questions: [{ kind: 'metricSeries', metrics, ...(buckets && { bounds: buckets.bounds }) }],
    });
    return [of(needs, filters), ...(before === null ? [] : [of(['visitors'], before)])];
  },
  rows([asked, before], group) {
    const { rows } = answerOf(asked, 'metricSeries');
    const all = before && answerOf(before, 'metricSeries').rows;
    const found = rows.map((row, i) => ({
      labels: [...group.labels, ...(buckets === undefined ? [] : [buckets.labels[i]!])],
      value: null,
      values: namedValues(needs, row),
      before: all?.[i]?.values[0] ?? 0,
    }));
    return { rows: found, total: found.length };
  },
});

export interface ByField {
  field: PlausibleField;
  /** Whether those without a value are a row. */
  withNull: boolean;
  needs: TableMetricName[];
  sort: TableMetricName;
  descending: boolean;
  limit: number;
}

/** A row for each value of a dimension. */
export const byField = ({ field, withNull, needs, sort, descending, limit }: ByField): Inner => ({
  slices({ from, to, filters }) {
    const table = {
      kind: 'table' as const,
      dimension: field.field,
      metrics: needs,
      sort,
      descending,
      limit,
      after: null,
    };
    const asked: Slice = { from, to, filters, questions: [table] };
    if (!withNull) return [asked];
    const unset = [...filters, valueFilter(field, '')];
    const one = { kind: 'metricSeries' as const, metrics: needs };
    return [asked, { from, to, filters: unset, questions: [one] }];
  },
  rows([asked, unset], group) {
    const { rows, total } = answerOf(asked, 'table');
    const found = rows.map(row => ({
      labels: [...group.labels, writtenValue(field, row.name)],
      value: row.name,
      values: namedValues(needs, row),
      before: null,
    }));
    const without = unset && namedValues(needs, answerOf(unset, 'metricSeries').rows[0]!);
    if (!without?.visitors) return { rows: found, total };
    const labels = [...group.labels, field.nullName!];
    return { rows: [...found, { labels, value: null, values: without, before: null }], total: total + 1 };
  },
});

/** A row for each saved goal, for links to other hosts, and for each event of another name. */
export const byGoal = (view: ReadableSite, limit: number): Inner => {
  const goals = view.definitions('goal').map(({ name, body }) => {
    const conditions = conditionsOf('goal', body, view.definitions);
    return { name, conditions, ofVisits: conditions.every(areOfVisits) };
  });
  const isSaved = goals.some(({ name }) => name === outboundGoal);
  if (!isSaved) goals.push({ name: outboundGoal, conditions: [[outboundLinks]], ofVisits: false });
  return {
    slices({ from, to, filters }, before) {
      const table = { ...mostVisited('event', limit), metrics: ofEvents };
      const named = [...filters, { ...outboundLinks, negated: true }];
      return [
        { from, to, filters, questions: [{ kind: 'goals', goals }] },
        { from, to, filters: named, questions: [table] },
        { from, to, filters: before ?? filters, questions: [headline] },
      ];
    },
    rows([asked, named, all], group) {
      const before = headlineOf(answerOf(all, 'metricSeries')).visitors ?? 0;
      const row = (name: string, values: FoundRow['values']): FoundRow => ({
        ...{ labels: [...group.labels, name], value: null, values, before },
      });
      const found = answerOf(asked, 'goals').goals.map((counts, i) => row(goals[i]!.name, valuesOf(counts)));
      const isGoal = new Set(goals.map(({ name }) => name));
      const { rows, total } = answerOf(named, 'table');
      const events = rows.filter(({ name }) => !isGoal.has(name)).map(each => row(each.name, valuesNamed(each)));
      const reached = found.filter(({ values }) => values.visitors !== 0);
      return { rows: [...reached, ...events], total: total - rows.length + reached.length + events.length };
    },
  };
};

const ofEvents: TableMetricName[] = ['visitors', 'visits', 'pageviews', 'events', 'revenue'];

const valuesNamed = (row: MetricRow): FoundRow['values'] => namedValues(ofEvents, row);

const valuesOf = ({ visitors, visits, conversions, revenue }: GoalCounts): FoundRow['values'] => ({
  ...{ visitors, visits, revenue, pageviews: 0, events: conversions },
});
