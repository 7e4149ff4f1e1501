/** First and last hit of the site, whatever the slice. */
import { type Plan, type PlanContext, withoutVisitors } from './plan.ts';

export const planEdges = ({ query, reader }: PlanContext): Plan => ({
  key: null,
  merge: withoutVisitors(() => ({ kind: 'edges', ...(reader.edges(query.siteId) ?? { firstAt: null, lastAt: null }) })),
});
