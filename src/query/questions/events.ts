/** The list of events: how often each name came, from how many visitors, its type, and when. */
import { eventTypes, hitTypes } from '../../model/hit.ts';
import { dayMs } from '../../model/time.ts';
import { positionAmong } from '../../store/day/ascending.ts';
import { gather } from '../../store/day/gather.ts';
import type { QueryContext } from '../context.ts';
import type { EventRow, QuestionOf } from '../query.ts';
import { type CountsOfDay, sumById, visitorsById } from '../rows/sum-by-id.ts';
import { textNames, topRows } from '../rows/top-rows.ts';
import { bucketAt, bucketsOfDay, type DayBuckets, touchedBuckets } from '../scan/day-buckets.ts';
import { addAt } from '../scan/lists.ts';
import { selectEvents } from '../scan/select.ts';
import { hitCodes, hitNumbers, hitTimes } from '../scan/selection.ts';
import { tallyHits } from '../scan/tally.ts';
import type { QuestionPlan } from './plan.ts';

/** What is counted of each event: hits, visitors, and the hits of each type. */
const kinds = ['count', 'count', ...eventTypes.map(() => 'count' as const)] as const;

/** Per event that has a hit, by text id. */
interface EventsPartial extends CountsOfDay {
  day: number;
  /** Milliseconds since midnight. */
  last: Uint32Array;
  /** Hits per bucket, counted from the day's first, one event after the other. */
  spark: Uint32Array;
}

export const planEvents = (
  { limit, bounds }: QuestionOf<'events'>,
  context: QueryContext,
): QuestionPlan<EventsPartial> => ({
  key: day => (bounds === null ? 'events' : `events in buckets ${bucketsOfDay(bounds, day).edges}`),
  scan(selection, scratch) {
    const { day } = selection;
    const dictionary = day.dictionary('event');
    const events = selectEvents(selection, scratch);
    if (events === undefined) return null;
    const codes = hitCodes(events, events.day.keptCodes('event'), scratch);
    const types = hitNumbers(events, 'type', scratch);
    const times = hitTimes(events, scratch);
    const buckets = bounds === null ? null : bucketsOfDay(bounds, day.day);
    const count = buckets === null ? 0 : buckets.edges.length + 1;
    const { groups, hits, visitors, persistent } = tallyHits(events, codes, dictionary, scratch);
    const byType = scratch.zeros(eventTypes.length * dictionary.length);
    const last = scratch.zeros(dictionary.length);
    countTypes(codes, types, times, dictionary.length, byType, last);
    const spark = scratch.zeros(dictionary.length * count);
    if (buckets !== null) countByBucket(codes, times, buckets, spark);
    return {
      day: day.day,
      ids: gather(dictionary, groups),
      columns: [
        ...[hits, visitors],
        ...eventTypes.map((_, type) => gather(byType.subarray(type * dictionary.length), groups)),
      ],
      persistent,
      last: gather(last, groups),
      spark: gather(spark, cellsOf(groups, count, scratch.take(groups.length * count))),
    };
  },
  async merge(partials, pace) {
    const { ids, columns } = await sumById(partials, kinds, pace);
    const [hits, visitors, ...byType] = columns as [Uint32Array, Uint32Array, ...Uint32Array[]];
    const firsts = partials.map(({ day }) => (bounds === null ? 0 : touchedBuckets(bounds, day).first));
    const rowsOf = (): EventRow[] =>
      topRows(hits, hits, limit, textNames(ids, context)).map(({ position, name }) => ({
        name,
        type: mostUsed(byType.map(ofType => ofType[position]!)),
        events: hits[position]!,
        visitors: visitors[position]!,
        ...overDays(partials, ids[position]!, firsts, bounds === null ? 0 : bounds.length - 1),
      }));
    return {
      visitors: [visitorsById(partials, ids, visitors)],
      answer: () => ({ kind: 'events', rows: rowsOf() }),
    };
  },
});

/** Counts hits by type, and by code for each, and finds the latest time by code. */
const countTypes = (
  codes: Uint32Array,
  types: Uint32Array,
  times: Uint32Array,
  entries: number,
  counts: Uint32Array,
  last: Uint32Array,
): void => {
  for (let i = 0; i < codes.length; i++) {
    const code = codes[i]!;
    counts[(types[i]! - hitTypes.custom) * entries + code]!++;
    if (times[i]! > last[code]!) last[code] = times[i]!;
  }
};

/** Where `countByBucket` counts the buckets of some codes. */
const cellsOf = (codes: Uint32Array, buckets: number, cells: Uint32Array): Uint32Array => {
  for (let i = 0; i < cells.length; i++) cells[i] = codes[(i / buckets) >>> 0]! * buckets + (i % buckets);
  return cells;
};

/** Counts hits by code, and by bucket for each. */
const countByBucket = (codes: Uint32Array, times: Uint32Array, buckets: DayBuckets, counts: Uint32Array): void => {
  const ofCode = buckets.edges.length + 1;
  for (let i = 0; i < codes.length; i++) counts[codes[i]! * ofCode + bucketAt(buckets, times[i]!)]!++;
};

/** The type with most hits, or the earlier one of two. `hits` are in the order of `eventTypes`. */
export const mostUsed = (hits: readonly number[]): EventRow['type'] => eventTypes[hits.indexOf(Math.max(...hits))]!;

/** What only the events that are shown need. */
const overDays = (
  partials: readonly EventsPartial[],
  id: number,
  /** Of each day, the place of its first bucket; `buckets` is how many there are in all. */
  firsts: readonly number[],
  buckets: number,
): Pick<EventRow, 'lastAt' | 'spark'> => {
  const spark = new Uint32Array(buckets);
  let lastAt = 0;
  for (const [place, { day, ids, last, spark: ofDay }] of partials.entries()) {
    const i = positionAmong(ids, id);
    if (i < 0) continue;
    const ofEach = ofDay.length / ids.length;
    lastAt = Math.max(lastAt, day * dayMs + last[i]!);
    if (buckets > 0) addAt(spark, ofDay.subarray(i * ofEach, (i + 1) * ofEach), firsts[place]!);
  }
  return { lastAt, spark: Array.from(spark) };
};
