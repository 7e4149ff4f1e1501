/**
 * `/realtime`: who is there now. Visitors are those of the last 5 minutes, everything else is of
 * the last 30.
 */
import { localName } from '../model/calendar.ts';
import type { DimensionName } from '../model/dimensions.ts';
import { hitTypes } from '../model/hit.ts';
import { latestHitsDefault, latestHitsMax, realtimeRowsMax } from '../model/limits.ts';
import { isoTime, minuteMs } from '../model/time.ts';
import { latestHitTexts, type Question } from '../query/query.ts';
import { answerOf, askOne, endpoint } from './endpoint.ts';
import { rowSchema } from './numbers.ts';
import { rowLimit } from './request/parameters.ts';
import { count, each, instant, list, localTime, nullable, object, oneOf, text } from './schema.ts';

const presentMinutes = 5;
const recentMinutes = 30;

/** The lists of the snapshot and the dimensions they are breakdowns of. */
const lists = {
  pages: 'path',
  referrers: 'referrer',
  countries: 'country',
  topEvents: 'event',
} as const satisfies Record<string, DimensionName>;
const listNames = Object.keys(lists) as (keyof typeof lists)[];

const listQuestions: Question[] = listNames.map(name => ({
  kind: 'breakdown',
  dimension: lists[name],
  limit: realtimeRowsMax,
}));

/** Each hit is a single person's, so no public page shows them. */
export const latestHits = endpoint({
  part: 'visits',
  summary: 'The hits of the last 30 minutes, newest first; range is accepted and has no effect',
  own: { limit: rowLimit(latestHitsDefault, latestHitsMax, 'Hits') },
  response: object({
    data: list(
      object({
        at: instant,
        type: oneOf(Object.keys(hitTypes)),
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
        { from: now - presentMinutes * minuteMs, to, filters, questions: [{ kind: 'totals' }] },
        {
          from: now - recentMinutes * minuteMs,
          to,
          filters,
          questions: [{ kind: 'totals' }, { kind: 'lastHit' }, ...listQuestions],
        },
        { from: minutes[0]!, to, filters, questions: [{ kind: 'series', bounds: [...minutes, to] }] },
      ],
      render([present, recent, byMinute]) {
        const { pageviews, events } = answerOf(recent, 'totals').totals;
        const { at: lastAt } = answerOf(recent, 'lastHit');
        const { visitors } = answerOf(byMinute, 'series');
        const breakdowns = recent!.filter(answer => answer.kind === 'breakdown');
        return {
          visitors: answerOf(present, 'totals').totals.visitors,
          pageviews,
          events,
          minutes: minutes.map((minute, i) => ({ date: localName(zone.local(minute)), value: visitors[i]! })),
          ...Object.fromEntries(
            listNames.map((name, i) => {
              const rows = name === 'topEvents' && hidden.has('events') ? [] : breakdowns[i]!.rows;
              return [name, rows.map(row => ({ name: row.name, value: row.value }))];
            }),
          ),
          lastHitAt: lastAt === null ? null : isoTime(lastAt),
        };
      },
    };
  },
});
