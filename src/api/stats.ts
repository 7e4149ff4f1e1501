/** `/stats`: the nine headline metrics, the same over the previous window, and the changes. */
import { metricNames } from '../model/metrics.ts';
import { answerOf, compared, hitEndpoint } from './endpoint.ts';
import { deltaSchema, deltas, exactMetrics, metricsOf, metricsSchema, otherRevenueSchema } from './numbers.ts';
import { localName } from './request/zone.ts';
import { localTime, nullable, object, text } from './schema.ts';

const money = { otherRevenue: otherRevenueSchema };

export const stats = hitEndpoint({
  summary: 'Headline metrics, previous period and changes',
  response: object(
    {
      ...metricsSchema,
      currency: text,
      previous: nullable(object(metricsSchema, money)),
      delta: deltaSchema(metricNames),
      range: text,
      from: localTime,
      to: localTime,
      timezone: text,
    },
    money,
  ),
  async answer({ site, zone, ...reader }, { period, filters }) {
    const window = await reader.window(period);
    const [current, earlier] = await reader.run(compared(window, filters, [{ kind: 'totals' }]));
    const now = answerOf(current, 'totals').totals;
    const previous = earlier === undefined ? null : answerOf(earlier, 'totals').totals;
    return {
      ...metricsOf(now),
      currency: site.currency,
      previous: previous && metricsOf(previous),
      delta: deltas(exactMetrics(now), previous && exactMetrics(previous)),
      range: window.key,
      from: localName(zone.local(window.from)),
      to: localName(zone.local(window.to)),
      timezone: site.timezone,
    };
  },
});
