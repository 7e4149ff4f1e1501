/** Every kind of question and the plan that answers it: the one list of them. */

import type { Question } from '../query.ts';
import { planBreakdown } from './breakdown.ts';
import { planEdges } from './edges.ts';
import { planEventSeries } from './event-series.ts';
import { planEvents } from './events.ts';
import type { Plan, PlanContext } from './plan.ts';
import { planPropertyKeys } from './property-keys.ts';
import { planPropertyValues } from './property-values.ts';
import { planSeries } from './series.ts';
import { planTotals } from './totals.ts';
import { planVisitHits } from './visit-hits.ts';
import { planVisits } from './visits.ts';

export const planOf = (question: Question, context: PlanContext): Plan => {
  switch (question.kind) {
    case 'totals':
      return planTotals(context) as Plan;
    case 'series':
      return planSeries(question.bounds) as Plan;
    case 'breakdown':
      return planBreakdown(question.dimension, question.limit, context) as Plan;
    case 'edges':
      return planEdges(context);
    case 'events':
      return planEvents(question.limit, question.bounds, context) as Plan;
    case 'eventSeries':
      return planEventSeries(question.bounds) as Plan;
    case 'propertyKeys':
      return planPropertyKeys(question.limit, context) as Plan;
    case 'propertyValues':
      return planPropertyValues(question.key, question.limit, question.bins, context) as Plan;
    case 'visits':
      return planVisits(question, context) as Plan;
    case 'visitHits':
      return planVisitHits(question.id, context) as Plan;
  }
};
