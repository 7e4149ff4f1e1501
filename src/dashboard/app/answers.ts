/** The answers of the API (docs/api.md), as far as the pages read them. */
import type { DimensionName } from '../../model/dimensions.ts';
import type { PropertyType } from '../../model/hit.ts';
import type { JourneyStep } from '../../model/journey-steps.ts';
import type { MetricName } from '../../model/metrics.ts';
import type { NoteKind } from '../../model/notes.ts';
import type { Outcome } from '../../model/outcomes.ts';
import type { SuspectReason } from '../../model/suspects.ts';
import type { TableMetricName } from '../../model/table-metrics.ts';
import type { TextBound, TextKind } from '../../model/text-kinds.ts';
import type { VisitFieldName } from '../../model/visit-fields.ts';
import type { VitalName } from '../../model/vitals.ts';
import type { BreakdownRow, FunnelScope, LatestHit as LatestHitOfEngine, VisitHit } from '../../query/query.ts';

/** Minor units by currency, of money that no rate converts to the site's currency. */
type OtherRevenue = { otherRevenue?: Record<string, number> };
/** Null where imported days do not tell it. */
type Metrics = Record<MetricName, number | null> & OtherRevenue;

export interface Stats extends Metrics {
  currency: string;
  previous?: Metrics | null;
  delta?: Record<MetricName, number | null> | null;
  range: string;
  /** Local, without zone. */
  from: string;
  to: string;
  timezone: string;
  /**
   * How far back the account's plan reaches, local; only where the window would have begun earlier.
   */
  limitedTo?: string;
}

export interface SeriesPoint {
  date: string;
  Visitors: number | null;
  Pageviews: number | null;
  Visits: number | null;
}
export interface Series {
  data: SeriesPoint[];
}

/** One bucket, with the metrics that were asked for. */
export interface MetricPoint extends Partial<Record<TableMetricName, number | null>>, OtherRevenue {
  date: string;
  /** Imported days are in the numbers. */
  imported?: boolean;
}
export interface MetricSeries {
  interval: 'hour' | 'day' | 'week' | 'month';
  data: MetricPoint[];
  /** Only where there are imported days, also in the window compared with. */
  imported?: 'all' | 'partly';
  /** The window compared with; null where there is none. */
  previous?: MetricPoint[] | null;
}

export interface Suspects {
  data: { reason: SuspectReason; visits: number; visitors: number; pageviews: number; leftOut: boolean }[];
}

export interface Breakdown {
  dimension: DimensionName;
  data: BreakdownRow[];
}

export interface FunnelStep {
  /** As it stands in the address. */
  step: string;
  visits: number;
  visitors: number;
  lost: number;
  lostRate: number;
  stepRate: number;
  totalRate: number;
  medianSeconds: number | null;
}
export interface FunnelAnswer {
  scope: FunnelScope;
  visits: number;
  visitors: number;
  data: FunnelStep[];
}

export interface JourneyAnswerLevel {
  visits: number;
  visitors: number;
  data: (JourneyStep & { step: string; visits: number; visitors: number })[];
  end: { visits: number; visitors: number };
  other: { visits: number; steps: number };
}
export interface Journey {
  levels: JourneyAnswerLevel[];
}

/** A row of the table, with the metrics that were asked for. */
export interface TableAnswerRow extends Partial<Record<TableMetricName, number | null>>, OtherRevenue {
  name: string;
  /** Changes in percent. Null without a window before, missing where none is asked for. */
  delta?: Partial<Record<TableMetricName, number | null>> | null;
}

export interface TableAnswer {
  data: TableAnswerRow[];
}

export interface GoalRow extends OtherRevenue {
  /** Empty for one that is not saved. */
  name: string;
  conditions: string;
  /** Minor units, like the other amounts. */
  value: number | null;
  conversions: number;
  visits: number;
  visitors: number;
  conversionRate: number;
  /** Null on a public page that does not show revenue. */
  revenue: number | null;
  totalValue: number | null;
}
export interface Goals {
  data: GoalRow[];
  visitors: number;
  currency: string;
}

/** Segments, or funnels. */
export interface Saved {
  data: { name: string; filters?: string; question?: string }[];
}

/** A site of a rollup. */
export interface MemberRow extends Metrics {
  id: string;
  name: string;
  delta?: Record<MetricName, number | null> | null;
}
export interface Members {
  data: MemberRow[];
  currency: string;
}

export interface NoteView {
  id: number;
  /** A local day of the site. */
  date: string;
  kind: NoteKind;
  text: string;
  createdAt: string;
}
export interface NoteList {
  data: NoteView[];
}

export interface NamedCount {
  name: string;
  value: number;
}

export interface Realtime {
  visitors: number;
  pageviews: number;
  events: number;
  minutes: { date: string; value: number }[];
  pages: NamedCount[];
  referrers: NamedCount[];
  countries: NamedCount[];
  topEvents: NamedCount[];
  lastHitAt: string | null;
}

export interface EventItem {
  name: string;
  type: 'custom' | 'outbound' | 'revenue';
  events: number;
  visitors: number;
  perVisitor: number;
  previousEvents: number | null;
  previousVisitors: number | null;
  delta: number | null;
  lastSeen: string;
  spark: { date: string; value: number }[];
}
export interface EventList {
  data: EventItem[];
}

export type EventCompared = Record<'events' | 'visitors' | 'visitorShare' | 'perVisitor', number>;
export interface EventSeries {
  data: { date: string; Events: number; Visitors: number }[];
  summary: EventCompared & {
    name: string;
    type: EventItem['type'] | null;
    sessions: number;
    medianPerSession: number;
    firstSeen: string | null;
    lastSeen: string | null;
    previous: EventCompared | null;
    delta: Record<keyof EventCompared, number | null> | null;
  };
}

export interface PropertyKey {
  key: string;
  events: number;
  values: number;
  dataType: PropertyType;
  coverage: number;
  numeric: { sum: number; avg: number; min: number; max: number; p50: number } | null;
}
export interface PropertyKeys {
  data: PropertyKey[];
}
export interface PropertyValuesAnswer {
  data: (BreakdownRow & { share: number })[];
  total: number;
  dataType: PropertyType | null;
  histogram: { name: string; value: number; from: number; to: number }[];
}

export interface Visit extends Record<VisitFieldName, string | null>, OtherRevenue {
  id: string;
  started: string;
  ended: string;
  seconds: number;
  visitor: string;
  screen: string | null;
  pageviews: number;
  events: number;
  bounce: boolean;
  returning: boolean;
  revenue: number;
}

export interface VisitsAnswer {
  data: Visit[];
  next: string | null;
}

export interface Visitor extends OtherRevenue {
  visitor: string;
  visits: number;
  pageviews: number;
  events: number;
  revenue: number;
  currency: string;
  firstSeen: string | null;
  lastSeen: string | null;
  identified: string | null;
  traits: { key: string; value: string | number | boolean }[];
}

export interface LatestHitAnswer extends Omit<LatestHitOfEngine, 'at'> {
  at: string;
}
export interface LatestHits {
  data: LatestHitAnswer[];
}

export interface VitalFigures {
  reports: number;
  p75: number;
  good: number;
  needsImprovement: number;
  poor: number;
}
export type VitalGroupAnswer = { reports: number } & Record<VitalName, VitalFigures | null>;
export interface Vitals {
  by: 'path' | 'device';
  all: VitalGroupAnswer;
  data: (VitalGroupAnswer & { name: string })[];
}

export interface Crawls {
  by: 'name' | 'path' | 'status';
  total: number;
  series: { date: string; crawls: number }[];
  data: { name: string; crawls: number; lastSeen: string }[];
}

export interface Outcomes {
  totals: { outcome: Outcome; hits: number }[];
  data: { date: string; outcome: Outcome; hits: number }[];
  otherTexts: { kind: TextKind; bound: TextBound; texts: number }[];
}

export interface VisitHitAnswer extends Omit<VisitHit, 'at'> {
  at: string;
}
export interface HitsOfVisit {
  data: VisitHitAnswer[];
}
