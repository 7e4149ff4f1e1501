/** Event hits over time and in all. With a filter on `event`, those of one event. */
import { eventTypes, hitTypes, lastHitCode } from '../../model/hit.ts';
import { dayMs } from '../../model/time.ts';
import { largest } from '../../store/day/packed.ts';
import type { AnswerOf, QuestionOf } from '../query.ts';
import { bucketAt, bucketsOfDay, type DayBuckets, inBuckets, spread } from '../scan/day-buckets.ts';
import { countValues, sumBy, sumOf } from '../scan/lists.ts';
import { selectEvents } from '../scan/select.ts';
import { hitNumbers, hitTimes, type Selection } from '../scan/selection.ts';
import { tallyHits, tallyVisitors } from '../scan/tally.ts';
import type { Scratch } from '../scratch.ts';
import type { PersistentVisitors } from '../visitors/daily-visitors.ts';
import { addAt } from '../visitors/merge-ids.ts';
import { allVisitors, visitorsByBucket } from '../visitors/sums-over-days.ts';
import { mostUsed } from './events.ts';
import type { QuestionPlan } from './plan.ts';

interface EventSeriesPartial {
  day: number;
  /** Per bucket, counted from the first that the day touches. */
  events: Uint32Array;
  visitors: Uint32Array;
  persistent: PersistentVisitors | null;
  /** Over all buckets. */
  total: { visitors: number; persistent: PersistentVisitors | null };
  /** Hits by type. */
  types: Uint32Array;
  /** At index n, how many visits have n such hits. */
  perVisit: Uint32Array;
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
  merge(partials) {
    const events = new Uint32Array(bounds.length - 1);
    const inTime = inBuckets(partials, bounds);
    for (const partial of inTime) addAt(events, partial.events, partial.first);
    const perBucket = visitorsByBucket(inTime, events.length);
    const inAll = allVisitors(partials.map(({ total }) => total));
    return {
      visitors: [perBucket, inAll],
      answer: () => ({
        kind: 'eventSeries',
        events: Array.from(events),
        visitors: Array.from(perBucket.counts),
        total: totalOf(partials, inAll.counts[0]!),
      }),
    };
  },
});

const scanEvents = (events: Selection, bounds: readonly number[], scratch: Scratch): EventSeriesPartial => {
  const { day } = events;
  const midnight = day.day * dayMs;
  const times = hitTimes(events, scratch);
  const buckets = bucketsOfDay(bounds, day.day);
  const bucketOf = bucketsAt(buckets, times, scratch.take(times.length));
  const count = buckets.edges.length + 1;
  const perBucket = tallyHits(events, bucketOf, scratch.identity(count), scratch);
  return {
    day: day.day,
    events: spread(perBucket.groups, perBucket.hits, count),
    visitors: spread(perBucket.groups, perBucket.visitors, count),
    persistent: perBucket.persistent,
    total: tallyVisitors(events),
    types: countsOf(hitNumbers(events, 'type', scratch), lastHitCode).slice(hitTypes.custom),
    perVisit: countsOf(events.hitsOf(), largest(events.hitsOf())),
    firstAt: midnight + least(times),
    lastAt: midnight + largest(times),
  };
};

const bucketsAt = (buckets: DayBuckets, times: Uint32Array, to: Uint32Array): Uint32Array => {
  for (let i = 0; i < times.length; i++) to[i] = bucketAt(buckets, times[i]!);
  return to;
};

/** At index n, how many of the values are n. */
const countsOf = (values: Uint32Array, most: number): Uint32Array => {
  const counts = new Uint32Array(most + 1);
  countValues(values, counts);
  return counts;
};

const least = (times: Uint32Array): number => {
  let least = dayMs;
  for (let i = 0; i < times.length; i++) if (times[i]! < least) least = times[i]!;
  return least;
};

const totalOf = (partials: readonly EventSeriesPartial[], visitors: number): AnswerOf<'eventSeries'>['total'] => {
  const types = eventTypes.map((_, i) => sumBy(partials, partial => partial.types[i]!));
  const events = sumBy(types, hits => hits);
  const perVisit = addHistograms(partials.map(partial => partial.perVisit));
  return {
    events,
    visitors,
    visits: sumOf(perVisit),
    medianPerVisit: medianOf(perVisit),
    type: events === 0 ? null : mostUsed(types),
    firstAt: partials.length === 0 ? null : Math.min(...partials.map(({ firstAt }) => firstAt)),
    lastAt: partials.length === 0 ? null : Math.max(...partials.map(({ lastAt }) => lastAt)),
  };
};

const addHistograms = (histograms: readonly Uint32Array[]): Uint32Array => {
  const sums = new Uint32Array(histograms.reduce((most, { length }) => Math.max(most, length), 0));
  for (const histogram of histograms) addAt(sums, histogram, 0);
  return sums;
};

/** The median of numbers, given how often each occurs; 0 where there are none. */
const medianOf = (histogram: Uint32Array): number => {
  const count = sumOf(histogram);
  const at = (index: number): number => {
    let seen = 0;
    return histogram.findIndex(some => {
      seen += some;
      return seen > index;
    });
  };
  return count === 0 ? 0 : (at(Math.floor((count - 1) / 2)) + at(Math.floor(count / 2))) / 2;
};
