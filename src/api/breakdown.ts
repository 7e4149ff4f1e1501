/** `/breakdown`: the top rows of one dimension. */
import { breakdownLimitDefault, breakdownLimitMax } from '../model/limits.ts';
import { partOfField } from '../model/public-parts.ts';
import { topRowsOf, topValues } from '../query/usual-questions.ts';
import { askOne, refuseHidden, windowEndpoint, windowObject } from './endpoint.ts';
import { dimensionOf, dimensionSchema, rowLimit } from './request/parameters.ts';
import { count, described, list, object, text } from './schema.ts';

export const breakdown = windowEndpoint({
  summary: 'Top rows for one dimension',
  own: {
    dimension: dimensionOf('path', 'What to break down by'),
    limit: rowLimit(breakdownLimitDefault, breakdownLimitMax),
  },
  response: windowObject({
    dimension: dimensionSchema,
    data: list(
      object({
        name: text,
        value: described(count, 'Unique visitors with that value'),
        events: described(count, 'Hits behind them'),
      }),
      breakdownLimitMax,
    ),
  }),
  plan({ window, filters, dimension, limit }, view) {
    refuseHidden(view, partOfField(dimension));
    return askOne(window, filters, topValues(dimension, limit), answer => ({ dimension, data: topRowsOf(answer) }));
  },
});
