/**
 * What is recorded besides hits, as a cluster has it: web vitals, and counters. A counter belongs
 * to one epoch (../epochs.ts), so it only grows, however many copies of the directory there are;
 * of several epochs they add up.
 */
import { createHash } from 'node:crypto';
import { dayMs, hourMs } from '../../model/time.ts';
import { vitalNames } from '../../model/vitals.ts';
import type { Database } from '../database.ts';
import { textReader } from '../texts.ts';
import { crawlSlotMs } from '../write/recorder.ts';

/** Tables of counters: their column of time with its unit, the rest of their key, their count. */
export const countTables = {
  crawl: { time: 'quarter', unitMs: crawlSlotMs, key: ['name', 'path', 'status'], count: 'crawls' },
  outcome: { time: 'hour', unitMs: hourMs, key: ['outcome'], count: 'hits' },
  other_text: { time: 'hour', unitMs: hourMs, key: ['kind', 'bound'], count: 'texts' },
} as const;

export type CountTable = keyof typeof countTables;
export const countTableNames = Object.keys(countTables) as CountTable[];

export const recordTables = ['vital', ...countTableNames] as const;
export type RecordTable = (typeof recordTables)[number];

/** Of all tables of records, the column of time and its unit. */
export const recordTimes: Readonly<Record<RecordTable, { time: string; unitMs: number }>> = {
  vital: { time: 'at', unitMs: 1 },
  ...countTables,
};

/** `at` is UTC milliseconds; texts that are null are empty. */
export interface CountRow {
  at: number;
  /** The key, in its order: '' and 0 beyond its end. */
  name: string;
  text: string;
  status: number;
  count: number;
}

export interface VitalRow {
  at: number;
  path: string;
  device: string;
  values: (number | null)[];
}

/** Of which site and epoch; that is a decimal number. */
export interface Recorded {
  siteId: number;
  epoch: string;
}

/** What an epoch has of a site's UTC day in a table. */
export interface RecordSum extends Recorded {
  table: RecordTable;
  day: number;
  rows: number;
  /** Of the counts; of vitals, the rows again. */
  total: number;
  /** Another one where counts are of other times or texts. */
  check: number;
}

/** UTC milliseconds from one to before another; of one site, or of all and of hits without one. */
export interface RecordSpan {
  from: number;
  to: number;
  siteId?: number;
}

export interface RecordReader {
  /** The counters whose time begins in a span, of these the ones that `isWanted`. */
  counts(
    table: CountTable,
    span: RecordSpan,
    isWanted?: (key: string, at: number, count: number) => boolean,
  ): Generator<CountRow & Recorded>;
  /** The vitals with an id above one. */
  vitals(span: RecordSpan, afterId?: number): Generator<VitalRow & Recorded & { id: number }>;
  /** By day, from one to another. */
  sums(first: number, last: number): RecordSum[];
  /** The first UTC millisecond with rows; null when there is none. */
  firstAt(): number | null;
}

/** The sites first: they lead every index. */
const ofSites = '(select id from site union all select 0 as id) s';
const quarterMs = crawlSlotMs;
const quarters = dayMs / quarterMs;

/** What is of no epoch is of `node`, whose records before there were epochs have its number. */
export const recordReader = (db: Database, node: number): RecordReader => {
  const { text } = textReader(db);
  const readers = new Map(countTableNames.map(table => [table, countReader(db, table, node, text)]));
  const vitals = vitalReader(db, node, text);
  const firsts = recordTables.map(table => {
    const { time, unitMs } = recordTimes[table];
    const of = `(select min(${time}) from ${table} where site_id = s.id) * ${unitMs}`;
    return db.prepare(`select min(${of}) from ${ofSites}`).pluck();
  });
  return {
    counts: (table, span, isWanted) => readers.get(table)!.rows(span, isWanted),
    vitals: vitals.rows,
    sums: (first, last) => [
      ...vitals.sums(first, last),
      ...countTableNames.flatMap(table => readers.get(table)!.sums(first, last)),
    ],
    firstAt() {
      const found = firsts.flatMap(first => (first.get() as number | null) ?? []);
      return found.length === 0 ? null : Math.min(...found);
    },
  };
};

type TextOf = (siteId: number, id: number) => string | null;

const epochOf = (node: number): string => `cast(iif(r.epoch = 0, ${node}, r.epoch) as text)`;
const joined = (table: RecordTable, time: string): string =>
  `${ofSites} cross join ${table} r on r.site_id = s.id and r.${time} >= @first and r.${time} < @end`;
const ofSite = '(@siteId is null or s.id = @siteId)';

type KeyPart = string | number;
interface StoredCount extends Recorded {
  time: number;
  name: KeyPart;
  text: KeyPart;
  status: number;
  count: number;
}

const countReader = (db: Database, table: CountTable, node: number, text: TextOf) => {
  const { time, unitMs, key, count } = countTables[table];
  const [name, textColumn, status] = key.map(column => `r.${column}`);
  const columns = `r.site_id as siteId, ${epochOf(node)} as epoch, ${name} as name, ${textColumn ?? `''`} as text`;
  const from = joined(table, time);
  const select = db.prepare(
    `select ${columns}, r.${time} as time, ${status ?? 0} as status, r.${count} as count from ${from} where ${ofSite}`,
  );
  const quarter = `r.${time} * ${unitMs / quarterMs} % ${quarters}`;
  const selectSums = db.prepare(
    `select ${columns}, r.${time} / ${dayMs / unitMs} as day, count(*) as rows, sum(r.${count}) as total,
       sum(r.${count} * (${quarter} + ${status ?? 0} + 1)) as placed
     from ${from} group by 1, 2, 3, 4, day`,
  );
  const textOf = (siteId: number, part: KeyPart): string =>
    typeof part === 'number' ? (text(siteId, part) ?? '') : part;
  return {
    *rows({ from, to, siteId }: RecordSpan, isWanted?: Wanted) {
      const bounds = { first: Math.ceil(from / unitMs), end: Math.ceil(to / unitMs), siteId: siteId ?? null };
      for (const row of select.iterate(bounds) as Iterable<StoredCount>) {
        const [at, of] = [row.time * unitMs, row.siteId];
        const known = `${table} ${of} ${row.epoch} ${row.time} ${row.name} ${row.text} ${row.status}`;
        if (isWanted !== undefined && !isWanted(known, at, row.count)) continue;
        yield { ...row, at, name: textOf(of, row.name), text: textOf(of, row.text) };
      }
    },
    sums(firstDay: number, lastDay: number): RecordSum[] {
      const sums = new Map<string, RecordSum>();
      const bounds = { first: (firstDay * dayMs) / unitMs, end: ((lastDay + 1) * dayMs) / unitMs };
      type Stored = RecordSum & StoredCount & { placed: number };
      for (const row of selectSums.iterate(bounds) as Iterable<Stored>) {
        const { siteId, epoch, day, rows, total, placed } = row;
        const named = textCheck(textOf(siteId, row.name)) + 3 * textCheck(textOf(siteId, row.text));
        const known = `${siteId} ${epoch} ${day}`;
        const sum = sums.get(known) ?? { table, siteId, epoch, day, rows: 0, total: 0, check: 0 };
        sum.rows += rows;
        sum.total += total;
        sum.check += placed + total * named;
        sums.set(known, sum);
      }
      return [...sums.values()];
    },
  };
};

type Wanted = Parameters<RecordReader['counts']>[2];

/** As `halfMD5(text) % 65536` of ClickHouse. */
const textCheck = (text: string): number => createHash('md5').update(text).digest().readUInt16BE(6);

const vitalReader = (
  db: Database,
  node: number,
  text: TextOf,
): Pick<RecordReader, 'sums'> & { rows: RecordReader['vitals'] } => {
  const columns = `r.site_id as siteId, ${epochOf(node)} as epoch`;
  const from = joined('vital', 'at');
  const values = vitalNames.map(name => `r.${name}`).join(', ');
  const select = db
    .prepare(
      `select r.site_id, ${epochOf(node)}, r.id, r.at, r.path, r.device, ${values} from ${from}
       where r.id > @afterId and ${ofSite}`,
    )
    .raw();
  const selectSums = db.prepare(
    `select 'vital' as "table", ${columns}, r.at / ${dayMs} as day, count(*) as rows, count(*) as total,
       sum(r.at % ${dayMs} + r.id % 65536) as "check"
     from ${from} group by 2, 3, day`,
  );
  type Stored = [siteId: number, epoch: string, id: number, at: number, path: number, device: number];
  return {
    *rows({ from, to, siteId }, afterId = 0) {
      const bounds = { first: from, end: to, siteId: siteId ?? null, afterId };
      for (const row of select.iterate(bounds) as Iterable<[...Stored, ...(number | null)[]]>) {
        const [of, epoch, id, at, path, device, ...values] = row;
        yield { siteId: of, epoch, id, at, path: text(of, path) ?? '', device: text(of, device) ?? '', values };
      }
    },
    sums: (first, last) => selectSums.all({ first: first * dayMs, end: (last + 1) * dayMs }) as RecordSum[],
  };
};
