/**
 * Metrics per bucket of time. A visitor or visit counts in every bucket where it has a selected
 * hit. A day within one bucket contributes all that the headline metrics of the same slice need:
 * it is looked at once for both.
 */
import { noTotals, partsFor, type RowPart } from '../../model/table-metrics.ts';
import type { QueryContext } from '../context.ts';
import type { QuestionOf } from '../query.ts';
import { oneGroup, type RowGrouping } from '../rows/grouping.ts';
import { inBuckets } from '../rows/sum-by-id.ts';
import { bucketAt, bucketsOfDay, type DayBuckets, touchedBuckets } from '../scan/day-buckets.ts';
import { hitTimes, type Selection } from '../scan/selection.ts';
import type { Scratch } from '../scratch.ts';
import { type GroupsOfDay, mergeGroups, scanGroups, type Wanted, wantedKey, wantedOf } from './grouped.ts';
import { keptParts, sumsByTime } from './kept-sums.ts';
import type { QuestionPlan } from './plan.ts';
import { type SeriesPart, scanSeries } from './series.ts';
import { metricRow } from './table.ts';

export const planMetricSeries = (
  { bounds = wholeSlice, metrics }: QuestionOf<'metricSeries'>,
  context: QueryContext,
): QuestionPlan<FoundOfDay> => {
  const wanted = wantedOf(partsFor(metrics));
  const areKept = wanted.medians.length === 0 && wanted.sums.every(part => keptParts.includes(part));
  const seriesParts = wanted.medians.length === 0 && wanted.sums.every(isSeriesPart) ? wanted.sums : null;
  // One figure of a slice alone is worked out from fewer columns.
  const isAlone = bounds === wholeSlice && metrics.length === 1;
  const wantedIn = ({ edges }: DayBuckets): Wanted => (areKept && !isAlone && edges.length === 0 ? ofHeadline : wanted);
  return {
    sums: sumsByTime(day => touchedBuckets(bounds, day), wanted, context),
    // The ids of a day are buckets counted from its first, so that they are the same in any window.
    key(day) {
      const buckets = bucketsOfDay(bounds, day);
      return `metrics ${wantedKey(wantedIn(buckets), context)} in buckets ${buckets.edges}`;
    },
    scan(selection, scratch) {
      const buckets = bucketsOfDay(bounds, selection.day.day);
      if (seriesParts !== null && buckets.edges.length > 0) return scanSeries(selection, buckets, seriesParts, scratch);
      const all = wantedIn(buckets);
      const found = scanGroups(selection, groupsByTime(buckets), all, context, scratch, true);
      return all === wanted ? found : { ...found, parts: all.sums };
    },
    async merge(ofDays, pace) {
      const groups = ofDays.map(of => asAsked(of, wanted));
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

const ofHeadline: Wanted = { sums: keptParts, medians: [] };

interface FoundOfDay extends GroupsOfDay {
  /** The sums that it has, where they are more than was asked for. */
  parts?: Wanted['sums'];
}

const asAsked = ({ parts, ...of }: FoundOfDay, { sums }: Wanted): GroupsOfDay => {
  if (parts === undefined) return of;
  return {
    ...of,
    columns: [of.columns[0]!, ...sums.map(part => of.columns[1 + parts.indexOf(part)]!)],
    persistent: sums.includes('visitors') ? of.persistent : null,
    otherRevenue: sums.includes('revenue') ? of.otherRevenue : [],
  };
};

/** Buckets counted from the day's first. */
export const groupsByTime = (buckets: DayBuckets): RowGrouping => {
  const ids = Uint32Array.from({ length: buckets.edges.length + 1 }, (_, bucket) => bucket);
  return ids.length === 1
    ? oneGroup
    : { level: 'hit', ids, codes: (selection, scratch) => bucketsOfHits(selection, buckets, scratch) };
};

const bucketsOfHits = (selection: Selection, buckets: DayBuckets, scratch: Scratch): Uint32Array => {
  const times = hitTimes(selection, scratch);
  for (let i = 0; i < times.length; i++) times[i] = bucketAt(buckets, times[i]!);
  return times;
};
