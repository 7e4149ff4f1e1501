/**
 * Visitors, pageviews and visits per bucket of time. A visitor or visit counts in every bucket
 * where it has a selected hit.
 */
import { hitTypes } from '../../model/hit.ts';
import { lookUp } from '../../store/day/look-up.ts';
import type { QuestionOf } from '../query.ts';
import { bucketAt, bucketsOfDay, type DayBuckets, inBuckets } from '../scan/day-buckets.ts';
import { hitNumbers, hitTimes, type Selection, visitNumbers } from '../scan/selection.ts';
import { hashPositionsOf, persistentOf } from '../scan/tally.ts';
import type { Scratch } from '../scratch.ts';
import { firstOfVisitor, type PersistentVisitors } from '../visitors/daily-visitors.ts';
import { addAt } from '../visitors/merge-ids.ts';
import { visitorsByBucket } from '../visitors/sums-over-days.ts';
import type { QuestionPlan } from './plan.ts';

/** Arrays are by bucket, counted from the first that the day touches. */
interface SeriesPartial {
  day: number;
  visitors: Uint32Array;
  persistent: PersistentVisitors | null;
  pageviews: Uint32Array;
  visits: Uint32Array;
}

export const planSeries = ({ bounds }: QuestionOf<'series'>): QuestionPlan<SeriesPartial> => ({
  key: day => `series ${bucketsOfDay(bounds, day).edges}`,
  scan: (selection, scratch) => scanSeries(selection, bucketsOfDay(bounds, selection.day.day), scratch),
  merge(partials) {
    const count = bounds.length - 1;
    const pageviews = new Uint32Array(count);
    const visits = new Uint32Array(count);
    const inTime = inBuckets(partials, bounds);
    for (const partial of inTime) {
      addAt(pageviews, partial.pageviews, partial.first);
      addAt(visits, partial.visits, partial.first);
    }
    const visitors = visitorsByBucket(inTime, count);
    return {
      visitors: [visitors],
      answer: () => ({
        kind: 'series',
        visitors: Array.from(visitors.counts),
        pageviews: Array.from(pageviews),
        visits: Array.from(visits),
      }),
    };
  },
});

/** What is counted, by bucket of the day, and whose the selected visits are. */
interface Counts {
  visitorOf: Uint32Array;
  hashVisits: number;
  visitors: Uint32Array;
  pageviews: Uint32Array;
  visits: Uint32Array;
  /** The visitor that each bucket saw last. */
  lastVisitor: Uint32Array;
  /** Visitors of cookie mode, how many are on the list, and the last of them. */
  list: Uint32Array;
  listed: number;
  lastListed: number;
}

const scanSeries = (selection: Selection, buckets: DayBuckets, scratch: Scratch): SeriesPartial => {
  const count = buckets.edges.length + 1;
  const counts: Counts = {
    visitorOf: selection.visitors(),
    hashVisits: selection.hashVisits(),
    visitors: new Uint32Array(count),
    pageviews: new Uint32Array(count),
    visits: new Uint32Array(count),
    lastVisitor: new Uint32Array(count),
    list: scratch.take(selection.hits - hashPositionsOf(selection)), // a hit each, at least
    listed: 0,
    lastListed: 0,
  };
  (selection.wholeVisits ? countWholeVisits : countHits)(selection, buckets, counts, scratch);
  const { visitors, pageviews, visits, list, listed } = counts;
  const persistent = persistentOf(selection, list, listed);
  return { day: selection.day.day, visitors, pageviews, visits, persistent };
};

/** Few visits have hits in two buckets. Only their hits need a look. */
const countWholeVisits = (selection: Selection, buckets: DayBuckets, counts: Counts, scratch: Scratch): void => {
  const { day, index } = selection;
  const [visits, hitsOf] = [selection.visits(), selection.hitsOf()];
  const started = visitNumbers(selection, 'started', scratch);
  const duration = visitNumbers(selection, 'duration', scratch);
  const pageviews = visitNumbers(selection, 'pageviews', scratch);
  const [timeOf, typeOf] = [lookUp(day.keptNumbers('time')), lookUp(day.keptNumbers('type'))];
  const hitsFrom = index.hitsFrom();
  for (let i = 0; i < visits.length; i++) {
    const start = started[i]!;
    const bucket = bucketAt(buckets, start);
    if (bucket === bucketAt(buckets, start + duration[i]!)) {
      counts.pageviews[bucket]! += pageviews[i]!;
      countVisit(i, bucket, counts);
      continue;
    }
    let last = -1;
    const from = hitsFrom[visits[i]!]!;
    for (let hit = from; hit < from + hitsOf[i]!; hit++) {
      const bucket = bucketAt(buckets, start + timeOf(hit));
      if (typeOf(hit) === hitTypes.pageview) counts.pageviews[bucket]!++;
      if (bucket !== last) countVisit(i, bucket, counts);
      last = bucket;
    }
  }
};

const countHits = (selection: Selection, buckets: DayBuckets, counts: Counts, scratch: Scratch): void => {
  const times = hitTimes(selection, scratch);
  const types = hitNumbers(selection, 'type', scratch);
  const positionsFrom = selection.positionsFrom();
  for (let i = 0; i < counts.visitorOf.length; i++) {
    let last = -1;
    for (let position = positionsFrom[i]!; position < positionsFrom[i + 1]!; position++) {
      const bucket = bucketAt(buckets, times[position]!);
      counts.pageviews[bucket]! += types[position] === hitTypes.pageview ? 1 : 0;
      if (bucket !== last) countVisit(i, bucket, counts);
      last = bucket;
    }
  }
};

/** Counts a selected visit in a bucket where it has a hit. */
const countVisit = (i: number, bucket: number, counts: Counts): void => {
  counts.visits[bucket]!++;
  const visitor = counts.visitorOf[i]!;
  if (counts.lastVisitor[bucket] === visitor) return;
  counts.lastVisitor[bucket] = visitor;
  counts.visitors[bucket]!++;
  if (i < counts.hashVisits) return;
  counts.list[counts.listed++] = visitor === counts.lastListed ? bucket : bucket | firstOfVisitor;
  counts.lastListed = visitor;
};
