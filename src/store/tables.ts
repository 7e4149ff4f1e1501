/**
 * The tables that hold rows of sites, as schema.sql has them: inserts, prunes and sweeps are made
 * from them. Which columns are ids of texts comes from the lists of the model.
 */
import { pageFields } from '../model/columns.ts';
import { snakeCase } from '../model/snake-case.ts';
import { visitTextNames } from '../model/visit-fields.ts';
import type { Database } from './database.ts';

/** By table the columns that hold ids of texts; 0 stands for null in them. */
export const textColumns = {
  visit: visitTextNames.map(snakeCase),
  hit: [...pageFields.map(snakeCase), 'currency'],
  vital: ['path', 'device'],
  crawl: ['name', 'path'],
} as const satisfies Record<string, readonly string[]>;

export type TableWithTexts = keyof typeof textColumns;

/** The tables with a `site_id`. */
export const siteTables = (db: Database): string[] =>
  db
    .prepare(
      `select m.name from sqlite_schema m join pragma_table_info(m.name) c
       where m.type = 'table' and c.name = 'site_id' order by m.name`,
    )
    .pluck()
    .all() as string[];

const columnsIn = (db: Database, table: string): { name: string; pk: number }[] =>
  db.prepare('select name, pk from pragma_table_info(?) order by pk').all(table) as { name: string; pk: number }[];

/**
 * Inserts rows into a table. `values` says of every column what a row puts there; `onConflict` is
 * the clause for a row that is there already. Throws when a column has no value.
 */
export const inserter = <Row>(
  db: Database,
  table: string,
  values: Record<string, (row: Row) => unknown>,
  onConflict = '',
): ((row: Row) => void) => {
  const names = columnsIn(db, table).map(({ name }) => name);
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
export const deleteSome = (db: Database, table: string, rows: number, condition = 'true'): string => {
  const key = columnsIn(db, table)
    .flatMap(({ name, pk }) => (pk > 0 && name !== 'site_id' ? name : []))
    .join(', ');
  return `delete from ${table} where site_id = @siteId
    and (${key}) in (select ${key} from ${table} where site_id = @siteId and ${condition} limit ${rows})`;
};
