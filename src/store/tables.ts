/**
 * The tables that hold rows of sites, column by column in the order of schema.sql: what inserts, reads, prunes and sweeps are made of.
 * A new column of visits or hits is a line there, a line here, and one in model/columns.ts where days are to have it; a test keeps
 * the lists the same.
 */
import type { ColumnName } from '../model/columns.ts';

/** The columns of `visit` that a day has as they are: what is known of a visit from its first hit. These are ids of texts. */
export const visitTexts = [
  'referrer',
  'utmSource',
  'utmMedium',
  'utmCampaign',
  'utmTerm',
  'utmContent',
  'country',
  'region',
  'city',
  'language',
  'browser',
  'os',
  'device',
] as const satisfies ColumnName[];
/** And with it the screen, which is a number. */
export const visitAttributes = [...visitTexts, 'screen'] as const satisfies ColumnName[];

/** The columns of `hit` that say which page it was on and what happened there; ids of texts. */
export const pageFields = ['path', 'hostname', 'title', 'query', 'event'] as const satisfies ColumnName[];

/** What a column is: part of the primary key, the id of a text, both of that, or a value that speaks for itself. */
type Use = 'key' | 'text' | 'text key' | 'value';

/** `utmSource` is `utm_source` in SQL. */
const inSql = (name: string): string => name.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`);

const texts = (names: readonly string[]): Record<string, Use> =>
  Object.fromEntries(names.map(name => [inSql(name), 'text']));

const tables = {
  text: { site_id: 'key', id: 'key', value: 'value' },
  visit: {
    site_id: 'key',
    day: 'key',
    id: 'key',
    visitor: 'value',
    persistent: 'value',
    seen_before: 'value',
    ...texts(visitTexts),
    screen: 'value',
  },
  hit: {
    site_id: 'key',
    day: 'key',
    id: 'key',
    visit_id: 'value',
    at: 'value',
    type: 'value',
    ...texts(pageFields),
    duration: 'value',
    amount: 'value',
    currency: 'text',
    properties: 'value',
  },
  cookie_visitor: { site_id: 'key', visitor: 'key', day: 'value' },
  sealed_day: {
    site_id: 'key',
    day: 'key',
    visits: 'value',
    hash_visits: 'value',
    hits: 'value',
    first_at: 'value',
    last_at: 'value',
    bytes: 'value',
    sealed_at: 'value',
  },
  sealed_column: { id: 'key', site_id: 'value', day: 'value', name: 'value', data: 'value' },
  vital: {
    id: 'key',
    site_id: 'value',
    at: 'value',
    path: 'text',
    device: 'text',
    lcp: 'value',
    inp: 'value',
    cls: 'value',
    fcp: 'value',
    ttfb: 'value',
  },
  crawl: { site_id: 'key', quarter: 'key', name: 'text key', path: 'text key', status: 'key', crawls: 'value' },
  outcome: { site_id: 'key', hour: 'key', outcome: 'key', hits: 'value' },
} satisfies Record<string, Record<string, Use>>;

export type SiteTable = keyof typeof tables;
export const siteTables = Object.keys(tables) as SiteTable[];

const columnsWith = (table: SiteTable, isMeant: (use: Use) => boolean): string[] =>
  Object.entries<Use>(tables[table]).flatMap(([name, use]) => (isMeant(use) ? [name] : []));

export const columnsIn = (table: SiteTable): string[] => columnsWith(table, () => true);

export const keyOf = (table: SiteTable): string[] => columnsWith(table, use => use.endsWith('key'));

/** The columns that hold ids of texts; 0 stands for null in them. */
export const textColumnsIn = (table: SiteTable): string[] => columnsWith(table, use => use.startsWith('text'));

/** An insert that takes a value for each column. */
export const insertInto = (table: SiteTable): string =>
  `insert into ${table} values (${columnsIn(table)
    .map(() => '?')
    .join(', ')})`;

/** Deletes at most so many rows of `@siteId` for which a condition holds; to be run until nothing changes. */
export const deleteSome = (table: SiteTable, rows: number, condition = 'true'): string => {
  const key = keyOf(table)
    .filter(name => name !== 'site_id')
    .join(', ');
  return `delete from ${table} where site_id = @siteId
    and (${key}) in (select ${key} from ${table} where site_id = @siteId and ${condition} limit ${rows})`;
};
