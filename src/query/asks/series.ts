/** Visitors, pageviews and visits per bucket of time. A visitor or visit counts in every bucket it has a selected hit in. */
import { hitTypes } from '../../model/hit.ts';
import { addAt, bucketAt, bucketsOfDay, type DayBuckets } from '../buckets.ts';
import { countPersistent, type PersistentVisitors } from '../persistent.ts';
import type { Plan } from '../plan.ts';
import { hitNumbers, type Selection, visitNumbers } from '../selection.ts';
import { tallyVisits } from '../tally.ts';

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
    const { visitors, persistent } = tallyVisits(pieces.selection, pieces.buckets, count);
    return {
      day,
      visitors: visitors.slice(),
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

interface Pieces {
  /** Its visits are pieces: a visit is in it once for each bucket that it has a selected hit in. */
  selection: Selection;
  /** Per piece. */
  buckets: Uint32Array;
  pageviews: Uint32Array;
}

/** Cuts visits where a bucket ends. Few are cut, and the time of a hit only matters in those. */
const cutVisits = (selection: Selection, buckets: DayBuckets): Pieces => {
  const { scratch, visits, visitors, hitsFrom, hitsTo, hashVisits, rows } = selection;
  const started = visitNumbers(selection, 'started');
  const duration = visitNumbers(selection, 'duration');
  const ofVisit = visitNumbers(selection, 'pageviews');
  const time = hitNumbers(selection, 'time');
  const types = hitNumbers(selection, 'type');
  const room = visits.length * (buckets.edges.length + 1);
  const cut = {
    visits: scratch.take('piece visits', room),
    visitors: scratch.take('piece visitors', room),
    hitsFrom: scratch.take('piece hits from', room),
    hitsTo: scratch.take('piece hits to', room),
    buckets: scratch.take('piece buckets', room),
    pageviews: scratch.take('piece pageviews', room),
  };
  let count = 0;
  let hashPieces = 0;
  for (let i = 0; i < visits.length; i++) {
    if (i === hashVisits) hashPieces = count;
    const start = started[i]!;
    const to = hitsTo[i]!;
    let place = hitsFrom[i]!;
    const whole = rows === null && bucketAt(buckets, start) === bucketAt(buckets, start + duration[i]!);
    while (place < to) {
      const bucket = bucketAt(buckets, start + time[place]!);
      cut.visits[count] = visits[i]!;
      cut.visitors[count] = visitors[i]!;
      cut.hitsFrom[count] = place;
      cut.buckets[count] = bucket;
      cut.pageviews[count] = whole ? ofVisit[i]! : 0;
      if (whole) place = to;
      for (; place < to && bucketAt(buckets, start + time[place]!) === bucket; place++) {
        if (types[place] === hitTypes.pageview) cut.pageviews[count]!++;
      }
      cut.hitsTo[count] = place;
      count++;
    }
  }
  return {
    selection: {
      ...selection,
      visits: cut.visits.subarray(0, count),
      visitors: cut.visitors.subarray(0, count),
      hitsFrom: cut.hitsFrom.subarray(0, count),
      hitsTo: cut.hitsTo.subarray(0, count),
      hashVisits: hashVisits === visits.length ? count : hashPieces,
    },
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
