/** The hits of one visit, for whoever opens it in the list of visits. */
import { hitTypes } from '../model/hit.ts';
import { dayMs } from '../model/time.ts';
import { answerOf, endpoint } from './endpoint.ts';
import { isoTime } from './numbers.ts';
import { count, described, instant, list, nullable, number, object, oneOf, text } from './schema.ts';

export const hits = endpoint({
  isPrivate: true,
  summary: 'The hits of one visit in their order; none when there is no such visit',
  own: { visit: { schema: text, meaning: 'The `id` of a visit, as /visits gives it' } },
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
  async answer(reader, parameters) {
    const id = parameters.value('visit') ?? '';
    const started = startOf(id);
    if (started === null || started < reader.readableFrom) return { data: [] };
    // A visit ends with its day at the latest.
    const to = (Math.floor(started / dayMs) + 1) * dayMs;
    const [answers] = await reader.run([{ from: started, to, filters: [], questions: [{ kind: 'visitHits', id }] }]);
    return { data: answerOf(answers, 'visitHits').hits.map(hit => ({ ...hit, at: isoTime(hit.at) })) };
  },
});

/** When a visit of this id began; null when no visit can have it. */
const startOf = (id: string): number | null => {
  const [, started] = /^\d+-[0-9a-f]{16}-(\d{1,15})$/.exec(id) ?? [];
  return started === undefined ? null : Number(started);
};
