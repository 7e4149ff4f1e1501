/** `/series`: visitors, pageviews and visits per bucket, zero-filled. */
import { answerOf, hitEndpoint } from './endpoint.ts';
import { count, list, localTime, object } from './schema.ts';

export const series = hitEndpoint({
  summary: 'Zero-filled time series',
  response: object({ data: list(object({ date: localTime, Visitors: count, Pageviews: count, Visits: count })) }),
  async answer(reader, { period, filters }) {
    const window = await reader.window(period);
    const { bounds, dates } = reader.buckets(window);
    const [answers] = await reader.run([
      { from: window.from, to: window.to, filters, questions: [{ kind: 'series', bounds }] },
    ]);
    const { visitors, pageviews, visits } = answerOf(answers, 'series');
    return {
      data: dates.map((date, i) => ({
        date,
        Visitors: visitors[i]!,
        Pageviews: pageviews[i]!,
        Visits: visits[i]!,
      })),
    };
  },
});
