/** Every kind of ask and the plan that answers it: the one list of them. */
import { planBreakdown } from './asks/breakdown.ts';
import { planEdges } from './asks/edges.ts';
import { planSeries } from './asks/series.ts';
import { planTotals } from './asks/totals.ts';
import type { Plan, PlanContext } from './plan.ts';
import type { Ask } from './query.ts';

export const planOf = (ask: Ask, context: PlanContext): Plan => {
  switch (ask.kind) {
    case 'totals':
      return planTotals(context) as Plan;
    case 'series':
      return planSeries(ask.bounds) as Plan;
    case 'breakdown':
      return planBreakdown(ask.dimension, ask.limit, context) as Plan;
    case 'edges':
      return planEdges(context);
    default:
      throw new Error(`${ask.kind} cannot be asked yet`);
  }
};
