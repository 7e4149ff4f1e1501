/** Fields of rows and their columns: `siteId` stands in `site_id`, some as something else. */
import { snakeCase } from '../model/snake-case.ts';

/** What a statement selects, so that columns are named as their fields. */
export const selected = (names: readonly string[]): string =>
  names.map(name => `${snakeCase(name)} as ${name}`).join(', ');

/** What a statement sets to the values of fields. */
export const assigned = (names: readonly string[]): string =>
  names.map(name => `${snakeCase(name)} = @${name}`).join(', ');

/** A statement that inserts the values of fields. */
export const insertInto = (table: string, names: readonly string[]): string =>
  `insert into ${table} (${names.map(snakeCase)}) values (${names.map(name => `@${name}`)})`;

/** - `flag` is 0 or 1 there, `json` its text; null is null. */
type Shapes<Row> = { readonly [F in keyof Row]?: 'flag' | 'json' };

/** Reads and writes rows of a table, whose fields are named as the columns are selected. */
export const rowValues = <Row extends object>(shapes: Shapes<Row>) => {
  const names = Object.entries(shapes) as [keyof Row, 'flag' | 'json'][];
  const changed = (
    row: object,
    change: (value: unknown, shape: 'flag' | 'json') => unknown,
  ): Record<string, unknown> => {
    const values = { ...row } as Record<keyof Row, unknown>;
    for (const [name, shape] of names) if (values[name] != null) values[name] = change(values[name], shape);
    return values;
  };
  const read = (row: unknown): Row =>
    changed(row as object, (value, shape) => (shape === 'flag' ? value === 1 : JSON.parse(value as string))) as Row;
  return {
    read,
    /** Undefined where there is no row. */
    one: (row: unknown): Row | undefined => (row === undefined ? undefined : read(row)),
    all: (rows: unknown[]): Row[] => rows.map(read),
    /** What statements are given. */
    stored: (given: object) =>
      changed(given, (value, shape) => (shape === 'flag' ? Number(value) : JSON.stringify(value))),
  };
};
