/**
 * `/realtime`: who is there now. Visitors are those of the last 5 minutes, everything else is of
 * the last 30.
 */
import { localName } from '../model/calendar.ts';
import type { DimensionName } from '../model/dimensions.ts';
import { realtimeRowsMax } from '../model/limits.ts';
import { isoTime, minuteMs } from '../model/time.ts';
import type { Question } from '../query/query.ts';
import { answerOf, endpoint } from './endpoint.ts';
import { rowSchema } from './numbers.ts';
import { count, each, instant, list, localTime, nullable, object } from './schema.ts';

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
  plan({ filters }, { zone, now }) {
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
            listNames.map((name, i) => [name, breakdowns[i]!.rows.map(row => ({ name: row.name, value: row.value }))]),
          ),
          lastHitAt: lastAt === null ? null : isoTime(lastAt),
        };
      },
    };
  },
});
