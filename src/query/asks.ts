/** Every kind of ask and the plan that answers it: the one list of them. */
import { planBreakdown } from './asks/breakdown.ts';
import { planEdges } from './asks/edges.ts';
import { planEventSeries } from './asks/event-series.ts';
import { planEvents } from './asks/events.ts';
import { planPropertyKeys } from './asks/property-keys.ts';
import { planPropertyValues } from './asks/property-values.ts';
import { planSeries } from './asks/series.ts';
import { planTotals } from './asks/totals.ts';
import { planVisitHits } from './asks/visit-hits.ts';
import { planVisits } from './asks/visits.ts';
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
    case 'events':
      return planEvents(ask.limit, ask.bounds, context) as Plan;
    case 'eventSeries':
      return planEventSeries(ask.bounds) as Plan;
    case 'propertyKeys':
      return planPropertyKeys(ask.limit, context) as Plan;
    case 'propertyValues':
      return planPropertyValues(ask.key, ask.limit, ask.bins, context) as Plan;
    case 'visits':
      return planVisits(ask, context) as Plan;
    case 'visitHits':
      return planVisitHits(ask.id, context) as Plan;
  }
};
