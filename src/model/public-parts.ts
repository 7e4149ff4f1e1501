/** What a public page shows besides its numbers, each only where its link says so. */
import { isPropertyField, isTraitField } from './filters.ts';
import { type TableMetric, type TableMetricName, tableMetrics } from './table-metrics.ts';

export interface PublicPartRow {
  label: string;
  /** Why somebody may not want to show it. */
  meaning: string;
}

export const publicParts = {
  events: { label: 'Events', meaning: 'Their names, and how often each was sent' },
  revenue: { label: 'Revenue', meaning: 'What was earned, in all and by row' },
  properties: { label: 'Properties of events', meaning: 'Their keys and values, such as plans, sizes or search terms' },
  queries: {
    label: 'Query strings',
    meaning: 'What follows the question mark in addresses of pages, such as searches',
  },
  networks: {
    label: 'Networks',
    meaning: 'The internet providers and companies that visits came from',
  },
  funnels: { label: 'Saved funnels', meaning: 'Their names and their steps' },
  notes: { label: 'Notes', meaning: 'What is written on days of the chart' },
  crawlers: { label: 'Crawlers', meaning: 'Which crawlers came, and what they read' },
  outcomes: { label: 'Health', meaning: 'How many hits were recorded, ignored and refused, and why' },
} as const satisfies Record<string, PublicPartRow>;

export type PublicPart = keyof typeof publicParts;
export const publicPartNames = Object.keys(publicParts) as PublicPart[];

/**
 * No public page shows single visits, whose traits may name somebody, or the sites of a rollup: its
 * owner made public what they are together. Web vitals are hidden where a page is of a segment.
 */
export type HideablePart = PublicPart | 'visits' | 'members' | 'vitals';

/** What is counted besides hits, so that no segment can choose of it. */
export const partsBesideHits = ['crawlers', 'outcomes', 'vitals'] as const satisfies HideablePart[];

/**
 * The part that a field of breakdowns and filters belongs to; undefined for what all may see. How
 * many visits have a trait tells whether somebody came.
 */
export const partOfField = (field: string): HideablePart | undefined => {
  if (isTraitField(field)) return 'visits';
  return isPropertyField(field) ? 'properties' : partsOfFields[field];
};

/** The part that a metric tells of; undefined for what every page shows. */
export const partOfMetric = (name: TableMetricName): PublicPart | undefined =>
  (tableMetrics[name] as TableMetric).isMoney ? 'revenue' : undefined;

const partsOfFields: Readonly<Record<string, PublicPart>> = {
  event: 'events',
  query: 'queries',
  network: 'networks',
  propKey: 'properties',
  propValue: 'properties',
};
