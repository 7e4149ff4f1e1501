/** The three engines of the query benchmark, behind one way to ask them. */
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { createQueryPool } from '../src/query/pool.ts';
import type { Filter } from '../src/query/query.ts';
import type { Case, Dialect, Row } from './query-cases.ts';
import { peerColumns, placesIn } from './query-data.ts';

export interface Engine {
  version: string;
  ask(question: Case): Promise<Row[]>;
  /** As `ask`, but the engine may use what it kept of the same question; only where there is such a thing. */
  askAgain?(question: Case): Promise<Row[]>;
  close(): Promise<void>;
}

export type EngineName = 'daybook' | 'clickhouse' | 'duckdb';

/** `peers` is where the peers' packages are installed. */
export const openEngine = (name: EngineName, dir: string, peers: string): Promise<Engine> =>
  ({ daybook: openDaybook, clickhouse: openClickHouse, duckdb: openDuckDb })[name](dir, peers);

const openDaybook = async (dir: string): Promise<Engine> => {
  const dataDir = placesIn(dir).daybook;
  const pool = createQueryPool({ dataDir, workers: 1, cacheBytesMax: 2 ** 30, deadlineMs: 30_000, waitingMax: 256 });
  await pool.run({ siteId: 1, currency: 'EUR', minorRates: {}, slices: [] }); // the thread is up
  let asked = 0;
  /** Lets every hit pass, and is different each time, so that nothing kept of an earlier question is of use. */
  const passAll = (): Filter => ({ field: 'hostname', operator: 'is', negated: true, values: [`none-${asked++}`] });
  const ask = async ({ slice, rows }: Case, filters: Filter[]): Promise<Row[]> => {
    const query = { siteId: 1, currency: 'EUR', minorRates: {}, slices: [{ ...slice, filters }] };
    const [[answer]] = (await pool.run(query)) as [[Parameters<typeof rows>[0]]];
    return rows(answer);
  };
  return {
    version: 'Daybook',
    ask: question => ask(question, [...question.slice.filters, passAll()]),
    askAgain: question => ask(question, question.slice.filters),
    close: () => pool.close(),
  };
};

const load = (peers: string, name: string): unknown => createRequire(join(peers, 'package.json'))(name);

interface ChdbSession {
  query(sql: string, format?: string): string;
  close(): void;
}

const clickHouse: Dialect = {
  distinct: column => `uniqExact(${column})`,
  countIf: condition => `countIf(${condition})`,
  any: column => `any(${column})`,
  div: (a, b) => `intDiv(${a}, ${b})`,
  contains: (column, text) => `positionCaseInsensitive(${column}, '${text}') > 0`,
};

const openClickHouse = async (dir: string, peers: string): Promise<Engine> => {
  const { Session } = load(peers, 'chdb') as { Session: new (dir: string) => ChdbSession };
  const places = placesIn(dir);
  const isNew = !existsSync(places.clickhouse);
  const session = new Session(places.clickhouse);
  if (isNew) {
    const columns = peerColumns.map(([name, type]) => `${name} ${type}`).join(', ');
    session.query(`create table hits (${columns}) engine = MergeTree order by (day, visitor, instant)`);
    session.query(`insert into hits select * from file('${join(places.rows, '*.bin')}', 'RowBinary', '${columns}')`);
    session.query('optimize table hits final');
    session.query(
      `insert into function file('${places.parquet}', 'Parquet') select * from hits order by day, visitor, instant`,
    );
  }
  return {
    version: `ClickHouse ${session.query('select version()', 'TSV').trim()}`,
    async ask(question) {
      const text = session.query(question.sql(clickHouse), 'JSONCompact');
      return (JSON.parse(text) as { data: Row[] }).data.map(plain);
    },
    async close() {
      session.close();
    },
  };
};

interface DuckDb {
  version(): string;
  DuckDBInstance: {
    create(file: string): Promise<{
      connect(): Promise<{ runAndReadAll(sql: string): Promise<{ getRows(): Row[] }> }>;
      closeSync(): void;
    }>;
  };
}

const duckDb: Dialect = {
  distinct: column => `count(distinct ${column})`,
  countIf: condition => `count(*) filter (where ${condition})`,
  any: column => `any_value(${column})`,
  div: (a, b) => `(${a}) // ${b}`,
  contains: (column, text) => `contains(lower(${column}), '${text.toLowerCase()}')`,
};

const openDuckDb = async (dir: string, peers: string): Promise<Engine> => {
  const { DuckDBInstance, version } = load(peers, '@duckdb/node-api') as DuckDb;
  const places = placesIn(dir);
  const isNew = !existsSync(places.duckdb);
  const instance = await DuckDBInstance.create(places.duckdb);
  const connection = await instance.connect();
  if (isNew) await connection.runAndReadAll(`create table hits as select * from read_parquet('${places.parquet}')`);
  return {
    version: `DuckDB ${version().replace('v', '')}`,
    async ask(question) {
      return (await connection.runAndReadAll(question.sql(duckDb))).getRows().map(plain);
    },
    async close() {
      instance.closeSync();
    },
  };
};

/** Engines write large integers as text or bigint. */
const plain = (row: Row): Row =>
  row.map(value => (typeof value === 'bigint' || /^\d+$/.test(String(value)) ? Number(value) : value));
