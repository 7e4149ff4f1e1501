/**
 * `/api/ext/…/members`: the headline metrics of each site that a rollup reads as one, in the window
 * of the rollup. Their visitors add up.
 */
import { rollupSitesMax } from '../model/limits.ts';
import { isRollup } from '../model/site.ts';
import { headline, headlineOf } from '../query/usual-questions.ts';
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
import { list, nullable, object, text, uuid } from './schema.ts';
import { withoutRevenue } from './stats.ts';

export const members = windowEndpoint({
  summary: 'Headline metrics of each site of a rollup',
  part: 'members',
  own: { compare: comparison('none') },
  response: windowObject({
    data: list(
      object(
        { id: uuid, name: text, ...metricsSchema },
        { otherRevenue: otherRevenueSchema, previous: nullable(headlineSchema), delta: headlineDeltaSchema },
      ),
      rollupSitesMax,
    ),
    currency: text,
  }),
  plan({ window, filters, compare }, { site, hidden, members }) {
    const sites = members();
    const spans = spansOf(window);
    return {
      slices: sites.flatMap(({ id }) =>
        spans.map(span => ({
          ...{ ...span, filters },
          ...(isRollup(site) && { site: id }),
          questions: [headline],
        })),
      ),
      render(report) {
        const totalsOf = (i: number) => answerOf(report[i], 'metricSeries');
        const rows = sites.map(({ uuid, domain }, i) => {
          const now = totalsOf(i * spans.length);
          const before = spans.length === 1 ? null : totalsOf(i * spans.length + 1);
          const row = {
            ...{ id: uuid, name: domain, ...metricsOf(now) },
            ...(compare !== 'none' && previousOf(now, before)),
          };
          return { visitors: headlineOf(now).visitors ?? 0, row: hidden.has('revenue') ? withoutRevenue(row) : row };
        });
        const data = rows.sort((a, b) => b.visitors - a.visitors).map(({ row }) => row);
        return { data, currency: site.currency };
      },
    };
  },
});
