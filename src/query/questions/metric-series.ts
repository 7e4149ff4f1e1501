/**
 * Metrics per bucket of time. A visitor or visit counts in every bucket where it has a selected
 * hit. A day within one bucket contributes its totals, which the headline metrics of the same slice
 * need too: it is looked at once for both.
 */
import { noTotals, partsFor, type RowPart } from '../../model/table-metrics.ts';
import type { QueryContext } from '../context.ts';
import type { QuestionOf } from '../query.ts';
import type { RowGrouping } from '../rows/grouping.ts';
import { inBuckets } from '../rows/sum-by-id.ts';
import { bucketAt, bucketsOfDay, type DayBuckets, touchedBuckets } from '../scan/day-buckets.ts';
import { hitTimes, type Selection } from '../scan/selection.ts';
import type { Scratch } from '../scratch.ts';
import { type GroupsOfDay, mergeGroups, scanGroups, type Wanted, wantedKey, wantedOf } from './grouped.ts';
import { sumsByTime } from './kept-sums.ts';
import type { QuestionPlan } from './plan.ts';
import { type SeriesPart, scanSeries } from './series.ts';
import { metricRow } from './table.ts';
import { scanTotals, type TotalsOfDay, totalsKey } from './totals.ts';

export const planMetricSeries = (
  { bounds = wholeSlice, metrics }: QuestionOf<'metricSeries'>,
  context: QueryContext,
): QuestionPlan<GroupsOfDay | TotalsOfDay> => {
  const wanted = wantedOf(partsFor(metrics));
  const areTotals = wanted.medians.length === 0 && wanted.sums.every(part => totalParts.includes(part));
  const seriesParts = wanted.medians.length === 0 && wanted.sums.every(isSeriesPart) ? wanted.sums : null;
  // One figure of a slice alone is worked out from fewer columns.
  const isAlone = bounds === wholeSlice && metrics.length === 1;
  const isTotals = ({ edges }: DayBuckets): boolean => areTotals && !isAlone && edges.length === 0;
  return {
    sums: sumsByTime(day => touchedBuckets(bounds, day), wanted, context),
    // The ids of a day are buckets counted from its first, so that they are the same in any window.
    key(day) {
      const buckets = bucketsOfDay(bounds, day);
      return isTotals(buckets)
        ? totalsKey(context)
        : `metrics ${wantedKey(wanted, context)} in buckets ${buckets.edges}`;
    },
    scan(selection, scratch) {
      const buckets = bucketsOfDay(bounds, selection.day.day);
      if (isTotals(buckets)) return scanTotals(selection, context, scratch);
      return seriesParts !== null && buckets.edges.length > 0
        ? scanSeries(selection, buckets, seriesParts, scratch)
        : scanGroups(selection, groupsByTime(buckets), wanted, context, scratch, true);
    },
    async merge(ofDays, pace) {
      const groups = ofDays.map(of => ('ids' in of ? of : asGroups(of, wanted)));
      const merged = await mergeGroups(inBuckets(groups, bounds), wanted, pace);
      return {
        visitors: [merged.visitors],
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

/** Bounds of one bucket. */
const wholeSlice = [0, Number.MAX_SAFE_INTEGER];

const isSeriesPart = (part: RowPart): part is SeriesPart =>
  part === 'visitors' || part === 'pageviews' || part === 'visits';

const totalParts: readonly RowPart[] = ['visitors', 'visits', 'bounces', 'visitMs', 'pageviews', 'events', 'revenue'];

/** Totals of a day as its one bucket. */
const asGroups = (totals: TotalsOfDay, { sums }: Wanted): GroupsOfDay => {
  const { revenue, otherRevenue } = totals.money;
  const of = { ...noTotals, ...totals, revenue };
  return {
    day: totals.day,
    ids: Uint32Array.of(0),
    columns: [Uint32Array.of(totals.hits), ...sums.map(part => Float64Array.of(of[part]))],
    persistent: sums.includes('visitors') ? totals.persistent : null,
    lists: [],
    otherRevenue: sums.includes('revenue') ? [[0, otherRevenue]] : [],
  };
};

/** Buckets counted from the day's first. */
export const groupsByTime = (buckets: DayBuckets): RowGrouping => {
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
