/**
 * What can be asked about a site, and what comes back: plain data, so that it crosses threads, can
 * be a cache key, and could be answered by another engine. Nothing here knows of HTTP, time zones
 * or range names: windows and buckets arrive as UTC instants. What every number means:
 * docs/definitions.md and docs/api.md.
 */
import type { PageField } from '../model/columns.ts';
import type { DimensionName } from '../model/dimensions.ts';
import type { DimensionField, FilterOn, HitField } from '../model/filters.ts';
import type { HitType, PropertyType } from '../model/hit.ts';
import type { JourneyDirection, JourneyShow, JourneyStep } from '../model/journey-steps.ts';
import type { RowPart, RowTotals, TableMetricName } from '../model/table-metrics.ts';
import type { Identity } from '../model/traits.ts';
import type { CrawlField, Records, VitalField } from '../store/read/records.ts';
import type { FinishedImports } from '../store/removal-rules.ts';

export type FieldFilter = FilterOn<HitField>;

/** Matches a hit that passes all filters of one of the lists, or of more. */
export interface AnyFilter {
  anyOf: Filter[][];
  /** As in a FieldFilter. */
  negated: boolean;
  visit?: true;
}

export type Filter = FieldFilter | AnyFilter;

export const isFieldFilter = (filter: Filter): filter is FieldFilter => 'field' in filter;

export const visitSorts = ['started', 'duration', 'pageviews', 'events', 'revenue'] as const;
export type VisitSort = (typeof visitSorts)[number];

/**
 * How visits are written: JSON objects, or CSV lines; raw ones are not guarded against formulas.
 */
export type VisitForm = 'json' | 'csv' | 'raw csv';

/**
 * One thing to find out about a slice. `bounds` are n+1 ascending instants of n buckets that cover
 * the slice.
 */
export type Question =
  /** Rows of the table come in the order of a metric, then of hits, then of names. */
  | {
      kind: 'table';
      dimension: DimensionField;
      /** Where the dimension is the event, the types that count; missing: all that have a name. */
      types?: HitType[];
      metrics: TableMetricName[];
      /**
       * Visits with a hit that passes it convert; without it, those with a named custom or revenue
       * event.
       */
      conversion?: Filter;
      sort: TableMetricName;
      descending: boolean;
      limit: number;
      /** Rows after this one in that order; null begins. */
      after: TableCursor | null;
      /**
       * Of the first metric, only rows that can be among so many that rose or fell most, compared
       * with the slice of that time, where the same is asked. Some engines give all rows.
       */
      changes?: { limit: number; against: { from: number; to: number } };
    }
  /** What some rows of a table say but for visitors: asked of the rows that are shown. */
  | {
      kind: 'tableRows';
      dimension: DimensionField;
      types?: HitType[];
      conversion?: Filter;
      parts: RowPart[];
      ids: number[];
    }
  /**
   * A sum to be kept of the day that the slice is (query/questions/kept-sums.ts), where it takes no
   * more than a part of what a scan would read.
   */
  | { kind: 'daySum'; by: { dimension: DimensionName; types?: HitType[] } | { edges: readonly number[] }; part: number }
  /** The metrics of each bucket, as a table has them; without bounds, of the whole slice as one. */
  | { kind: 'metricSeries'; metrics: TableMetricName[]; bounds?: number[] }
  | { kind: 'events'; limit: number; bounds: number[] | null }
  | { kind: 'eventSeries'; bounds: number[] }
  /** How often each of some goals was reached. */
  | { kind: 'goals'; goals: GoalAsked[] }
  | { kind: 'propertyKeys'; limit: number }
  | { kind: 'propertySummaries'; keys: string[] }
  | { kind: 'propertyValues'; key: string; limit: number; bins: number }
  | {
      kind: 'visits';
      sort: VisitSort;
      descending: boolean;
      limit: number;
      /** Case-insensitive; empty matches all. */
      search: string;
      converted: boolean;
      bounced: boolean;
      paid: boolean;
      returning: boolean;
      /** Only visits that go through these steps in their order, as in a funnel. */
      steps?: Filter[][];
      /** Rows after this one in the sort order; null begins. */
      after: VisitCursor | null;
      form: VisitForm;
    }
  /** 1 to 10 steps: a hit is one if it passes all of its filters. */
  | { kind: 'funnel'; steps: Filter[][]; scope: FunnelScope }
  | {
      kind: 'journey';
      direction: JourneyDirection;
      /** As a step of a funnel; null: the beginning of the visit, or its end. */
      anchor: Filter[] | null;
      /** The steps that were opened, from the anchor on. */
      via: JourneyStep[];
      show: JourneyShow;
      /** Pages are grouped by folders of so many levels; 0: not at all. */
      folder: number;
      /** Steps at each level. */
      limit: number;
    }
  /** All hits of the visit with this id, if any of them is in the slice. */
  | { kind: 'visitHits'; id: string }
  /** All visits of the slice of a visitor, sixteen hex digits. */
  | { kind: 'visitor'; visitor: string }
  /** Newest first. */
  | { kind: 'latestHits'; limit: number }
  | { kind: 'lastHit' }
  /** The others are not about hits of a slice: they are asked in one that is empty. */
  | { kind: 'firstHit' }
  | ({ kind: 'vitals' } & Grouping<VitalField>)
  /** `bounds` are n+1 ascending instants of n buckets, here and below. */
  | ({ kind: 'crawls'; bounds: number[] } & Omit<Grouping<CrawlField>, 'from' | 'to'>)
  | { kind: 'outcomes'; bounds: number[] };

/** Where steps of a funnel are looked for: in each visit, or in each visitor's UTC day. */
export const funnelScopes = ['visit', 'visitor'] as const;
export type FunnelScope = (typeof funnelScopes)[number];

/**
 * The reports at `from <= at < to` that pass every filter, by one of the fields that they can be
 * filtered by.
 */
export interface Grouping<Field extends string> {
  from: number;
  to: number;
  by: Field;
  filters: FilterOn<Field>[];
  limit: number;
}

/** Hits that pass all filters of one of the lists convert. */
export interface GoalAsked {
  conditions: Filter[][];
  /** Whether each visit with such hits converts once, instead of each hit. */
  ofVisits: boolean;
}

export interface GoalCounts {
  /** Hits, or visits. */
  conversions: number;
  /** Visits and visitors with a conversion. */
  visits: number;
  visitors: number;
  /** Of the hits that convert, in minor units. */
  revenue: number;
  /** Of those without a rate: minor units by currency. */
  otherRevenue: Record<string, number>;
}

/** Sort value and identity of the last row a reader has seen. */
export interface VisitCursor {
  value: number;
  id: string;
}

/** The last row that a reader of a table has seen: its place in the order. */
export interface TableCursor {
  /** Of the metric that rows are sorted by; null where the row has none. */
  value: number | null;
  hits: number;
  name: string;
}

/** The hits at `from <= at < to` that pass every filter, and what to find out about them. */
export interface Slice {
  from: number;
  to: number;
  filters: Filter[];
  /** Of a rollup, the one site that is meant; all of them where it is missing. */
  site?: number;
  /** Without hits that other imports brought. */
  imports?: FinishedImports;
  questions: Question[];
}

export interface Query {
  siteId: number;
  /** The sites whose hits are asked, where the site has none of its own but reads these as one. */
  rollup?: number[];
  /**
   * The site's currency, and how many minor units of it one minor unit of another is worth. Amounts
   * are converted hit by hit and rounded.
   */
  currency: string;
  minorRates: Record<string, number>;
  /** Hits that rules leave out (store/removal-rules.ts) are asked about, too. Not of a rollup. */
  withLeftOut?: true;
  slices: Slice[];
}

export interface BreakdownRow {
  name: string;
  /** Distinct visitors. */
  value: number;
  /** Hits. */
  events: number;
}

/** Metrics of some hits and their visits. */
export interface MetricRow {
  /** Exact, in the order that was asked; null where there is nothing to work it out from. */
  values: (number | null)[];
  /** Of revenue that has no rate: minor units by currency. */
  otherRevenue: Record<string, number>;
  /** Of a bucket that holds imported days. */
  imported?: true;
}

export interface TableRow extends MetricRow {
  name: string;
  /** Rows that are alike in what they are sorted by come in the order of their hits. */
  hits: number;
}

export interface EventRow {
  name: string;
  /** The type most of its hits used. */
  type: HitType;
  events: number;
  visitors: number;
  /** UTC milliseconds. */
  lastAt: number;
  /** Hits per bucket; empty when no bounds were asked. */
  spark: number[];
}

export interface PropertyKeyRow {
  key: string;
  /** Hits that carry the key. */
  events: number;
}

export interface PropertySummary {
  key: string;
  /** Distinct values. */
  values: number;
  type: PropertyType;
  /** Of the numbers among the values, where most values are numbers. */
  numeric: { sum: number; avg: number; min: number; max: number; p50: number } | null;
}

export interface JourneyRow {
  step: JourneyStep;
  visits: number;
  visitors: number;
}

/** What came next. */
export interface JourneyLevel {
  /** All that came so far. */
  visits: number;
  visitors: number;
  rows: JourneyRow[];
  /** Visits in which nothing came next. */
  end: { visits: number; visitors: number };
  /** What is in no row: visits, and how many different steps they took next. */
  other: { visits: number; steps: number };
}

export interface VisitHit extends Record<PageField, string | null> {
  /** UTC milliseconds. */
  at: number;
  type: HitType;
  /** How long the page of a pageview was looked at, as far as a later hit told; else null. */
  secondsOnPage: number | null;
  /** Percent of the page of a pageview that was seen, as far as those hits told; else null. */
  scroll: number | null;
  /** Minor units of the currency it came in. */
  revenue: { amount: number; currency: string } | null;
  /** Values as text; null when empty. */
  properties: { key: string; value: string | null }[];
}

/** A hit, and what its visit says of whose it is. */
export interface LatestHit extends Record<LatestHitText, string | null> {
  /** UTC milliseconds. */
  at: number;
  type: HitType;
  /** Ids, as visits have them. */
  visit: string;
  visitor: string;
}
export const latestHitTexts = ['path', 'event', 'country', 'referrer', 'utmSource', 'device', 'identified'] as const;
export type LatestHitText = (typeof latestHitTexts)[number];

/**
 * Whether imported days within the slice are in the answer: all, or partly where the slice cuts one
 * in two or they do not tell what is asked. Missing where there is none.
 */
export type Imported = 'all' | 'partly';

export type Answer = AnswerBody & { imported?: Imported };

type AnswerBody =
  /** `total` is the number of all rows; `next` is null on the last page. */
  | { kind: 'table'; rows: TableRow[]; total: number; next: TableCursor | null }
  /** In the order of the ids. */
  | { kind: 'tableRows'; rows: RowTotals[] }
  /** Null for a row that is too large. None where visitors may come on other days. */
  | { kind: 'daySum'; rows: (Uint8Array | null)[] }
  /** One entry per bucket; null where an import within the bucket does not tell a metric. */
  | { kind: 'metricSeries'; rows: MetricRow[] }
  | { kind: 'events'; rows: EventRow[] }
  | {
      kind: 'eventSeries';
      /** Per bucket: event hits, and distinct visitors with one. */
      events: number[];
      visitors: number[];
      total: {
        events: number;
        visitors: number;
        /** Visits with such a hit, and the median number of such hits in one. */
        visits: number;
        medianPerVisit: number;
        /** Null when there is none. */
        type: HitType | null;
        firstAt: number | null;
        lastAt: number | null;
      };
    }
  /** In the order of the goals; and all visitors of the slice. */
  | { kind: 'goals'; goals: GoalCounts[]; visitors: number }
  /** `total` is the number of event hits in the slice. */
  | { kind: 'propertyKeys'; rows: PropertyKeyRow[]; total: number }
  /** In the order of the keys. */
  | { kind: 'propertySummaries'; summaries: PropertySummary[] }
  | {
      kind: 'propertyValues';
      /** `value`: occurrences; `events`: distinct hits. */
      rows: BreakdownRow[];
      total: number;
      type: PropertyType | null;
      bins: { from: number; to: number; value: number }[];
    }
  /**
   * The visits' texts, some 16 KiB in each piece, and where the next page begins; null on the last.
   */
  | { kind: 'visits'; pieces: string[]; next: VisitCursor | null }
  | {
      kind: 'funnel';
      /** All that are selected, and those that reached each step. */
      visits: number[];
      visitors: number[];
      /** By step but the last, the median time to the next; null where nobody took it. */
      medianMs: (number | null)[];
    }
  /** One level more than steps were opened. */
  | { kind: 'journey'; levels: JourneyLevel[] }
  | { kind: 'visitHits'; hits: VisitHit[] }
  | {
      kind: 'visitor';
      visits: number;
      pageviews: number;
      /** Hits that are no pageviews. */
      events: number;
      revenue: number;
      otherRevenue: Record<string, number>;
      /** UTC milliseconds; null for a visitor without a visit. */
      firstAt: number | null;
      lastAt: number | null;
      /** What pages said of the visitor in all visits. */
      identity: Identity | null;
    }
  | { kind: 'latestHits'; hits: LatestHit[] }
  /** When the slice's last hit came; null when it has none. */
  | { kind: 'lastHit'; at: number | null }
  /** When the site's first hit came; null when it has none. */
  | { kind: 'firstHit'; at: number | null }
  | ({ kind: 'vitals' } & Awaited<ReturnType<Records['vitals']>>)
  | ({ kind: 'crawls' } & Awaited<ReturnType<Records['crawls']>>)
  | {
      kind: 'outcomes';
      counts: Awaited<ReturnType<Records['outcomes']>>;
      otherTexts: ReturnType<Records['otherTexts']>;
    };

export type QuestionOf<K extends Question['kind']> = Extract<Question, { kind: K }>;

export type AnswerOf<K extends Question['kind']> = Extract<Answer, { kind: K }>;

/** For each slice, the answers to its questions in their order. */
export type Report = Answer[][];
