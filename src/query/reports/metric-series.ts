/** Metrics per bucket of time. A visitor or visit counts in every bucket where it has a selected hit. */
import { noTotals, partsFor } from '../../model/table-metrics.ts';
import type { QueryContext } from '../context.ts';
import type { QuestionOf } from '../query.ts';
import type { Grouping } from '../rows/grouping.ts';
import { bucketAt, bucketsOfDay, type DayBuckets } from '../scan/day-buckets.ts';
import { hitTimes, type Selection } from '../scan/selection.ts';
import type { Scratch } from '../scratch.ts';
import { type GroupsOfDay, mergeGroups, scanGroups, wantedKey, wantedOf } from './grouped.ts';
import type { QuestionPlan } from './plan.ts';
import { metricRow } from './table.ts';

export const planMetricSeries = (
  { bounds, metrics }: QuestionOf<'metricSeries'>,
  context: QueryContext,
): QuestionPlan<GroupsOfDay> => {
  const wanted = wantedOf(partsFor(metrics));
  return {
    // The ids of a day are buckets counted from its first, so that they are the same in any window.
    key: day => `metrics ${wantedKey(wanted, context)} in buckets ${bucketsOfDay(bounds, day).edges}`,
    scan: (selection, scratch) =>
      scanGroups(selection, groupsByTime(bucketsOfDay(bounds, selection.day.day)), wanted, context, scratch, true),
    async merge(partials, pace) {
      const tables = partials.map(({ day }) => {
        const { first, edges } = bucketsOfDay(bounds, day);
        return Uint32Array.from({ length: edges.length + 1 }, (_, bucket) => first + bucket);
      });
      const merged = await mergeGroups(partials, wanted, pace, tables);
      return {
        visitors: [merged.daily],
        answer: () => {
          const rows = bounds.slice(1).map(() => metricRow(noTotals, metrics));
          const totals = merged.totalsAt(Array.from(merged.ids.keys()));
          merged.ids.forEach((bucket, position) => {
            rows[bucket] = metricRow(totals[position]!, metrics);
          });
          return { kind: 'metricSeries', rows };
        },
      };
    },
  };
};

/** Buckets counted from the day's first. */
const groupsByTime = (buckets: DayBuckets): Grouping => {
  const ids = Uint32Array.from({ length: buckets.edges.length + 1 }, (_, bucket) => bucket);
  return ids.length === 1
    ? { level: 'visit', ids, codes: (selection, scratch) => scratch.zeros(selection.visits().length) }
    : { level: 'hit', ids, codes: (selection, scratch) => bucketsOfHits(selection, buckets, scratch) };
};

const bucketsOfHits = (selection: Selection, buckets: DayBuckets, scratch: Scratch): Uint32Array => {
  const times = hitTimes(selection, scratch);
  for (let i = 0; i < times.length; i++) times[i] = bucketAt(buckets, times[i]!);
  return times;
};
