/**
 * A question of Plausible's clients as ours: rows of metrics, by none, one or two dimensions. Of
 * two, one divides the hits into groups, whose rows are asked for one by one, so it may have few
 * values.
 */
import type { QueryStep, ReadableSite } from '../../api/endpoint.ts';
import { bucketsOf, hasTooManyBuckets } from '../../api/request/buckets.ts';
import type { Bucket, Span } from '../../api/request/window.ts';
import type { TableMetricName } from '../../model/table-metrics.ts';
import { finish, totalFacts, totalSlices, withoutGoals } from './answer.ts';
import { badQuery } from './errors.ts';
import { goalOfRow, valueFilter } from './filters.ts';
import { byBuckets, byField, byGoal, type FoundRows, type Group, type Inner } from './inner.ts';
import { plausibleMetrics } from './metrics.ts';
import { bucketLabel } from './periods.ts';
import {
  type AskedDimension,
  type FieldDimension,
  type PlausibleAnswer,
  type PlausibleQuestion,
  rowsMax,
  type TimeDimension,
} from './question.ts';

/** Of each of several groups. */
const groupRowsMax = 1000;
/** Groups that the first of two dimensions may make. */
const groupsMax = 50;
const bucketGroupsMax = 100;

/** Plans the rows. Throws HttpError for what cannot be asked. */
export const planRows = (question: PlausibleQuestion, view: ReadableSite): QueryStep<PlausibleAnswer> => {
  const [first, second] = question.dimensions;
  if (question.offset + question.limit > rowsMax) throw badQuery(`Pages reach to row ${rowsMax} at most.`);
  if (second === undefined) return planGroups([wholeGroup(question)], first, question, view);
  if (question.metrics.includes('group_conversion_rate')) {
    throw badQuery('group_conversion_rate cannot be asked for with two dimensions.');
  }
  const outer = outerOf(first!, second);
  if (outer === undefined) return planPairs(question, view);
  const inner = outer === first ? second : first!;
  return outer.kind === 'goal'
    ? planByGoals(inner, question, view)
    : planGroups(bucketGroups(outer, question, view), inner, question, view);
};

const wholeGroup = ({ from, to, filters }: PlausibleQuestion): Group => ({
  ...{ from, to, labels: [], filters: filters.map(({ filter }) => filter) },
});

/** Which of two dimensions makes groups; undefined where their values decide. */
const outerOf = (
  first: AskedDimension,
  second: AskedDimension,
): Exclude<AskedDimension, FieldDimension> | undefined => {
  const [one, other] = [first, second].filter(dimension => dimension.kind !== 'field');
  return other?.kind === 'goal' ? other : one;
};

const bucketGroups = (outer: TimeDimension, question: PlausibleQuestion, view: ReadableSite): Group[] => {
  const whole = wholeGroup(question);
  const { bounds, labels } = bucketsIn(question, outer.bucket, view);
  if (labels.length > bucketGroupsMax) {
    throw badQuery(
      `${outer.name} beside another dimension can have ${bucketGroupsMax} values at most, and this range has ${labels.length}. Ask for a shorter range or longer steps.`,
    );
  }
  return labels.map((label, i) => ({ ...whole, from: bounds[i]!, to: bounds[i + 1]!, labels: [label] }));
};

/** A group for each goal that somebody reached. */
const planByGoals = (
  inner: AskedDimension,
  question: PlausibleQuestion,
  view: ReadableSite,
): QueryStep<PlausibleAnswer> => {
  const whole = wholeGroup(question);
  const goals = byGoal(view, groupsMax);
  return {
    slices: goals.slices(whole, null),
    render(report) {
      const { rows, total } = goals.rows(report, whole);
      if (total > groupsMax) {
        throw badQuery(`event:goal beside another dimension can have ${groupsMax} goals at most: here are ${total}.`);
      }
      const groups = rows.map(({ labels }) => ({
        ...{ ...whole, labels, filters: [...whole.filters, goalOfRow(labels[0]!, view)] },
      }));
      return planGroups(groups, inner, question, view);
    },
  };
};

const bucketsIn = (span: Span, bucket: Bucket, view: ReadableSite): { bounds: number[]; labels: string[] } => {
  if (hasTooManyBuckets(span, bucket)) throw badQuery('The range has too many steps of time. Ask for longer ones.');
  const { bounds, dates } = bucketsOf({ ...span, bucket }, view.zone);
  const begin = view.zone.local(span.from);
  return { bounds, labels: dates.map(date => bucketLabel(bucket, Date.parse(`${date}Z`), begin)) };
};

/** Two dimensions of hits: the one with fewer values makes the groups. */
const planPairs = (question: PlausibleQuestion, view: ReadableSite): QueryStep<PlausibleAnswer> => {
  const whole = wholeGroup(question);
  const fields = question.dimensions.filter(dimension => dimension.kind === 'field');
  const asked = fields.map(({ field, withNull }) =>
    byField({ field, withNull, needs: ['visitors'], sort: 'visitors', descending: true, limit: groupsMax }),
  );
  const slices = asked.map(inner => inner.slices(whole, null));
  return {
    slices: slices.flat(),
    render(report) {
      const cut = slices[0]!.length;
      const found = [asked[0]!.rows(report.slice(0, cut), whole), asked[1]!.rows(report.slice(cut), whole)];
      const place = found[0]!.total <= found[1]!.total ? 0 : 1;
      const { rows, total } = found[place]!;
      if (total > groupsMax) {
        const counts = found.map((one, i) => `${fields[i]!.name} has ${one.total}`).join(' and ');
        throw badQuery(
          `Of two dimensions one can have ${groupsMax} values at most: ${counts}. Narrow one with a filter, or ask for them one by one.`,
        );
      }
      const { field } = fields[place]!;
      const groups = rows.map(({ labels, value }) => ({
        ...{ ...whole, labels, filters: [...whole.filters, valueFilter(field, value ?? '')] },
      }));
      return planGroups(groups, fields[1 - place]!, question, view);
    },
  };
};

const planGroups = (
  groups: readonly Group[],
  dimension: AskedDimension | undefined,
  question: PlausibleQuestion,
  view: ReadableSite,
): QueryStep<PlausibleAnswer> => {
  const { offset, limit, metrics } = question;
  const cap = groups.length === 1 ? rowsMax : groupRowsMax;
  const native = nativeOrder(question, dimension);
  const rowLimit = native === undefined ? cap : Math.min(offset + limit, cap);
  const buckets = dimension?.kind === 'time' ? bucketsIn(question, dimension.bucket, view) : undefined;
  const inner = innerOf(dimension, question, view, { native, limit: rowLimit, buckets });
  const wantsBefore = metrics.includes('group_conversion_rate');
  const slices = groups.map(group => inner.slices(group, wantsBefore ? withoutGoals(question) : null));
  const totals = totalSlices(question);
  return {
    slices: [...totals, ...slices.flat()],
    render(report) {
      let place = totals.length;
      const found = groups.map((group, i) => {
        const answers = report.slice(place, place + slices[i]!.length);
        place += answers.length;
        return inner.rows(answers, group);
      });
      refuseCut(found, native !== undefined, offset + limit);
      const facts = totalFacts(question, report.slice(0, totals.length), view);
      const timeLabels = buckets?.labels ?? groupLabels(question, groups);
      const total = found.reduce((sum, one) => sum + one.total, 0);
      return finish(
        found.flatMap(({ rows }) => rows),
        { question, dimension, groups, facts, total, timeLabels },
      );
    },
  };
};

/** The labels of groups that are of time. */
const groupLabels = ({ dimensions }: PlausibleQuestion, groups: readonly Group[]): string[] =>
  dimensions.some(({ kind }) => kind === 'time') ? groups.map(({ labels }) => labels[0]!) : [];

/** The order of ours that gives the first rows of each group; undefined where all are needed. */
const nativeOrder = (
  { order, dimensions }: PlausibleQuestion,
  inner: AskedDimension | undefined,
): { sort: TableMetricName; descending: boolean } | undefined => {
  const outers = dimensions.filter(dimension => dimension !== inner).map(({ name }) => name);
  const [last, ...more] = order.filter(({ name }) => !outers.includes(name));
  const sort = last && plausibleMetrics[last.name]?.order;
  const isLast = order.at(-1) === last;
  return sort === undefined || more.length > 0 || !isLast ? undefined : { sort, descending: last!.descending };
};

const innerOf = (
  dimension: AskedDimension | undefined,
  question: PlausibleQuestion,
  view: ReadableSite,
  given: {
    native: ReturnType<typeof nativeOrder>;
    limit: number;
    buckets: { bounds: number[]; labels: string[] } | undefined;
  },
): Inner => {
  const needs = [
    ...new Set<TableMetricName>(['visitors', ...question.metrics.flatMap(name => plausibleMetrics[name]!.needs)]),
  ];
  const { native = { sort: 'visitors' as const, descending: true }, limit, buckets } = given;
  if (dimension?.kind === 'field') return byField({ ...dimension, ...native, needs, limit });
  if (dimension?.kind === 'goal') return byGoal(view, rowsMax);
  return byBuckets(buckets, needs);
};

/** Throws HttpError where rows that are needed were not asked for. */
const refuseCut = (found: readonly FoundRows[], isNative: boolean, needed: number): void => {
  for (const { rows, total } of found) {
    if (total > rows.length && (!isNative || rows.length < needed)) {
      throw badQuery(
        `There are ${total} rows, which is too many to put in this order. Order by one of visitors, visits, pageviews, bounce_rate or visit_duration, or narrow the question with a filter.`,
      );
    }
  }
};
