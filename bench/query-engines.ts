/** The three engines of the query benchmark, behind one way to ask them. */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { ask, runFor } from '../src/api/ask.ts';
import { planExport } from '../src/api/export.ts';
import { viewOfSite } from '../src/api/site-view.ts';
import { readConfig } from '../src/config.ts';
import { dayMs } from '../src/model/time.ts';
import { cacheBytesFor } from '../src/query/cache-size.ts';
import type { FieldFilter, Slice } from '../src/query/query.ts';
import type { QueryEngine } from '../src/query/query-engine.ts';
import { createQueryPool } from '../src/query/threads/pool.ts';
import { openReader } from '../src/store/database.ts';
import { sites } from '../src/store/sites.ts';
import type { Case, Dialect, Row } from './query-cases.ts';

export interface Asked {
  rows: Row[];
  /**
   * Milliseconds of each of the question's statements; none where it is one question to the engine.
   */
  parts: number[];
}

export interface Engine {
  version: string;
  ask(question: Case): Promise<Asked>;
  /**
   * As `ask`, but the engine may use what it kept of the same question; only where there is such a
   * thing.
   */
  askAgain?(question: Case): Promise<Asked>;
  close(): Promise<void>;
}

export type EngineName = 'daybook' | 'clickhouse' | 'duckdb';

export interface EnginePlaces {
  /** Daybook's data directory. */
  data: string;
  /**
   * The competitors' databases, and where their packages are installed; empty where no competitor
   * is asked.
   */
  competitors: string;
  packages: string;
}

export const openEngine = (name: EngineName, places: EnginePlaces): Promise<Engine> =>
  ({ daybook: openDaybook, clickhouse: openClickHouse, duckdb: openDuckDb })[name](places);

/** What takes longer is worth a word at the end, and not an error in the middle. */
const deadlineMs = 300_000;
/** Long after every day that is asked about. */
const now = Date.UTC(2100, 0);

const openDaybook = async ({ data }: EnginePlaces): Promise<Engine> => {
  // As the server does by default.
  const { queryWorkers: workers, queryQueueMax: waitingMax } = readConfig({}, {});
  const cacheBytesMax = cacheBytesFor();
  const pool = createQueryPool({ dataDir: data, workers, cacheBytesMax, deadlineMs, waitingMax });
  return daybookOver(pool, data, () => pool.close());
};

/** Daybook with an engine that answers it, about the only site of a data directory. */
export const daybookOver = async (engine: QueryEngine, data: string, close: () => Promise<void>): Promise<Engine> => {
  const db = openReader(data);
  const [site] = sites(db).list();
  db.close();
  const account = { id: 1, uuid: '', name: 'default', plan: 'unlimited', createdAt: 0, secondFactor: false } as const;
  const nothing = { list: () => [] };
  const parts = { definitions: nothing, notes: nothing, directory: { members: () => [] }, now: () => now };
  const view = viewOfSite(parts, site!, { account, hidden: new Set() });
  const rates = { list: () => [], set() {}, remove() {} };
  const asker = { accountId: account.id, isPublic: false };
  const asking = { site: site!, asker, always: [] };
  const run = runFor({ engine, rates, directory: { members: () => [] } }, asking, new AbortController().signal);
  const daybook = {
    report: async (slice: Slice) => (await run([slice]))[0]!,
    csv: async (search: URLSearchParams) => [...(await ask(planExport(search, view), run)).body].join(''),
  };
  await run([]); // the threads are up
  let asked = 0;
  /**
   * Lets every hit pass, and is different each time, so that nothing kept of an earlier question is
   * of use.
   */
  const passAll = (): FieldFilter => ({
    field: 'hostname',
    operator: 'is',
    negated: true,
    values: [`none-${asked++}`],
  });
  return {
    version: 'Daybook',
    ask: async question => ({ rows: await question.daybook(daybook, [passAll()]), parts: [] }),
    askAgain: async question => ({ rows: await question.daybook(daybook, []), parts: [] }),
    close,
  };
};

/** Where each competitor has its database, and the packages that the benchmark alone installs. */
export const competitorPlaces = (dir: string) => ({
  clickhouse: join(dir, 'clickhouse'),
  duckdb: join(dir, 'hits.duckdb'),
});
export const competitorPackages = ['chdb', '@duckdb/node-api'] as const;

const load = (packages: string, name: (typeof competitorPackages)[number]): unknown =>
  createRequire(join(packages, 'package.json'))(name);

/** Asks a question's statements one after the other. */
const askStatements = async (
  question: Case,
  dialect: Dialect,
  query: (sql: string) => Promise<Row[]>,
): Promise<Asked> => {
  const asked: Asked = { rows: [], parts: [] };
  for (const { sql, read } of question.statements(dialect)) {
    const begun = performance.now();
    const rows = (await query(sql)).map(plain);
    asked.parts.push(performance.now() - begun);
    asked.rows.push(...(read === undefined ? rows : read(rows)));
  }
  return asked;
};

/** Engines write large integers as text or bigint. */
const plain = (row: Row): Row =>
  row.map(value => (typeof value === 'bigint' || /^\d+$/.test(String(value)) ? Number(value) : value));

interface ChdbSession {
  query(sql: string, format?: string): string;
  close(): void;
}

export const openChdb = (dir: string, packages: string): ChdbSession => {
  const { Session } = load(packages, 'chdb') as { Session: new (dir: string) => ChdbSession };
  return new Session(dir);
};

const clickHouse: Dialect = {
  distinct: column => `uniqExact(${column})`,
  countIf: condition => `countIf(${condition})`,
  any: column => `any(${column})`,
  div: (a, b) => `intDiv(${a}, ${b})`,
  contains: (column, text) => `positionCaseInsensitive(${column}, '${text}') > 0`,
  stepsReached: (conditions, where) =>
    `select visit, any(visitor) as visitor, windowFunnel(${dayMs}, 'strict_increase')(toUInt64(instant), ${conditions.join(', ')}) as reached
     from hits where ${where} group by visit`,
};

const openClickHouse = async ({ competitors, packages }: EnginePlaces): Promise<Engine> => {
  const session = openChdb(competitorPlaces(competitors).clickhouse, packages);
  const query = async (sql: string): Promise<Row[]> =>
    (JSON.parse(session.query(sql, 'JSONCompact')) as { data: Row[] }).data;
  return {
    version: `ClickHouse ${session.query('select version()', 'TSV').trim()}`,
    ask: question => askStatements(question, clickHouse, query),
    async close() {
      session.close();
    },
  };
};

interface DuckDbConnection {
  runAndReadAll(sql: string): Promise<{ getRows(): Row[] }>;
}

interface DuckDb {
  version(): string;
  DuckDBInstance: { create(file: string): Promise<{ connect(): Promise<DuckDbConnection>; closeSync(): void }> };
}

export const openDuckDbFile = async (
  file: string,
  packages: string,
): Promise<{ version: string; connection: DuckDbConnection; close: () => void }> => {
  const { DuckDBInstance, version } = load(packages, '@duckdb/node-api') as DuckDb;
  const instance = await DuckDBInstance.create(file);
  const connection = await instance.connect();
  return { version: version().replace('v', ''), connection, close: () => instance.closeSync() };
};

const duckDb: Dialect = {
  distinct: column => `count(distinct ${column})`,
  countIf: condition => `count(*) filter (where ${condition})`,
  any: column => `any_value(${column})`,
  div: (a, b) => `(${a}) // ${b}`,
  contains: (column, text) => `contains(lower(${column}), '${text.toLowerCase()}')`,
  stepsReached: (conditions, where) => {
    // When each step was taken, from when the one before was.
    const step = (condition: string, i: number): string =>
      i === 0
        ? `step0 as (select visit, min(instant) as at from hits where ${where} and ${condition} group by visit)`
        : `step${i} as (select visit, min(instant) as at from hits join step${i - 1} before using (visit)
             where ${where} and ${condition} and instant > before.at group by visit)`;
    const reached = conditions.map((_, i) => `(step${i}.at is not null)::int`).join(' + ');
    const joins = conditions.map((_, i) => `left join step${i} using (visit)`).join(' ');
    return `with visits as (select visit, any_value(visitor) as visitor from hits where ${where} group by visit),
            ${conditions.map(step).join(', ')}
            select visit, visitor, ${reached} as reached from visits ${joins}`;
  },
};

const openDuckDb = async ({ competitors, packages }: EnginePlaces): Promise<Engine> => {
  const { version, connection, close } = await openDuckDbFile(competitorPlaces(competitors).duckdb, packages);
  const query = async (sql: string): Promise<Row[]> => (await connection.runAndReadAll(sql)).getRows();
  return {
    version: `DuckDB ${version}`,
    ask: question => askStatements(question, duckDb, query),
    async close() {
      close();
    },
  };
};
