/**
 * The answers of the API (docs/api.md), as far as the pages read them: what its own schemas
 * describe.
 */
import type { breakdown } from '../../api/breakdown.ts';
import type { Endpoint } from '../../api/endpoint.ts';
import type { eventListSchema, eventSeriesSchema, propertyKeysSchema, propertyValuesSchema } from '../../api/events.ts';
import type { explain } from '../../api/explain.ts';
import type { funnel } from '../../api/funnel.ts';
import type { goals, segments } from '../../api/goals.ts';
import type { journey } from '../../api/journey.ts';
import type { metricSeries } from '../../api/metric-series.ts';
import type { noteList } from '../../api/notes.ts';
import type { latestHits, realtime } from '../../api/realtime.ts';
import type { crawlers, outcomes, vitals } from '../../api/records.ts';
import type { members } from '../../api/rollup-sites.ts';
import type { DescribedBy } from '../../api/schema.ts';
import type { series } from '../../api/series.ts';
import type { stats } from '../../api/stats.ts';
import type { suspects } from '../../api/suspects.ts';
import type { table } from '../../api/table.ts';
import type { hits, visitor, visits } from '../../api/visits.ts';

type AnswerTo<Asked> = Asked extends Endpoint<infer Answer> ? Answer : never;

export type Stats = AnswerTo<typeof stats>;
export type Series = AnswerTo<typeof series>;
export type SeriesPoint = Series['data'][number];
export type MetricSeries = AnswerTo<typeof metricSeries>;
/** One bucket, with the metrics that were asked for. */
export type MetricPoint = MetricSeries['data'][number];
export type Suspects = AnswerTo<typeof suspects>;
export type Breakdown = AnswerTo<typeof breakdown>;
export type Explanation = AnswerTo<typeof explain>;
export type FunnelAnswer = AnswerTo<typeof funnel>;
export type FunnelStep = FunnelAnswer['data'][number];
export type Journey = AnswerTo<typeof journey>;
export type JourneyAnswerLevel = Journey['levels'][number];
export type TableAnswer = AnswerTo<typeof table>;
/** With the metrics that were asked for. */
export type TableAnswerRow = TableAnswer['data'][number];
export type Goals = AnswerTo<typeof goals>;
export type GoalRow = Goals['data'][number];
/** Segments, or funnels. */
export interface Saved {
  data: (Omit<AnswerTo<typeof segments>['data'][number], 'filters'> & { filters?: string; question?: string })[];
}
export type Members = AnswerTo<typeof members>;
/** A site of a rollup. */
export type MemberRow = Members['data'][number];
export type NoteList = AnswerTo<typeof noteList>;
export type NoteView = NoteList['data'][number];
export type Realtime = AnswerTo<typeof realtime>;
export type NamedCount = Realtime['pages'][number];
export type EventList = DescribedBy<typeof eventListSchema>;
export type EventItem = EventList['data'][number];
export type EventSeries = DescribedBy<typeof eventSeriesSchema>;
export type EventCompared = NonNullable<EventSeries['summary']['previous']>;
export type PropertyKeys = DescribedBy<typeof propertyKeysSchema>;
export type PropertyKey = PropertyKeys['data'][number];
export type PropertyValuesAnswer = DescribedBy<typeof propertyValuesSchema>;
export type VisitsAnswer = AnswerTo<typeof visits>;
export type Visit = VisitsAnswer['data'][number];
export type Visitor = AnswerTo<typeof visitor>;
export type LatestHits = AnswerTo<typeof latestHits>;
export type LatestHitAnswer = LatestHits['data'][number];
export type Vitals = AnswerTo<typeof vitals>;
export type VitalGroupAnswer = Vitals['all'];
export type VitalFigures = NonNullable<VitalGroupAnswer['lcp']>;
export type Crawls = AnswerTo<typeof crawlers>;
export type Outcomes = AnswerTo<typeof outcomes>;
export type HitsOfVisit = AnswerTo<typeof hits>;
export type VisitHitAnswer = HitsOfVisit['data'][number];
