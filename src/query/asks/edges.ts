/** First and last hit of the site, whatever the slice. */
import { type Plan, type PlanContext, withoutVisitors } from '../plan.ts';

export const planEdges = ({ query, reader }: PlanContext): Plan => ({
  key: null,
  addUp: withoutVisitors(() => ({
    kind: 'edges',
    firstAt: reader.firstAt(query.siteId),
    lastAt: reader.lastAt(query.siteId),
  })),
});
