/** `/stats`: the nine headline metrics, the same over the previous window, and the changes. */

import { localName } from '../model/calendar.ts';
import { headline } from '../query/usual-questions.ts';
import { answerOf, windowEndpoint, windowObject } from './endpoint.ts';
import {
  headlineDeltaSchema,
  headlineSchema,
  metricsOf,
  metricsSchema,
  otherRevenueSchema,
  previousOf,
} from './numbers.ts';
import { comparison } from './request/parameters.ts';
import { spansOf } from './request/window.ts';
import { described, localTime, nullable, text } from './schema.ts';

const noPrevious = 'Missing with compare=none; null where there is no such window';

export const stats = windowEndpoint({
  summary: 'Headline metrics, previous period and changes',
  own: { compare: comparison('previous') },
  response: windowObject(
    {
      ...metricsSchema,
      currency: text,
      range: text,
      from: localTime,
      to: localTime,
      timezone: text,
    },
    {
      otherRevenue: otherRevenueSchema,
      previous: described(nullable(headlineSchema), noPrevious),
      delta: headlineDeltaSchema,
    },
  ),
  plan: ({ window, filters, compare }, { site, zone, hidden }) => ({
    slices: spansOf(window).map(span => ({ ...span, filters, questions: [headline] })),
    render([current, earlier]) {
      const now = answerOf(current, 'metricSeries');
      const before = earlier === undefined ? null : answerOf(earlier, 'metricSeries');
      const answer = {
        ...metricsOf(now),
        currency: site.currency,
        ...(compare !== 'none' && previousOf(now, before)),
        range: window.key,
        from: localName(zone.local(window.from)),
        to: localName(zone.local(window.to)),
        timezone: site.timezone,
      };
      return hidden.has('revenue') ? withoutRevenue(answer) : answer;
    },
  }),
});

/** For a public page that does not show it. */
export const withoutRevenue = <Of extends { previous?: object | null; delta?: object | null }>(answer: Of): object => {
  const without = (of: object | null): object | null => of && { ...of, revenue: null, otherRevenue: undefined };
  const { previous, delta } = answer;
  return {
    ...without(answer),
    ...(previous !== undefined && { previous: without(previous) }),
    ...(delta !== undefined && { delta: delta && { ...delta, revenue: null } }),
  };
};
