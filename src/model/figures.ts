/**
 * The figures besides the metrics, one row each: the label that people read, and what it counts.
 * docs/definitions.md, the description of the API and the dashboard all read this table. Names are
 * those of the API.
 */
import { metrics } from './metrics.ts';

export interface Figure {
  label: string;
  meaning: string;
}
type Figures = Readonly<Record<string, Figure>>;

/** Of a row of a breakdown. */
export const rowFigures = {
  value: {
    label: 'Visitors',
    meaning: 'Unique visitors with this value. One visitor can appear in several rows',
  },
  events: { label: 'Hits', meaning: 'Hits with this value' },
  share: { label: 'Share', meaning: 'Visitors with this value, in percent of all visitors' },
} as const satisfies Figures;

export const eventFigures = {
  events: { label: 'Occurrences', meaning: 'How often the event was sent' },
  visitors: { label: 'Visitors', meaning: 'Distinct visitors who sent it; a visitor is a browser on one UTC day' },
  perVisitor: { label: 'Per visitor', meaning: 'Occurrences divided by visitors' },
  visitorShare: {
    label: 'Share of visitors',
    meaning: 'Visitors who sent it at least once, in percent of the period’s visitors',
  },
  sessions: { label: 'Visits', meaning: 'Distinct visits in which it was sent' },
  medianPerSession: { label: 'Median per visit', meaning: 'The middle number of occurrences within one visit' },
  firstSeen: { label: 'First seen', meaning: 'Its first occurrence in the period' },
  lastSeen: { label: 'Last seen', meaning: 'Its latest occurrence in the period' },
  delta: { label: 'Change', meaning: 'Change in occurrences since the previous period' },
} as const satisfies Figures;

export const propertyFigures = {
  key: { label: 'Property', meaning: 'Name of the property' },
  coverage: { label: 'Coverage', meaning: 'Occurrences of the event that carried the property, in percent' },
  values: { label: 'Values', meaning: 'Number of different values' },
  dataType: { label: 'Type', meaning: 'Type of most values' },
} as const satisfies Figures;

/** Of a value of a property. */
export const valueFigures = {
  value: { label: 'Occurrences', meaning: 'How often the event carried this value' },
  share: {
    label: 'Share',
    meaning: 'Occurrences with this value, in percent of all occurrences of the property',
  },
} as const satisfies Figures;

export const goalFigures = {
  conversions: {
    label: 'Conversions',
    meaning: 'Hits that reached the goal; visits, where the goal is about visits alone',
  },
  visitors: { label: 'Visitors', meaning: 'Distinct visitors who reached it' },
  conversionRate: { label: 'Rate', meaning: 'Visitors who reached it, in percent of all visitors' },
  value: {
    label: 'Value',
    meaning:
      'Conversions times the value of the goal; for a goal without a value, the revenue of the hits that reached it',
  },
} as const satisfies Figures;

export const visitFigures = {
  started: { label: 'Started', meaning: 'First hit of the visit, in the site’s time zone' },
  visitor: { label: 'Visitor', meaning: 'The visitor’s daily hash, or the name that the page identified them with' },
  paths: { label: 'Entry and exit', meaning: 'Path of the first and of the last pageview' },
  source: { label: 'Source', meaning: 'Domain the visit came from, or utm_source' },
  place: { label: 'Place', meaning: 'Where the address is registered' },
  browser: { label: 'Browser', meaning: 'Browser, operating system and device' },
  pageviews: { label: 'Pages', meaning: 'Pageviews of the visit' },
  events: { label: 'Events', meaning: 'Hits of the visit other than pageviews' },
  duration: { label: 'Duration', meaning: 'From the first to the last hit' },
  revenue: { label: 'Revenue', meaning: 'Revenue events of the visit, in the site’s currency' },
} as const satisfies Figures;

/** What a list of visits can be narrowed to. */
export const visitChips = {
  converted: { label: 'With an event', meaning: 'Visits with a custom or revenue event that has a name' },
  bounced: { label: 'Bounced', meaning: metrics.bounces.meaning },
  paid: { label: 'With revenue', meaning: 'Visits with revenue' },
  returning: {
    label: 'Returning',
    meaning: 'Not the visitor’s first visit of the day (in cookie mode: ever)',
  },
} as const satisfies Figures;

export const visitChipNames = Object.keys(visitChips) as (keyof typeof visitChips)[];

export const realtimeFigures = {
  visitors: { label: 'Now', meaning: 'Distinct visitors of the last 5 minutes' },
  minutes: { label: 'Last 30 minutes', meaning: 'Distinct visitors of each minute' },
} as const satisfies Figures;

export const vitalFigures = {
  p75: { label: '75th percentile', meaning: 'Three of four reports are at or below this value' },
  reports: {
    label: 'Reports',
    meaning: 'Page loads that reported this, once each, when the page was first hidden or closed',
  },
} as const satisfies Figures;

export const crawlFigures = {
  crawls: { label: 'Crawls', meaning: 'Requests by crawlers and automated browsers; none of them is a hit' },
  ai: { label: 'By AI', meaning: 'Crawls for AI training, AI search and AI assistants' },
  lastSeen: { label: 'Last seen', meaning: 'Its latest crawl in the period' },
} as const satisfies Figures;

export const outcomeFigures = {
  hits: { label: 'Hits', meaning: 'Hits of the period that ended this way' },
  share: { label: 'Share', meaning: 'Percentage of all hits that arrived in the period' },
} as const satisfies Figures;

/** All of them, by subject. */
export const figures: Readonly<Record<string, Figures>> = {
  'a row of a breakdown': rowFigures,
  'an event': eventFigures,
  'a property of an event': propertyFigures,
  'a value of a property': valueFigures,
  'a goal': goalFigures,
  'a visit': visitFigures,
  'a list of visits': visitChips,
  realtime: realtimeFigures,
  'web vitals': vitalFigures,
  crawlers: crawlFigures,
  health: outcomeFigures,
};
