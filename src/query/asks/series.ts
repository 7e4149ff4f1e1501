/** Visitors, pageviews and visits per bucket of time. A visitor or visit counts in every bucket it has a selected hit in. */
import { hitTypes } from '../../model/hit.ts';
import { addAt, bucketAt, bucketsOfDay, type DayBuckets, spread } from '../buckets.ts';
import { countPersistent, type PersistentVisitors } from '../persistent.ts';
import type { Plan } from '../plan.ts';
import { hitNumbers, type Selection, visitNumbers } from '../selection.ts';
import { type Countable, tallyVisits } from '../tally.ts';

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
  scan(selection) {
    const { day } = selection.day;
    const buckets = bucketsOfDay(bounds, day);
    const count = buckets.edges.length + 1;
    const pieces = cutVisits(selection, buckets);
    const { groups, visitors, persistent } = tallyVisits(pieces, pieces.buckets, count);
    return {
      day,
      visitors: spread(groups, visitors, count),
      persistent,
      pageviews: sumByBucket(pieces.buckets, pieces.pageviews, count),
      visits: sumByBucket(pieces.buckets, null, count),
    };
  },
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
    countPersistent(placed, visitors, (bucket, { first }) => bucket + first);
    return {
      kind: 'series',
      visitors: Array.from(visitors),
      pageviews: Array.from(pageviews),
      visits: Array.from(visits),
    };
  },
});

/** Visits cut where a bucket ends: a visit is among them once for each bucket that it has a selected hit in. */
interface Pieces extends Countable {
  /** Per piece. */
  buckets: Uint32Array;
  pageviews: Uint32Array;
}

/** Few visits are cut, and only in those the time of a hit matters. */
const cutVisits = (selection: Selection, buckets: DayBuckets): Pieces => {
  const { day, index, scratch, visits, visitors, placesFrom, hashVisits, wholeVisits } = selection;
  const started = visitNumbers(selection, 'started');
  const duration = visitNumbers(selection, 'duration');
  const pageviews = visitNumbers(selection, 'pageviews');
  const time = wholeVisits ? scratch.widen('time', day.numbers('time')) : hitNumbers(selection, 'time');
  const types = wholeVisits ? scratch.widen('type', day.numbers('type')) : hitNumbers(selection, 'type');
  const room = visits.length * (buckets.edges.length + 1);
  const cut = {
    visits: scratch.take('piece visits', room),
    visitors: scratch.take('piece visitors', room),
    placesFrom: scratch.take('piece places from', room + 1),
    buckets: scratch.take('piece buckets', room),
    pageviews: scratch.take('piece pageviews', room),
  };
  let count = 0;
  let hashPieces = 0;
  cut.placesFrom[0] = 0;
  for (let i = 0; i < visits.length; i++) {
    if (i === hashVisits) hashPieces = count;
    const hits = placesFrom[i + 1]! - placesFrom[i]!;
    const start = started[i]!;
    const bucket = bucketAt(buckets, start);
    if (wholeVisits && bucket === bucketAt(buckets, start + duration[i]!)) {
      cut.visits[count] = visits[i]!;
      cut.visitors[count] = visitors[i]!;
      cut.buckets[count] = bucket;
      cut.pageviews[count] = pageviews[i]!;
      cut.placesFrom[count + 1] = cut.placesFrom[count]! + hits;
      count++;
      continue;
    }
    const first = wholeVisits ? index.hitsFrom[visits[i]!]! : placesFrom[i]!;
    let last = -1;
    for (let place = first; place < first + hits; place++) {
      const bucket = bucketAt(buckets, start + time[place]!);
      if (bucket !== last) {
        cut.visits[count] = visits[i]!;
        cut.visitors[count] = visitors[i]!;
        cut.buckets[count] = bucket;
        cut.pageviews[count] = 0;
        cut.placesFrom[count + 1] = cut.placesFrom[count]!;
        count++;
        last = bucket;
      }
      cut.placesFrom[count]!++;
      cut.pageviews[count - 1]! += types[place] === hitTypes.pageview ? 1 : 0;
    }
  }
  return {
    day,
    scratch,
    visits: cut.visits.subarray(0, count),
    visitors: cut.visitors.subarray(0, count),
    placesFrom: cut.placesFrom.subarray(0, count + 1),
    hashVisits: hashVisits === visits.length ? count : hashPieces,
    buckets: cut.buckets.subarray(0, count),
    pageviews: cut.pageviews.subarray(0, count),
  };
};

/** Per bucket, the sum of the pieces' values, or their number. */
const sumByBucket = (buckets: Uint32Array, values: Uint32Array | null, count: number): Uint32Array => {
  const sums = new Uint32Array(count);
  for (let piece = 0; piece < buckets.length; piece++) sums[buckets[piece]!]! += values === null ? 1 : values[piece]!;
  return sums;
};
