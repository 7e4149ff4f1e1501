/** `/series`: visitors, pageviews and visits per bucket, zero-filled. */
import type { Answer } from '../query/query.ts';
import { namedValues } from '../query/usual-questions.ts';
import { answerOf, windowEndpoint, windowObject } from './endpoint.ts';
import { type Buckets, bucketsOf } from './request/buckets.ts';
import { flag } from './request/parameters.ts';
import { spansOf } from './request/window.ts';
import { count, described, list, localTime, nullable, object } from './schema.ts';

/** Null where imported days of the bucket do not tell it. */
const told = nullable(count);
const points = list(object({ date: localTime, Visitors: told, Pageviews: told, Visits: told }));

export const series = windowEndpoint({
  summary: 'Zero-filled time series',
  own: { previous: flag('The window before as well') },
  response: windowObject(
    { data: points },
    { previous: described(nullable(points), 'With previous; null where there is no window before') },
  ),
  plan({ window, filters, previous: wantsPrevious }, { zone }) {
    const spans = spansOf(wantsPrevious ? window : { ...window, previous: null });
    const buckets = spans.map(span => bucketsOf({ ...span, bucket: window.bucket }, zone));
    return {
      slices: spans.map((span, i) => ({
        ...{ ...span, filters },
        questions: [{ kind: 'metricSeries', metrics: [...pointMetrics], bounds: buckets[i]!.bounds }],
      })),
      render([current, earlier]) {
        const data = pointsOf(current, buckets[0]!);
        if (!wantsPrevious) return { data };
        return { data, previous: earlier === undefined ? null : pointsOf(earlier, buckets[1]!) };
      },
    };
  },
});

const pointMetrics = ['visitors', 'pageviews', 'visits'] as const;

const pointsOf = (answers: Answer[] | undefined, { dates }: Buckets): object[] => {
  const { rows } = answerOf(answers, 'metricSeries');
  return dates.map((date, i) => {
    const { visitors, pageviews, visits } = namedValues(pointMetrics, rows[i]!);
    return { date, Visitors: visitors, Pageviews: pageviews, Visits: visits };
  });
};
