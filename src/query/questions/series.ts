/**
 * Visitors, pageviews and visits per bucket of time, which most series are of: as `scanGroups`
 * counts them, but faster.
 */
import { hitTypes } from '../../model/hit.ts';
import { lookUp } from '../../store/day/look-up.ts';
import { bucketAt, type DayBuckets } from '../scan/day-buckets.ts';
import { hitNumbers, hitTimes, type Selection, visitNumbers } from '../scan/selection.ts';
import { hashPositionsOf, persistentOf } from '../scan/tally.ts';
import type { Scratch } from '../scratch.ts';
import { firstOfVisitor } from '../visitors/daily-visitors.ts';
import type { GroupsOfDay } from './grouped.ts';

/** The parts of a bucket's totals that are counted here. */
export type SeriesPart = 'visitors' | 'pageviews' | 'visits';

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

/** The columns behind the first, which stands for the hits, are of these parts. */
export const scanSeries = (
  selection: Selection,
  buckets: DayBuckets,
  parts: readonly SeriesPart[],
  scratch: Scratch,
): GroupsOfDay => {
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
  return {
    day: selection.day.day,
    ids: Uint32Array.from({ length: count }, (_, bucket) => bucket),
    columns: [counts.visits, ...parts.map(part => counts[part])],
    persistent: parts.includes('visitors') ? persistentOf(selection, counts.list, counts.listed) : null,
    lists: [],
    otherRevenue: [],
  };
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
