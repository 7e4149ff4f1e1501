/** A row of metrics per value of a dimension. `event` has all events that have a name. */
import { eventTypes } from '../../model/hit.ts';
import { partsFor, type RowTotals, type TableMetricName, tableMetrics } from '../../model/table-metrics.ts';
import type { QueryContext } from '../context.ts';
import type { MetricRow, QuestionOf, TableRow } from '../query.ts';
import { topRows } from '../rows/top-rows.ts';
import { prepareFilters } from '../scan/filters.ts';
import { groupsByDimension } from './dimension-groups.ts';
import { type GroupsOfDay, type MergedGroups, wantedKey, wantedOf } from './grouped.ts';
import type { QuestionPlan } from './plan.ts';

type TableQuestion = QuestionOf<'table'>;

export const planTable = (question: TableQuestion, context: QueryContext): QuestionPlan<GroupsOfDay> => {
  const { dimension, metrics, sort, limit, after, conversion } = question;
  const groups = groupsByDimension(dimension, eventTypes, context);
  const [converting] = conversion === undefined ? [] : prepareFilters([conversion], context);
  const wanted = { ...wantedOf(partsFor([...metrics, sort])), ...(converting && { converting }) };
  return {
    key: () => `table ${JSON.stringify([dimension, conversion])} ${wantedKey(wanted, context)}`,
    scan: (all, scratch) => groups.scan(all, wanted, scratch),
    async merge(partials, pace) {
      const merged = await groups.merge(partials, wanted, pace);
      const { ids, hits, daily, names } = merged;
      return {
        visitors: [daily],
        answer() {
          const scores = scoresOf(merged, question);
          const place = after && { value: scoreOf(after.value, question), events: after.hits, name: after.name };
          const found = topRows(scores, hits, limit + 1, names, place);
          const shown = found.slice(0, limit);
          const rows = rowsOf(merged, shown, metrics);
          const last = found.length > limit ? shown.at(-1) : undefined;
          const next = last && {
            value: metricOf(scores[last.position]!, question),
            hits: hits[last.position]!,
            name: last.name,
          };
          return { kind: 'table', rows, total: ids.length, next: next ?? null };
        },
      };
    },
  };
};

/** Rows without a value come last, whichever way they are sorted. */
const ofNoValue = -Number.MAX_VALUE;

/** Greater comes first. */
const scoreOf = (value: number | null, { descending }: TableQuestion): number => {
  if (value === null) return ofNoValue;
  return descending ? value : 0 - value;
};

const metricOf = (score: number, { descending }: TableQuestion): number | null => {
  if (score === ofNoValue) return null;
  return descending ? score : 0 - score;
};

const scoresOf = (merged: MergedGroups, question: TableQuestion): Float64Array => {
  const { sort } = question;
  const { visitors } = merged;
  if (sort === 'visitors') return Float64Array.from(visitors, value => scoreOf(value, question));
  if (sort === 'secondsOnPage' || sort === 'scroll')
    return Float64Array.from(merged.medians(sort), value => scoreOf(value, question));
  const scores = new Float64Array(visitors.length);
  const { value } = tableMetrics[sort];
  merged.eachTotals((totals, position) => {
    scores[position] = scoreOf(value(totals), question);
  });
  return scores;
};

const rowsOf = (
  merged: MergedGroups,
  shown: readonly { position: number; name: string }[],
  metrics: TableQuestion['metrics'],
): TableRow[] => {
  const totals = merged.totalsAt(shown.map(({ position }) => position));
  return shown.map(({ name }, i) => ({ name, ...metricRow(totals[i]!, metrics) }));
};

/** The metrics of some totals. */
export const metricRow = (totals: RowTotals, metrics: readonly TableMetricName[]): MetricRow => ({
  values: metrics.map(metric => tableMetrics[metric].value(totals)),
  otherRevenue: totals.otherRevenue,
});
