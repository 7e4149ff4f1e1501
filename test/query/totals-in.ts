/** What the answer to `headline` says, as sums; null where imported days do not tell. */
import type { Answer, AnswerOf } from '../../src/query/query.ts';
import { headlineOf } from '../../src/query/usual-questions.ts';

export const totalsIn = (answer: Answer | undefined) => {
  const row = (answer as AnswerOf<'metricSeries'>).rows[0]!;
  const { visitors, visits, bounces, avgVisitSeconds, pageviews, events, revenue } = headlineOf(
    answer as AnswerOf<'metricSeries'>,
  );
  const visitMs = avgVisitSeconds === null ? null : Math.round(avgVisitSeconds * visits! * 1000);
  return { visitors, visits, bounces, visitMs, pageviews, events, revenue, otherRevenue: row.otherRevenue };
};
