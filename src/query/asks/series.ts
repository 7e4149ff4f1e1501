/** Visitors, pageviews and visits per bucket of time. A visitor or visit counts in every bucket it has a selected hit in. */
import { hitTypes } from '../../model/hit.ts';
import { addAt, bucketAt, bucketsOfDay, type DayBuckets } from '../buckets.ts';
import { countPersistentByBucket, type PersistentVisitors } from '../persistent.ts';
import type { Plan } from '../plan.ts';
import { hitNumbers, type Selection, visitNumbers } from '../selection.ts';
import { hashPlacesOf, persistentOf, takeList } from '../tally.ts';

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
  answer(partials) {
    const count = bounds.length - 1;
    const visitors = new Uint32Array(count);
    const pageviews = new Uint32Array(count);
    const visits = new Uint32Array(count);
    const placed = partials.map(partial => ({ ...partial, first: bucketsOfDay(bounds, partial.day).first }));
    for (const partial of placed) {
      addAt(visitors, partial.visitors, partial.first);
      addAt(pageviews, partial.pageviews, partial.first);
      addAt(visits, partial.visits, partial.first);
    }
    countPersistentByBucket(placed, visitors);
    return {
      kind: 'series',
      visitors: Array.from(visitors),
      pageviews: Array.from(pageviews),
      visits: Array.from(visits),
    };
  },
});

/** Few visits have hits in two buckets, and only in those the time of a hit matters. */
const scanSeries = (selection: Selection, buckets: DayBuckets): SeriesPartial => {
  const { day, index, scratch, visits, visitors, hits, hitsOf, hashVisits, wholeVisits } = selection;
  const started = visitNumbers(selection, 'started');
  const duration = visitNumbers(selection, 'duration');
  const ofVisit = visitNumbers(selection, 'pageviews');
  const time = wholeVisits ? scratch.column(day, 'time') : hitNumbers(selection, 'time');
  const types = wholeVisits ? scratch.column(day, 'type') : hitNumbers(selection, 'type');
  const count = buckets.edges.length + 1;
  const counts = {
    visitors: new Uint32Array(count),
    pageviews: new Uint32Array(count),
    visits: new Uint32Array(count),
  };
  const lastVisitor = new Uint32Array(count);
  const list = takeList(hits - hashPlacesOf(selection), scratch); // a hit each, at least
  let listed = 0;
  const hitsFrom = wholeVisits ? index.hitsFrom() : selection.placesFrom();

  for (let i = 0; i < visits.length; i++) {
    const visitor = visitors[i]!;
    const start = started[i]!;
    const isWhole = wholeVisits && bucketAt(buckets, start) === bucketAt(buckets, start + duration[i]!);
    const from = wholeVisits ? hitsFrom[visits[i]!]! : hitsFrom[i]!;
    const to = isWhole ? from + 1 : from + hitsOf[i]!;
    let last = -1;
    for (let place = from; place < to; place++) {
      const bucket = bucketAt(buckets, start + time[place]!);
      counts.pageviews[bucket]! += isWhole ? ofVisit[i]! : types[place] === hitTypes.pageview ? 1 : 0;
      if (bucket === last) continue;
      last = bucket;
      counts.visits[bucket]!++;
      if (lastVisitor[bucket] === visitor) continue;
      lastVisitor[bucket] = visitor;
      if (i < hashVisits) {
        counts.visitors[bucket]!++;
        continue;
      }
      list.visits[listed] = visits[i]!;
      list.groups[listed++] = bucket;
    }
  }
  return { day: day.day, ...counts, persistent: persistentOf(day, list, listed) };
};
