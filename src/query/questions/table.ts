/**
 * A row of metrics per value of a dimension. `event` has all events that have a name. First all
 * rows are put in order, by no more than that needs, and then the rest is found out of those shown:
 * all but visitors, who have to be looked for among all rows.
 */
import { eventTypes } from '../../model/hit.ts';
import {
  partsFor,
  type RowPart,
  type RowTotals,
  type TableMetricName,
  tableMetrics,
} from '../../model/table-metrics.ts';
import type { QueryContext } from '../context.ts';
import type { AnswerOf, MetricRow, QuestionOf, TableCursor } from '../query.ts';
import { type Names, type TopRow, topRows } from '../rows/top-rows.ts';
import { groupsByDimension, type NamedGroups } from './dimension-groups.ts';
import { type GroupsOfDay, type MergedGroups, wantedKey } from './grouped.ts';
import { sumsBy } from './kept-sums.ts';
import type { Answered, QuestionPlan } from './plan.ts';
import { wantedInTable } from './table-rows.ts';

type TableQuestion = QuestionOf<'table'>;

export const planTable = (question: TableQuestion, context: QueryContext): QuestionPlan<GroupsOfDay> => {
  const { dimension, types, metrics, sort, conversion } = question;
  const groups = groupsByDimension(dimension, types ?? eventTypes, context);
  const all = partsFor([...metrics, sort]);
  const parts = groups.hasIds ? partsFor(['visitors', sort]).filter(part => all.includes(part)) : all;
  const rest = all.filter(part => !parts.includes(part));
  const wanted = wantedInTable(parts, conversion, context);
  return {
    sums: sumsBy({ dimension, types: types ?? eventTypes, wanted, conversion, context }),
    key: () => `table ${JSON.stringify([dimension, types, conversion])} ${wantedKey(wanted, context)}`,
    scan: (all, scratch) => groups.scan(all, wanted, scratch),
    async merge(partials, pace) {
      const merged = await groups.merge(partials, wanted, pace);
      return { visitors: [merged.visitors], answer: () => answer(merged, question, rest) };
    },
  };
};

/** Rows without a value come last, whichever way they are sorted. */
const ofNoValue = -Number.MAX_VALUE;

/** What a page of a table shows, and where the next begins, of rows with these scores and names. */
export const tablePage = (
  scores: Uint32Array | Float64Array,
  hits: Uint32Array,
  names: Names,
  question: TableQuestion,
): { shown: TopRow[]; next: TableCursor | null } => {
  const { limit, after } = question;
  const place = after && { value: scoreOf(after.value, question), events: after.hits, name: after.name };
  const found = topRows(scores, hits, limit + 1, names, place);
  const shown = found.slice(0, limit);
  const cursorOf = ({ position, name }: TopRow): TableCursor => ({
    value: metricOf(scores[position]!, question),
    hits: hits[position]!,
    name,
  });
  return { shown, next: found.length > limit ? cursorOf(shown.at(-1)!) : null };
};

/** Greater comes first. */
export const scoreOf = (value: number | null, { descending }: TableQuestion): number => {
  if (value === null) return ofNoValue;
  return descending ? value : 0 - value;
};

const answer = (merged: NamedGroups, question: TableQuestion, rest: RowPart[]): Answered => {
  const { dimension, types, conversion } = question;
  const { ids, hits, names } = merged;
  const { shown, next } = tablePage(scoresOf(merged, question), hits, names, question);
  const positions = shown.map(({ position }) => position);
  const known = merged.totalsAt(positions);
  const withTotals = (totals: readonly RowTotals[]): AnswerOf<'table'> => ({
    kind: 'table',
    rows: shown.map(({ name, position }, i) => ({
      name,
      hits: hits[position]!,
      ...metricRow(totals[i]!, question.metrics),
    })),
    total: ids.length,
    next,
  });
  if (rest.length === 0 || shown.length === 0) return withTotals(known);
  return {
    question: {
      kind: 'tableRows',
      dimension,
      ...(types && { types }),
      ...(conversion && { conversion }),
      parts: rest,
      ids: positions.map(position => ids[position]!),
    },
    finish: of => withTotals((of as AnswerOf<'tableRows'>).rows.map((found, i) => joined(known[i]!, found, rest))),
  };
};

/** Some totals, with parts of others. */
const joined = (known: RowTotals, found: RowTotals, parts: readonly RowPart[]): RowTotals => ({
  ...known,
  ...Object.fromEntries(parts.map(part => [part, found[part]])),
  otherRevenue: (parts.includes('revenue') ? found : known).otherRevenue,
});

const metricOf = (score: number, { descending }: TableQuestion): number | null => {
  if (score === ofNoValue) return null;
  return descending ? score : 0 - score;
};

const scoresOf = (merged: MergedGroups, question: TableQuestion): Uint32Array | Float64Array => {
  const { sort, descending } = question;
  const { counts: visitors } = merged.visitors;
  if (sort === 'visitors' && descending) return visitors;
  if (sort === 'visitors') return Float64Array.from(visitors, value => scoreOf(value, question));
  if (sort === 'secondsOnPage' || sort === 'scroll')
    return Float64Array.from(merged.medians(sort), value => scoreOf(value, question));
  const scores = new Float64Array(merged.hits.length);
  const { value } = tableMetrics[sort];
  merged.eachTotals((totals, position) => {
    scores[position] = scoreOf(value(totals), question);
  });
  return scores;
};

/** The metrics of some totals. */
export const metricRow = (totals: RowTotals, metrics: readonly TableMetricName[]): MetricRow => ({
  values: metrics.map(metric => tableMetrics[metric].value(totals)),
  otherRevenue: totals.otherRevenue,
});
