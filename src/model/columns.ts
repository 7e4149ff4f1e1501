/**
 * The columns of a day, sealed or open, one row each: the one list that the fold, the codec, the
 * sealed days and the scan share.
 *
 * A day has four tables of columns. Visits are sorted by (persistent, visitor, start): first those
 * of hash mode, then those of cookie mode. Hits are sorted by (visit, time), so a visit's hits are
 * adjacent and so are a visitor's. Revenue rows and property rows are sparse: they name their hit
 * by its ordinal. Property rows are sorted by (key, hit).
 */
import { type VisitText, type VisitTextName, visitTextNames, visitTexts } from './visit-fields.ts';

/**
 * - `number`: non-negative integers or any doubles.
 * - `text`: ids of the site's text dictionary; 0 is null.
 * - `hash`: 64 bits.
 */
export type ColumnKind = 'number' | 'text' | 'hash';
export type ColumnTable = 'visit' | 'hit' | 'revenue' | 'property';

interface ColumnRow {
  table: ColumnTable;
  kind: ColumnKind;
}

const of = <T extends ColumnTable, K extends ColumnKind>(table: T, kind: K): { table: T; kind: K } => ({ table, kind });
const texts = <T extends ColumnTable, N extends string>(table: T, names: readonly N[]) =>
  Object.fromEntries(names.map(name => [name, of(table, 'text')])) as Record<N, { table: T; kind: 'text' }>;

/** Which page a hit was on and what happened there. */
export const pageFields = ['path', 'hostname', 'title', 'query', 'event'] as const;
export type PageField = (typeof pageFields)[number];

/** What is known of a visit from its first hit: its texts, and the size of the window. */
export type VisitAttribute = VisitTextName | 'screen';
export const visitAttributes: readonly VisitAttribute[] = [...visitTextNames, 'screen'];

export const columns = {
  /**
   * The visitor's 64 bits. Equal hashes are adjacent and ascending within hash mode and within
   * cookie mode.
   */
  visitor: of('visit', 'hash'),
  /**
   * 1 on the first visit of each visitor of the day, else 0: counting visitors needs this and not
   * the hashes.
   */
  newVisitor: of('visit', 'number'),
  /** 1 when a cookie-mode visitor had been seen on an earlier day. */
  seenBefore: of('visit', 'number'),
  /** Milliseconds since the UTC midnight that begins the day. */
  started: of('visit', 'number'),
  /** Milliseconds from the first to the last hit, non-counting hits included. */
  duration: of('visit', 'number'),
  /** Stored hits of the visit, at least 1. Their running sum is where each visit's hits begin. */
  hits: of('visit', 'number'),
  pageviews: of('visit', 'number'),
  entryPath: of('visit', 'text'),
  exitPath: of('visit', 'text'),
  ...texts('visit', visitTextNames),
  /**
   * Window size, width × 65,536 + height; a dictionary column whose entries are sizes, not text
   * ids. 0 is null.
   */
  screen: of('visit', 'text'),
  /** The trait that names the visitor. */
  identified: of('visit', 'text'),
  /** All traits of the last identify, as JSON. */
  traits: of('visit', 'text'),

  /** Milliseconds since the start of the visit. */
  time: of('hit', 'number'),
  /** Code of model/hit.ts, 1 to 4. */
  type: of('hit', 'number'),
  ...texts('hit', pageFields),
  /**
   * Whole seconds the page of a pageview was looked at, as far as later hits of the visit told,
   * non-counting ones included: the sum of what each adds. Where it is 0, `scroll` says whether
   * anything is known (secondsOf of model/hit.ts).
   */
  secondsOnPage: of('hit', 'number'),
  /**
   * How much of the page of a pageview was seen: the largest part that those hits told, as
   * model/hit.ts has it.
   */
  scroll: of('hit', 'number'),

  revenueHit: of('revenue', 'number'),
  /** Minor units of the currency it came in. */
  revenueAmount: of('revenue', 'number'),
  revenueCurrency: of('revenue', 'text'),

  propertyKey: of('property', 'text'),
  propertyHit: of('property', 'number'),
  /** Code of model/hit.ts, 1 to 5. */
  propertyType: of('property', 'number'),
  /** The value of a string or date property, else null. */
  propertyText: of('property', 'text'),
  /** The value of a number, boolean (0 or 1) or instant (UTC milliseconds) property, else 0. */
  propertyNumber: of('property', 'number'),
} as const satisfies Record<string, ColumnRow>;

export type ColumnName = keyof typeof columns;
export const columnNames = Object.keys(columns) as ColumnName[];

/** Columns that days sealed by an earlier version don't have: they are null there. */
export const addedLater: ReadonlySet<string> = new Set<ColumnName>([
  'scroll',
  ...visitTextNames.filter(name => (visitTexts[name] as VisitText).since !== undefined),
]);
