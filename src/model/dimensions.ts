/**
 * The 21 dimensions (service.md, "Dimensions"), one row each, and the only place where their names and meanings stand.
 * The order is the order of the `allowed` list in the error for an unknown dimension.
 */
import type { ColumnName } from './columns.ts';

export interface Dimension {
  /** Where the value lives: on each hit, or once per visit. */
  level: 'hit' | 'visit';
  /** The stored column it reads. */
  column: ColumnName;
  /** Section name in the CSV export, or null where the export leaves the dimension out. */
  section: string | null;
  /** How a null value is named; null means that rows without a value are dropped. */
  nullName: string | null;
  meaning: string;
}

const row =
  (level: Dimension['level']) =>
  (column: ColumnName, section: string | null, meaning: string): Dimension => ({
    level,
    column,
    section,
    nullName: null,
    meaning,
  });
const hit = row('hit');
const visit = row('visit');

export const directName = 'Direct / none';

/** Stands for the texts of a day that are more than a site may bring (store/texts.ts). */
export const otherName = '(other)';

export const dimensions = {
  path: hit('path', 'Page', 'Pathname of the page'),
  entryPath: visit('entryPath', 'Entry page', 'Path of the first pageview of the visit'),
  exitPath: visit('exitPath', 'Exit page', 'Path of the last pageview of the visit'),
  title: hit('title', null, 'Title of the document'),
  hostname: hit('hostname', null, 'Host of the page, lower-case'),
  query: hit('query', null, 'Query string left after tracking parameters are removed'),
  referrer: { ...visit('referrer', 'Referrer', 'Domain the visit came from'), nullName: directName },
  utmSource: visit('utmSource', 'UTM source', 'utm_source of the landing page, else its ref, source or via'),
  utmMedium: visit('utmMedium', 'UTM medium', 'utm_medium of the landing page'),
  utmCampaign: visit('utmCampaign', 'Campaign', 'utm_campaign of the landing page'),
  utmTerm: visit('utmTerm', null, 'utm_term of the landing page'),
  utmContent: visit('utmContent', null, 'utm_content of the landing page'),
  country: visit('country', 'Country', 'ISO 3166 alpha-2 code of the country of the address'),
  region: visit('region', 'Region', 'First subdivision of the country'),
  city: visit('city', 'City', 'City of the address'),
  language: visit('language', 'Language', 'Language of the browser'),
  browser: visit('browser', 'Browser', 'Name of the browser'),
  os: visit('os', 'OS', 'Name of the operating system'),
  device: visit('device', 'Device', 'desktop, mobile, tablet, bot or unknown'),
  screen: visit('screen', 'Screen', 'Width of the window, in six buckets'),
  event: hit('event', 'Event', 'Name of a custom or outbound event'),
} as const satisfies Record<string, Dimension>;

export type DimensionName = keyof typeof dimensions;
export const dimensionNames = Object.keys(dimensions) as DimensionName[];

/** The sixteen breakdown sections of the CSV export, in its order (service.md, "CSV export"). */
export const exportSections: readonly DimensionName[] = [
  'path',
  'entryPath',
  'exitPath',
  'referrer',
  'utmSource',
  'utmMedium',
  'utmCampaign',
  'country',
  'region',
  'city',
  'language',
  'browser',
  'os',
  'device',
  'screen',
  'event',
];

/** The widths, in CSS pixels, at which the screen buckets begin (contract 3). */
const screenBuckets = [
  [1536, '1536+'],
  [1280, '1280-1535'],
  [1024, '1024-1279'],
  [768, '768-1023'],
  [480, '480-767'],
  [1, '<480'],
] as const;

export const screenBucketNames: readonly string[] = screenBuckets.map(([, name]) => name);

/** Bucket of a window width; null for 0. */
export const screenBucket = (width: number): string | null =>
  screenBuckets.find(([from]) => width >= from)?.[1] ?? null;
