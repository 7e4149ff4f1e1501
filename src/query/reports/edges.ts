/** First and last hit of the site, whatever the slice. */
import type { QueryContext } from '../context.ts';
import type { QuestionOf } from '../query.ts';
import { type Plan, withoutVisitors } from './plan.ts';

export const planEdges = (_: QuestionOf<'edges'>, { query, reader }: QueryContext): Plan => ({
  key: null,
  merge: withoutVisitors(() => ({ kind: 'edges', ...(reader.edges(query.siteId) ?? { firstAt: null, lastAt: null }) })),
});
