/**
 * The control state: what sites, links to public pages, keys and definitions there are. A primary
 * reads it out of its tables, and those that follow it put it into their own, so that they know as
 * much without it. What visitors left is no part of it, nor is what people sign in with.
 */
import { usualScopes } from '../model/scopes.ts';
import { changeCounter, type Database } from './database.ts';

/** What a server that follows does: collect hits, or answer questions. */
export const roles = ['collect', 'answer'] as const;
export type Role = (typeof roles)[number];

/** The tables, and the columns of each that stay where they are. */
const tables = {
  account: [],
  site: [],
  site_alias: [],
  share: ['last_used_at'],
  api_key: ['last_used_at', 'made_by'],
  rate: [],
  definition: [],
  note: [],
  // What it brought stays on the primary. Others have to know of which days.
  import: [],
  erased_visitor: ['done'],
} as const satisfies Record<string, readonly string[]>;

type Table = keyof typeof tables;
const tableNames = Object.keys(tables) as Table[];

/** What a role has no use for: whole tables, and columns. */
const unused: Record<Role, { tables: readonly Table[]; columns: readonly string[] }> = {
  collect: { tables: ['share', 'rate', 'definition', 'note', 'import'], columns: [] },
  answer: { tables: ['erased_visitor'], columns: ['visitor_key'] },
};

/** Bytes are written as hexadecimal digits. */
type Cell = string | number | null | { hex: string };

/** By the name of the table: its columns, and the cells of each row in their order. */
export type ControlTables = Partial<Record<string, { columns: string[]; rows: Cell[][] }>>;

export const control = (db: Database) => {
  const ofOthers = changeCounter(db);
  let seen = Number.NaN;
  let isTouched = true;
  db.function('control_touched', () => {
    isTouched = true;
    return null;
  });
  for (const table of tableNames) watch(db, table);
  return {
    /**
     * What a role needs to know. One that does not know scopes of keys is told of those without
     * limits alone: it would take the others for them.
     */
    read: (role: Role, knowsScopes: boolean): ControlTables =>
      Object.fromEntries(
        tableNames
          .filter(table => !unused[role].tables.includes(table))
          .map(table => [
            table,
            readTable(db, table, unused[role].columns, table === 'api_key' && !knowsScopes ? withoutLimits : 'true'),
          ]),
      ),
    /** Whether any program may have changed it since this was last asked. Takes a microsecond. */
    mayHaveChanged() {
      const now = ofOthers();
      const may = isTouched || now !== seen;
      seen = now;
      isTouched = false;
      return may;
    },
  };
};

interface Column {
  name: string;
  /** Place in the primary key, from 1; 0 for a column that is no part of it. */
  pk: number;
}

const columnsOf = (db: Database, table: Table): Column[] => {
  const kept: readonly string[] = tables[table];
  return (db.pragma(`table_info(${table})`) as Column[]).filter(({ name }) => !kept.includes(name));
};

/** The counter of changes tells nothing of this connection's own. */
const watch = (db: Database, table: Table): void => {
  const columns = columnsOf(db, table).map(({ name }) => name);
  for (const change of ['insert', 'delete', `update of ${columns.join(', ')}`]) {
    const name = `${table}_${change.split(' ')[0]}`;
    db.exec(`create temp trigger if not exists control_${name} after ${change} on main.${table}
      begin select control_touched(); end`);
  }
};

/** Of keys: as those of earlier versions were. */
const withoutLimits = `scopes = '${JSON.stringify(usualScopes)}' and sites is null and expires_at is null`;

const rowsOf = (db: Database, table: Table, columns: readonly string[], which = 'true'): unknown[][] =>
  db
    .prepare(`select ${columns.join(', ')} from ${table} where ${which}`)
    .raw()
    .all() as unknown[][];

const readTable = (db: Database, table: Table, without: readonly string[], which: string) => {
  const columns = columnsOf(db, table)
    .map(({ name }) => name)
    .filter(name => !without.includes(name));
  const written = (cell: unknown): Cell => (Buffer.isBuffer(cell) ? { hex: cell.toString('hex') } : (cell as Cell));
  return { columns, rows: rowsOf(db, table, columns, which).map(row => row.map(written)) };
};

/**
 * Makes the tables what the primary's are, all at once: only rows that differ are written. Columns
 * that one of the two versions does not know keep their defaults. Hits of sites that went stay.
 * Gives how many rows changed. Throws when the state does not fit together, and then nothing has
 * changed.
 */
export const applyControl = (db: Database, state: ControlTables): number => {
  let rows = 0;
  db.transaction(() => {
    db.pragma('defer_foreign_keys = on');
    // Nobody signs in here.
    for (const table of ['sign_in_link', 'invitation', 'person']) db.exec(`delete from ${table}`);
    for (const table of tableNames) {
      const given = state[table];
      if (given === undefined) continue;
      const changed = applyTable(db, table, given);
      rows += changed.rows;
      if (table === 'site') leaveSites(db, changed.goneKeys);
    }
  }).immediate();
  return rows;
};

const applyTable = (
  db: Database,
  table: Table,
  { columns: given, rows }: { columns: string[]; rows: Cell[][] },
): { rows: number; goneKeys: unknown[][] } => {
  const own = columnsOf(db, table).filter(({ name }) => given.includes(name));
  const columns = own.map(({ name }) => name);
  const places = columns.map(name => given.indexOf(name));
  const keyColumns = own.filter(({ pk }) => pk > 0).toSorted((a, b) => a.pk - b.pk);
  const keyOf = (row: unknown[]): unknown[] => keyColumns.map(({ name }) => row[columns.indexOf(name)]);
  const textOf = (cells: unknown[]): string =>
    JSON.stringify(cells.map(cell => (Buffer.isBuffer(cell) ? { hex: cell.toString('hex') } : cell)));

  const wanted = new Map(rows.map(row => places.map(place => row[place]!)).map(row => [textOf(keyOf(row)), row]));
  const remove = db.prepare(`delete from ${table} where ${keyColumns.map(({ name }) => `${name} = ?`).join(' and ')}`);
  const insert = db.prepare(`insert into ${table} (${columns}) values (${columns.map(() => '?')})`);
  let changed = 0;
  const goneKeys: unknown[][] = [];
  // First all that goes: a name may move from one row to another.
  for (const row of rowsOf(db, table, columns)) {
    const key = textOf(keyOf(row));
    const next = wanted.get(key);
    if (next !== undefined && textOf(next) === textOf(row)) {
      wanted.delete(key);
      continue;
    }
    remove.run(...keyOf(row));
    changed++;
    if (next === undefined) goneKeys.push(keyOf(row));
  }
  for (const row of wanted.values()) {
    insert.run(...row.map(cell => (typeof cell === 'object' && cell !== null ? Buffer.from(cell.hex, 'hex') : cell)));
    changed++;
  }
  return { rows: changed, goneKeys };
};

/**
 * Notes whose hits have no site here. They go when ClickHouse has them, as all others do, and never
 * because of a state: the site may come back.
 */
const leaveSites = (db: Database, goneKeys: unknown[][]): void => {
  const leave = db.prepare('insert or ignore into dropped_site (id) values (?)');
  for (const [id] of goneKeys) leave.run(id);
  db.exec('delete from dropped_site where id in (select id from site)');
};
