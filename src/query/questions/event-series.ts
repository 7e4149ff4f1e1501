/** Event hits over time and in all. With a filter on `event`, those of one event. */
import { eventTypes, hitTypes, lastHitCode } from '../../model/hit.ts';
import { dayMs } from '../../model/time.ts';
import { largest } from '../../store/day/packed.ts';
import type { Pace } from '../pace.ts';
import type { AnswerOf, QuestionOf } from '../query.ts';
import { type Counted, countWhole, medianOf, sumCounts } from '../rows/counted.ts';
import { type CountsOfDay, inBuckets, sumById, visitorsById } from '../rows/sum-by-id.ts';
import { bucketAt, bucketsOfDay, type DayBuckets } from '../scan/day-buckets.ts';
import { countValues, sumBy, sumOf } from '../scan/lists.ts';
import { selectEvents } from '../scan/select.ts';
import { hitNumbers, hitTimes, type Selection } from '../scan/selection.ts';
import { tallyHits, tallyVisitors } from '../scan/tally.ts';
import type { Scratch } from '../scratch.ts';
import { allVisitors, type PersistentVisitors } from '../visitors/daily-visitors.ts';
import { mostUsed } from './events.ts';
import type { QuestionPlan } from './plan.ts';

/** Hits and visitors per bucket that has a hit, counted from the first that the day touches. */
interface EventSeriesPartial extends CountsOfDay {
  day: number;
  /** Over all buckets. */
  total: { visitors: number; persistent: PersistentVisitors | null };
  /** Hits by type. */
  types: Uint32Array;
  /** How many such hits visits have. */
  perVisit: Counted<Uint32Array>;
  /** UTC milliseconds. */
  firstAt: number;
  lastAt: number;
}

export const planEventSeries = ({ bounds }: QuestionOf<'eventSeries'>): QuestionPlan<EventSeriesPartial> => ({
  key: day => `event series ${bucketsOfDay(bounds, day).edges}`,
  scan(selection, scratch) {
    const events = selectEvents(selection, scratch);
    return events === undefined ? null : scanEvents(events, bounds, scratch);
  },
  async merge(partials, pace) {
    const ofDays = inBuckets(partials, bounds);
    const { ids: buckets, columns } = await sumById(ofDays, ['count', 'count'], pace);
    const [events, visitors] = columns as [Uint32Array, Uint32Array];
    const inAll = allVisitors(partials.map(({ total }) => total));
    const byBucket = (counts: Uint32Array): number[] => {
      const all = new Array<number>(bounds.length - 1).fill(0);
      for (const [position, bucket] of buckets.entries()) all[bucket] = counts[position]!;
      return all;
    };
    return {
      visitors: [visitorsById(ofDays, buckets, visitors), inAll],
      answer: async () => ({
        kind: 'eventSeries',
        events: byBucket(events),
        visitors: byBucket(visitors),
        total: await totalOf(partials, inAll.counts[0]!, pace),
      }),
    };
  },
});

const scanEvents = (events: Selection, bounds: readonly number[], scratch: Scratch): EventSeriesPartial => {
  const { day } = events.day;
  const midnight = day * dayMs;
  const times = hitTimes(events, scratch);
  const buckets = bucketsOfDay(bounds, day);
  const bucketOf = bucketsAt(buckets, times, scratch.take(times.length));
  const found = tallyHits(events, bucketOf, scratch.identity(buckets.edges.length + 1), scratch);
  return {
    day,
    ids: found.groups,
    columns: [found.hits, found.visitors],
    persistent: found.persistent,
    total: tallyVisitors(events),
    types: countValues(hitNumbers(events, 'type', scratch), new Uint32Array(1 + lastHitCode)).slice(hitTypes.custom),
    perVisit: countWhole(events.hitsOf().slice(), scratch),
    firstAt: midnight + least(times),
    lastAt: midnight + largest(times),
  };
};

const bucketsAt = (buckets: DayBuckets, times: Uint32Array, to: Uint32Array): Uint32Array => {
  for (let i = 0; i < times.length; i++) to[i] = bucketAt(buckets, times[i]!);
  return to;
};

const least = (times: Uint32Array): number => {
  let least = dayMs;
  for (let i = 0; i < times.length; i++) if (times[i]! < least) least = times[i]!;
  return least;
};

const totalOf = async (
  partials: readonly EventSeriesPartial[],
  visitors: number,
  pace: Pace,
): Promise<AnswerOf<'eventSeries'>['total']> => {
  const types = eventTypes.map((_, i) => sumBy(partials, partial => partial.types[i]!));
  const events = sumBy(types, hits => hits);
  const perVisit = await sumCounts(
    partials.map(partial => partial.perVisit),
    pace,
  );
  return {
    events,
    visitors,
    visits: sumOf(perVisit.counts),
    medianPerVisit: medianOf(perVisit) ?? 0,
    type: events === 0 ? null : mostUsed(types),
    firstAt: partials.length === 0 ? null : Math.min(...partials.map(({ firstAt }) => firstAt)),
    lastAt: partials.length === 0 ? null : Math.max(...partials.map(({ lastAt }) => lastAt)),
  };
};
