/** `/breakdown`: the top rows of one dimension. */
import { dimensionNames } from '../model/dimensions.ts';
import { breakdownLimitDefault, breakdownLimitMax } from '../model/limits.ts';
import { answerOf, hitEndpoint, limitNote } from './endpoint.ts';
import { count, described, list, object, oneOf, text } from './schema.ts';

export const breakdown = hitEndpoint({
  summary: 'Top rows for one dimension',
  own: {
    dimension: { schema: { ...oneOf(dimensionNames), default: 'path' }, meaning: 'What to break down by' },
    limit: limitNote(breakdownLimitDefault, breakdownLimitMax),
  },
  response: object({
    dimension: oneOf(dimensionNames),
    data: list(
      object({
        name: text,
        value: described(count, 'Unique visitors with that value'),
        events: described(count, 'Hits behind them'),
      }),
      breakdownLimitMax,
    ),
  }),
  async answer(reader, parameters) {
    const dimension = parameters.choice('dimension', dimensionNames, 'path');
    const limit = parameters.limit(breakdownLimitDefault, breakdownLimitMax);
    const { from, to } = await reader.window(parameters.period);
    const [answers] = await reader.run([
      { from, to, filters: parameters.filters, questions: [{ kind: 'breakdown', dimension, limit }] },
    ]);
    return { dimension, data: answerOf(answers, 'breakdown').rows };
  },
});
