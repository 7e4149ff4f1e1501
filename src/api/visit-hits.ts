/** The hits of one visit, for whoever opens it in the list of visits. */
import { hitTypes } from '../model/hit.ts';
import { dayMs } from '../model/time.ts';
import { answerOf, endpoint } from './endpoint.ts';
import { isoTime } from './numbers.ts';
import { freeText } from './request/parameters.ts';
import { count, described, instant, list, nullable, number, object, oneOf, text } from './schema.ts';

export const hits = endpoint({
  isPrivate: true,
  summary: 'The hits of one visit in their order; none when there is no such visit',
  own: { visit: freeText('The `id` of a visit, as /visits gives it') },
  fields: [],
  response: object({
    data: list(
      object({
        at: instant,
        type: oneOf(Object.keys(hitTypes)),
        path: nullable(text),
        hostname: nullable(text),
        title: nullable(text),
        query: nullable(text),
        event: nullable(text),
        secondsOnPage: described(count, 'How long the page was looked at, as far as a later hit told; else 0'),
        revenue: described(
          nullable(object({ amount: number, currency: text })),
          'Minor units of the currency it came in',
        ),
        properties: list(object({ key: text, value: nullable(text) })),
      }),
    ),
  }),
  plan({ visit: id = '' }, view) {
    const started = startOf(id);
    if (started === null || started < view.readableFrom) return { slices: [], render: () => ({ data: [] }) };
    // A visit ends with its day at the latest.
    const to = (Math.floor(started / dayMs) + 1) * dayMs;
    return {
      slices: [{ from: started, to, filters: [], questions: [{ kind: 'visitHits', id }] }],
      render: ([answers]) => ({
        data: answerOf(answers, 'visitHits').hits.map(hit => ({ ...hit, at: isoTime(hit.at) })),
      }),
    };
  },
});

/** When a visit of this id began; null when no visit can have it. */
const startOf = (id: string): number | null => {
  const [, started] = /^\d+-[0-9a-f]{16}-(\d{1,15})$/.exec(id) ?? [];
  return started === undefined ? null : Number(started);
};
