/**
 * `/realtime`: who is there now. Visitors are those of the last 5 minutes, everything else is of
 * the last 30.
 */
import { localName } from '../model/calendar.ts';
import type { DimensionName } from '../model/dimensions.ts';
import { type HitType, hitTypes } from '../model/hit.ts';
import { latestHitsDefault, latestHitsMax, realtimeRowsMax } from '../model/limits.ts';
import { isoTime, isoTimeOrNull, minuteMs } from '../model/time.ts';
import { type Answer, type Filter, latestHitTexts, type Question, type Slice } from '../query/query.ts';
import { headline, headlineOf, topRowsOf, topValues } from '../query/usual-questions.ts';
import { answerOf, askOne, endpoint, type QueryStep } from './endpoint.ts';
import { rowSchema } from './numbers.ts';
import { rowLimit } from './request/parameters.ts';
import { count, each, instant, list, localTime, nullable, object, oneOf, text } from './schema.ts';

const presentMinutes = 5;
const presentSlice = (now: number, filters: Filter[]): Slice => ({
  ...{ from: now - presentMinutes * minuteMs, to: now + 1, filters, questions: [headline] },
});
const visitorsIn = (answers: Answer[] | undefined): number =>
  headlineOf(answerOf(answers, 'metricSeries')).visitors ?? 0;

/** Asks who is there now: how many visitors had a hit in the last five minutes. */
export const presentVisitors = <Body>(now: number, render: (visitors: number) => Body): QueryStep<Body> => ({
  slices: [presentSlice(now, [])],
  render: ([answers]) => render(visitorsIn(answers)),
});
const recentMinutes = 30;

/** The lists of the snapshot and the dimensions they are breakdowns of. */
const lists = {
  pages: 'path',
  referrers: 'referrer',
  countries: 'country',
  topEvents: 'event',
} as const satisfies Record<string, DimensionName>;
const listNames = Object.keys(lists) as (keyof typeof lists)[];

const listQuestions: Question[] = listNames.map(name => topValues(lists[name], realtimeRowsMax));

/** Each hit is a single person's, so no public page shows them. */
export const latestHits = endpoint({
  part: 'visits',
  summary: 'The hits of the last 30 minutes, newest first; range is accepted and has no effect',
  own: { limit: rowLimit(latestHitsDefault, latestHitsMax, 'Hits') },
  response: object({
    data: list(
      object({
        at: instant,
        type: oneOf(Object.keys(hitTypes) as HitType[]),
        ...each(latestHitTexts, nullable(text)),
        visit: text,
        visitor: text,
      }),
      latestHitsMax,
    ),
  }),
  plan: ({ filters, limit }, { now }) =>
    askOne(
      { from: now - recentMinutes * minuteMs, to: now + 1 },
      filters,
      { kind: 'latestHits', limit },
      ({ hits }) => ({ data: hits.map(hit => ({ ...hit, at: isoTime(hit.at) })) }),
    ),
});

export const realtime = endpoint({
  summary: 'The live snapshot; range is accepted and has no effect',
  response: object({
    visitors: count,
    pageviews: count,
    events: count,
    minutes: list(object({ date: localTime, value: count }), recentMinutes),
    ...each(listNames, list(rowSchema, realtimeRowsMax)),
    lastHitAt: nullable(instant),
  }),
  plan({ filters }, { zone, now, hidden }) {
    // As in every window, the present minute and the present millisecond are part of it.
    const to = now + 1;
    const thisMinute = now - (now % minuteMs);
    const minutes = Array.from({ length: recentMinutes }, (_, i) => thisMinute - (recentMinutes - 1 - i) * minuteMs);
    return {
      slices: [
        presentSlice(now, filters),
        {
          from: now - recentMinutes * minuteMs,
          to,
          filters,
          questions: [headline, { kind: 'lastHit' }, ...listQuestions],
        },
        {
          from: minutes[0]!,
          to,
          filters,
          questions: [{ kind: 'metricSeries', metrics: ['visitors'], bounds: [...minutes, to] }],
        },
      ],
      render([present, recent, byMinute]) {
        const { pageviews, events } = headlineOf(answerOf(recent, 'metricSeries'));
        const { at: lastAt } = answerOf(recent, 'lastHit');
        const { rows } = answerOf(byMinute, 'metricSeries');
        const breakdowns = recent!.filter(answer => answer.kind === 'table');
        return {
          visitors: visitorsIn(present),
          pageviews,
          events,
          minutes: minutes.map((minute, i) => ({ date: localName(zone.local(minute)), value: rows[i]!.values[0] })),
          ...Object.fromEntries(
            listNames.map((name, i) => {
              const rows = name === 'topEvents' && hidden.has('events') ? [] : topRowsOf(breakdowns[i]!);
              return [name, rows.map(row => ({ name: row.name, value: row.value }))];
            }),
          ),
          lastHitAt: isoTimeOrNull(lastAt),
        };
      },
    };
  },
});
