/**
 * The tables that hold rows of sites, column by column: inserts, reads, prunes and sweeps are made
 * from them. The texts of visits and hits and the vitals come from the lists of the model. A test
 * compares the tables with schema.sql.
 */
import { pageFields } from '../model/columns.ts';
import { sumNames } from '../model/imported-sums.ts';
import { snakeCase } from '../model/snake-case.ts';
import { visitTextNames } from '../model/visit-fields.ts';
import { vitalNames } from '../model/vitals.ts';
import type { Database } from './database.ts';

/**
 * What a column is: part of the primary key, the id of a text, both of that, or a value that speaks
 * for itself.
 */
type Use = 'key' | 'text' | 'text key' | 'value';

const all = (names: readonly string[], use: Use): Record<string, Use> =>
  Object.fromEntries(names.map(name => [snakeCase(name), use]));

const tables = {
  text: { site_id: 'key', id: 'key', value: 'value', digest: 'value' },
  visit: {
    site_id: 'key',
    day: 'key',
    id: 'key',
    visitor: 'value',
    persistent: 'value',
    seen_before: 'value',
    ...all(visitTextNames, 'text'),
    screen: 'value',
  },
  hit: {
    site_id: 'key',
    day: 'key',
    id: 'key',
    visit_id: 'value',
    at: 'value',
    type: 'value',
    ...all(pageFields, 'text'),
    duration: 'value',
    amount: 'value',
    currency: 'text',
    properties: 'value',
    scroll: 'value',
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
    version: 'value',
  },
  sealed_part: {
    site_id: 'key',
    day: 'key',
    number: 'key',
    visits: 'value',
    hash_visits: 'value',
    hits: 'value',
    first_at: 'value',
    last_at: 'value',
  },
  sealed_column: { id: 'key', site_id: 'value', day: 'value', name: 'value', data: 'value' },
  import: {
    id: 'key',
    site_id: 'value',
    kind: 'value',
    format: 'value',
    source: 'value',
    digest: 'value',
    lines: 'value',
    outcomes: 'value',
    totals: 'value',
    first_at: 'value',
    last_at: 'value',
    created_at: 'value',
    finished_at: 'value',
  },
  import_day: {
    site_id: 'key',
    day: 'key',
    import_id: 'key',
    number: 'key',
    parts: 'value',
    visits: 'value',
    hash_visits: 'value',
    hits: 'value',
    first_at: 'value',
    last_at: 'value',
    bytes: 'value',
    version: 'value',
    visitors: 'value',
    pageviews: 'value',
    events: 'value',
    records: 'value',
  },
  imported_sum: {
    site_id: 'key',
    import_id: 'key',
    dimension: 'key',
    from_at: 'key',
    value: 'key',
    to_at: 'value',
    ...all(sumNames, 'value'),
  },
  removal: {
    id: 'key',
    site_id: 'value',
    filters: 'value',
    period: 'value',
    file: 'value',
    hits: 'value',
    created_at: 'value',
    finished_at: 'value',
  },
  site_alias: { alias: 'key', site_id: 'value' },
  definition: { site_id: 'key', kind: 'key', name: 'key', body: 'value', created_at: 'value' },
  note: { id: 'key', site_id: 'value', date: 'value', kind: 'value', text: 'value', created_at: 'value' },
  removed_hits: { site_id: 'key', day: 'key', removal_id: 'key', hits: 'value' },
  vital: {
    id: 'key',
    site_id: 'value',
    at: 'value',
    path: 'text',
    device: 'text',
    ...all(vitalNames, 'value'),
    import_id: 'value',
  },
  crawl: { site_id: 'key', quarter: 'key', name: 'text key', path: 'text key', status: 'key', crawls: 'value' },
  outcome: { site_id: 'key', hour: 'key', outcome: 'key', hits: 'value' },
  other_text: { site_id: 'key', hour: 'key', kind: 'key', bound: 'key', texts: 'value' },
} satisfies Record<string, Record<string, Use>>;

export type SiteTable = keyof typeof tables;
export const siteTables = Object.keys(tables) as SiteTable[];

const columnsWith = (table: SiteTable, isMeant: (use: Use) => boolean): string[] =>
  Object.entries<Use>(tables[table]).flatMap(([name, use]) => (isMeant(use) ? [name] : []));

export const columnsIn = (table: SiteTable): string[] => columnsWith(table, () => true);

export const keyOf = (table: SiteTable): string[] => columnsWith(table, use => use.endsWith('key'));

/** The columns that hold ids of texts; 0 stands for null in them. */
export const textColumnsIn = (table: SiteTable): string[] => columnsWith(table, use => use.startsWith('text'));

/**
 * Inserts rows into a table. `values` says of every column what a row puts there; `onConflict` is
 * the clause for a row that is there already. Throws when a column has no value.
 */
export const inserter = <Row>(
  db: Database,
  table: SiteTable,
  values: Record<string, (row: Row) => unknown>,
  onConflict = '',
): ((row: Row) => void) => {
  const names = columnsIn(table);
  const inOrder = names.map(name => {
    const value = values[name];
    if (value === undefined) throw new Error(`no value for ${table}.${name}`);
    return value;
  });
  const insert = db.prepare(
    `insert into ${table} (${names.join(', ')}) values (${names.map(() => '?').join(', ')}) ${onConflict}`,
  );
  const bound: unknown[] = names.map(() => null);
  return row => {
    for (let i = 0; i < inOrder.length; i++) bound[i] = inOrder[i]!(row);
    // As arguments, values are bound in half the time that an array of them takes.
    insert.run(...bound);
  };
};

/**
 * Deletes at most so many rows of `@siteId` for which a condition holds; to be run until nothing
 * changes.
 */
export const deleteSome = (table: SiteTable, rows: number, condition = 'true'): string => {
  const key = keyOf(table)
    .filter(name => name !== 'site_id')
    .join(', ');
  return `delete from ${table} where site_id = @siteId
    and (${key}) in (select ${key} from ${table} where site_id = @siteId and ${condition} limit ${rows})`;
};
