/** Visitors, pageviews and visits per bucket of time. A visitor or visit counts in every bucket it has a selected hit in. */
import { hitTypes } from '../../model/hit.ts';
import { lookUp } from '../../store/day/look-up.ts';
import { addAt, bucketAt, bucketsOfDay, type DayBuckets } from '../scan/buckets.ts';
import { hitNumbers, hitTimes, visitNumbers } from '../scan/selected-values.ts';
import type { Selection } from '../scan/selection.ts';
import { hashPlacesOf, persistentOf, takeList } from '../scan/tally.ts';
import { firstOfVisitor, type PersistentVisitors } from '../visitors/daily-visitors.ts';
import { visitorsByBucket } from '../visitors/distinct.ts';
import type { Plan } from './plan.ts';

/** Arrays are by bucket, counted from the first that the day touches. */
interface SeriesPartial {
  day: number;
  visitors: Uint32Array;
  persistent: PersistentVisitors | null;
  pageviews: Uint32Array;
  visits: Uint32Array;
}

export const planSeries = (bounds: readonly number[]): Plan<SeriesPartial> => ({
  key: day => `series ${bucketsOfDay(bounds, day).edges}`,
  scan: selection => scanSeries(selection, bucketsOfDay(bounds, selection.day.day)),
  merge(partials) {
    const count = bounds.length - 1;
    const pageviews = new Uint32Array(count);
    const visits = new Uint32Array(count);
    const placed = partials.map(partial => ({ ...partial, first: bucketsOfDay(bounds, partial.day).first }));
    for (const partial of placed) {
      addAt(pageviews, partial.pageviews, partial.first);
      addAt(visits, partial.visits, partial.first);
    }
    const visitors = visitorsByBucket(placed, count);
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

/** What is counted, by bucket of the day. */
interface Counts {
  visitors: Uint32Array;
  pageviews: Uint32Array;
  visits: Uint32Array;
  /** The visitor that each bucket saw last. */
  lastVisitor: Uint32Array;
  /** Visitors of cookie mode, and how many there are on it. */
  list: Uint32Array;
  listed: number;
  lastListed: number;
}

const scanSeries = (selection: Selection, buckets: DayBuckets): SeriesPartial => {
  const { day } = selection;
  const count = buckets.edges.length + 1;
  const counts: Counts = {
    visitors: new Uint32Array(count),
    pageviews: new Uint32Array(count),
    visits: new Uint32Array(count),
    lastVisitor: new Uint32Array(count),
    list: takeList(selection, selection.hits - hashPlacesOf(selection)), // a hit each, at least
    listed: 0,
    lastListed: 0,
  };
  (selection.wholeVisits ? countWholeVisits : countHits)(selection, buckets, counts);
  const { visitors, pageviews, visits, list, listed } = counts;
  const persistent = persistentOf(selection, list, listed);
  return { day: day.day, visitors, pageviews, visits, persistent };
};

/** Few visits have hits in two buckets, and only their hits need a look. */
const countWholeVisits = (selection: Selection, buckets: DayBuckets, counts: Counts): void => {
  const { day, index, visits, visitors, hashVisits, hitsOf } = selection;
  const of = { visitors, hashVisits };
  const started = visitNumbers(selection, 'started');
  const duration = visitNumbers(selection, 'duration');
  const pageviews = visitNumbers(selection, 'pageviews');
  const [timeOf, typeOf] = [lookUp(day.keptNumbers('time')), lookUp(day.keptNumbers('type'))];
  const hitsFrom = index.hitsFrom();
  for (let i = 0; i < visits.length; i++) {
    const start = started[i]!;
    const bucket = bucketAt(buckets, start);
    if (bucket === bucketAt(buckets, start + duration[i]!)) {
      counts.pageviews[bucket]! += pageviews[i]!;
      enter(of, i, bucket, counts);
      continue;
    }
    let last = -1;
    const from = hitsFrom[visits[i]!]!;
    for (let hit = from; hit < from + hitsOf[i]!; hit++) {
      const bucket = bucketAt(buckets, start + timeOf(hit));
      if (typeOf(hit) === hitTypes.pageview) counts.pageviews[bucket]!++;
      if (bucket !== last) enter(of, i, bucket, counts);
      last = bucket;
    }
  }
};

const countHits = (selection: Selection, buckets: DayBuckets, counts: Counts): void => {
  const { visits, visitors, hashVisits } = selection;
  const of = { visitors, hashVisits };
  const times = hitTimes(selection);
  const types = hitNumbers(selection, 'type');
  const placesFrom = selection.placesFrom();
  for (let i = 0; i < visits.length; i++) {
    let last = -1;
    for (let place = placesFrom[i]!; place < placesFrom[i + 1]!; place++) {
      const bucket = bucketAt(buckets, times[place]!);
      counts.pageviews[bucket]! += types[place] === hitTypes.pageview ? 1 : 0;
      if (bucket !== last) enter(of, i, bucket, counts);
      last = bucket;
    }
  }
};

/** A selected visit has hits in a bucket. Parts of a selection are found out when they are asked for, so they are given once for all visits. */
const enter = (
  { visitors, hashVisits }: Pick<Selection, 'visitors' | 'hashVisits'>,
  i: number,
  bucket: number,
  counts: Counts,
): void => {
  counts.visits[bucket]!++;
  const visitor = visitors[i]!;
  if (counts.lastVisitor[bucket] === visitor) return;
  counts.lastVisitor[bucket] = visitor;
  counts.visitors[bucket]!++;
  if (i < hashVisits) return;
  counts.list[counts.listed++] = visitor === counts.lastListed ? bucket : bucket | firstOfVisitor;
  counts.lastListed = visitor;
};
