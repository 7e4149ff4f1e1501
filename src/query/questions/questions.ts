/** Every kind of question and the plan that answers it: the one list of them. */
import type { QueryContext } from '../context.ts';
import type { Question, QuestionOf } from '../query.ts';
import { planDaySum } from './day-sum.ts';
import { planEventSeries } from './event-series.ts';
import { planEvents } from './events.ts';
import { planFunnel } from './funnel.ts';
import { planGoals } from './goals.ts';
import { planFirstHit, planLastHit } from './hit-times.ts';
import { planJourney } from './journey.ts';
import { planLatestHits } from './latest-hits.ts';
import { planMetricSeries } from './metric-series.ts';
import type { QuestionPlan } from './plan.ts';
import { planPropertyKeys } from './property-keys.ts';
import { planPropertySummaries } from './property-summaries.ts';
import { planPropertyValues } from './property-values.ts';
import { planRecords } from './records.ts';
import { planTable } from './table.ts';
import { planTableRows } from './table-rows.ts';
import { planVisitHits } from './visit-hits.ts';
import { planVisitor } from './visitor.ts';
import { planVisits } from './visits.ts';

type QueryKind = Question['kind'];
type Planners = { [K in QueryKind]: (question: QuestionOf<K>, context: QueryContext) => QuestionPlan };

const planners: Planners = {
  table: planTable,
  tableRows: planTableRows,
  daySum: planDaySum,
  metricSeries: planMetricSeries,
  events: planEvents,
  eventSeries: planEventSeries,
  goals: planGoals,
  propertyKeys: planPropertyKeys,
  propertySummaries: planPropertySummaries,
  propertyValues: planPropertyValues,
  visits: planVisits,
  funnel: planFunnel,
  journey: planJourney,
  visitHits: planVisitHits,
  visitor: planVisitor,
  latestHits: planLatestHits,
  lastHit: planLastHit,
  firstHit: planFirstHit,
  vitals: planRecords,
  crawls: planRecords,
  outcomes: planRecords,
};

export const planFor = (question: Question, context: QueryContext): QuestionPlan =>
  planForKind(question.kind, question, context);

const planForKind = <K extends QueryKind>(kind: K, question: QuestionOf<K>, context: QueryContext): QuestionPlan =>
  planners[kind](question, context);
