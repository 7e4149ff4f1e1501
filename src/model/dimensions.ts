/**
 * The dimensions (docs/definitions.md, "Dimensions"), one row each; those of visits come from
 * model/visit-fields.ts. Most have the name of the stored column that they read (model/columns.ts).
 * The order is that of the `allowed` list in the error for an unknown dimension.
 */
import { type ColumnName, columns } from './columns.ts';
import { visitTexts } from './visit-fields.ts';

export interface Dimension {
  /** Section name in the CSV export, or null where the export leaves the dimension out. */
  section: string | null;
  /** How a null value is named; null means that rows without a value are dropped. */
  nullName: string | null;
  meaning: string;
}

const row = (section: string | null, meaning: string): Dimension => ({ section, nullName: null, meaning });

/** Stands for the texts of a day that are more than a site may bring (store/texts.ts). */
export const otherName = '(other)';

/** These came later: the order of those before them stays. */
const { clickId, network, ...firstTexts } = visitTexts;

/** Of visits, worked out when they are read. */
const workedOut = {
  networkKind: row(null, 'hosting for a network that hosts servers, other for another that is known'),
  suspect: row(null, 'Why the visit looks automated: hosting, many-pages, regular-pace or no-interaction'),
  channel: row(null, 'Kind of place that the visit came from, by its source, medium, referrer and click id'),
} as const;

export const dimensions = {
  path: row('Page', 'Pathname of the page'),
  entryPath: row('Entry page', 'Path of the first pageview of the visit'),
  exitPath: row('Exit page', 'Path of the last pageview of the visit'),
  title: row(null, 'Title of the document'),
  hostname: row(null, 'Host of the page, lower-case'),
  query: row(null, 'Query string left after tracking parameters are removed'),
  ...firstTexts,
  screen: row('Screen', 'Width of the window, in six buckets'),
  event: row('Event', 'Name of a custom or outbound event'),
  clickId,
  network,
  ...workedOut,
} as const satisfies Partial<Record<ColumnName | keyof typeof workedOut, Dimension>>;

export type DimensionName = keyof typeof dimensions;
/** A dimension whose values are those of the column of its name. */
export type StoredDimension = Exclude<DimensionName, keyof typeof workedOut>;

/** Whether a hit or its visit has the value. */
export const levelOf = (dimension: DimensionName): 'hit' | 'visit' =>
  dimension in workedOut ? 'visit' : columns[dimension as StoredDimension].table;

export const dimensionNames = Object.keys(dimensions) as DimensionName[];

/** The breakdown sections of the CSV export, in its order. */
export const exportSections: readonly DimensionName[] = dimensionNames.filter(
  name => dimensions[name].section !== null,
);

/** The widths, in CSS pixels, at which the screen buckets begin (docs/collecting.md, "Visits"). */
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
