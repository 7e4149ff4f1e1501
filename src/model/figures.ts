/**
 * What is counted besides the metrics, one row each: how it is called where people read it, and what it counts. The only place where these
 * meanings stand: docs/definitions.md, the description of the API and the dashboard read them. Names are those of the API.
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
    meaning: 'Distinct visitors with this value; one with several values is in several rows',
  },
  events: { label: 'Hits', meaning: 'Hits with this value' },
  share: { label: 'Share', meaning: 'Of all visitors of the slice, those with this value, in percent' },
} as const satisfies Figures;

export const eventFigures = {
  events: { label: 'Occurrences', meaning: 'How often the event was sent' },
  visitors: { label: 'Visitors', meaning: 'Distinct visitors who sent it; a visitor is a browser on one UTC day' },
  perVisitor: { label: 'Per visitor', meaning: 'Occurrences divided by visitors' },
  visitorShare: {
    label: 'Share of visitors',
    meaning: 'Of the period’s visitors, those who sent it at least once, in percent',
  },
  sessions: { label: 'Visits', meaning: 'Distinct visits in which it was sent' },
  medianPerSession: { label: 'Median per visit', meaning: 'The middle number of occurrences within one visit' },
  firstSeen: { label: 'First seen', meaning: 'Its first occurrence in the period' },
  lastSeen: { label: 'Last seen', meaning: 'Its latest occurrence in the period' },
  delta: { label: 'Change', meaning: 'Of occurrences, against the period before' },
} as const satisfies Figures;

export const propertyFigures = {
  key: { label: 'Property', meaning: 'Name under which the event carried something' },
  coverage: { label: 'Coverage', meaning: 'Occurrences of the event that carried it, in percent' },
  values: { label: 'Values', meaning: 'How many different values there are' },
  dataType: { label: 'Type', meaning: 'The type most values have' },
} as const satisfies Figures;

/** Of a value of a property. */
export const valueFigures = {
  value: { label: 'Occurrences', meaning: 'How often the event carried this value' },
  share: {
    label: 'Share',
    meaning: 'Of all occurrences of the property in the period, those with this value, in percent',
  },
} as const satisfies Figures;

export const visitFigures = {
  started: { label: 'Started', meaning: 'First hit of the visit, in the site’s time zone' },
  visitor: { label: 'Visitor', meaning: 'The visitor’s daily hash, or what the page identified them as' },
  paths: { label: 'Entry and exit', meaning: 'Path of the first and of the last pageview' },
  source: { label: 'Source', meaning: 'Domain the visit came from, or utm_source' },
  place: { label: 'Place', meaning: 'Where the address is registered' },
  browser: { label: 'Browser', meaning: 'Browser, operating system and device' },
  pageviews: { label: 'Pages', meaning: 'Pageviews of the visit' },
  events: { label: 'Events', meaning: 'Hits of the visit that are no pageviews' },
  duration: { label: 'Duration', meaning: 'From the first to the last hit' },
  revenue: { label: 'Revenue', meaning: 'Revenue events of the visit, in the site’s currency' },
} as const satisfies Figures;

/** Kinds of visits that a list of them can be narrowed to. */
export const visitChips = {
  converted: { label: 'Converted', meaning: 'Visits with a custom or revenue event that has a name' },
  bounced: { label: 'Bounced', meaning: metrics.bounces.meaning },
  paid: { label: 'Paid', meaning: 'Visits with revenue' },
  returning: {
    label: 'Returning',
    meaning: 'Not the visitor’s first visit: of the day, or, on sites in cookie mode, ever',
  },
} as const satisfies Figures;

export const realtimeFigures = {
  visitors: { label: 'Now', meaning: 'Distinct visitors of the last 5 minutes' },
  minutes: { label: 'Last 30 minutes', meaning: 'Distinct visitors of each minute' },
} as const satisfies Figures;

export const vitalFigures = {
  p75: { label: '75th percentile', meaning: 'The value that three reports of four do not exceed' },
  reports: {
    label: 'Reports',
    meaning: 'Page loads that reported this, once each, when the page was first hidden or closed',
  },
} as const satisfies Figures;

export const crawlFigures = {
  crawls: { label: 'Crawls', meaning: 'Requests by crawlers and automated browsers; none of them is a hit' },
  ai: { label: 'By AI', meaning: 'Crawls by those known to gather for models, AI search or assistants' },
  lastSeen: { label: 'Last seen', meaning: 'Its latest crawl in the period' },
} as const satisfies Figures;

export const outcomeFigures = {
  hits: { label: 'Hits', meaning: 'Hits that arrived in the period and ended this way' },
  share: { label: 'Share', meaning: 'Of all hits that arrived in the period, in percent' },
} as const satisfies Figures;

/** All of them, by what they are figures of. */
export const figures: Readonly<Record<string, Figures>> = {
  'a row of a breakdown': rowFigures,
  'an event': eventFigures,
  'a property of an event': propertyFigures,
  'a value of a property': valueFigures,
  'a visit': visitFigures,
  'a list of visits': visitChips,
  realtime: realtimeFigures,
  'web vitals': vitalFigures,
  crawlers: crawlFigures,
  health: outcomeFigures,
};
