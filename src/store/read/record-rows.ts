/**
 * What is recorded besides hits, as a cluster has it: web vitals, and counters. A counter belongs
 * to one epoch (../epochs.ts), so it only grows, however many copies of the directory there are;
 * of several epochs they add up.
 */
import { createHash } from 'node:crypto';
import { dayMs, hourMs } from '../../model/time.ts';
import { type VitalValues, vitalNames } from '../../model/vitals.ts';
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
  /** Of the counts; of vitals, the rows again. Modulo 2^64, as ClickHouse adds. */
  total: bigint;
  /** Another one where counts are of other times or texts; modulo 2^64, too. */
  check: bigint;
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
const inSpan = (table: RecordTable): string => {
  const time = `r.${recordTimes[table].time}`;
  return `${ofSites} cross join ${table} r on r.site_id = s.id and ${time} >= @first and ${time} < @end`;
};
const boundsOf = (table: RecordTable, { from, to, siteId }: RecordSpan) => {
  const [first, end] = [from, to].map(at => Math.ceil(at / recordTimes[table].unitMs));
  return { first, end, siteId: siteId ?? null };
};

/** What a row is in a sum; of vitals null is the name and the text. */
const columnsOf = (table: RecordTable) => {
  if (table === 'vital')
    return { name: 'null', text: 'null', status: '0', count: '1', place: `r.at % ${dayMs} + r.id % 65536` };
  const { time, unitMs, key, count } = countTables[table];
  const [name, text = `''`, status = '0'] = key.map(column => `r.${column}`);
  const quarter = `r.${time} * ${unitMs / crawlSlotMs} % ${dayMs / crawlSlotMs}`;
  return { name, text, status, count: `r.${count}`, place: `${quarter} + ${status} + 1` };
};

type KeyPart = string | number | null;
interface StoredRow extends Recorded {
  name: KeyPart;
  text: KeyPart;
}

type StoredSum = StoredRow & Pick<RecordSum, 'day' | 'rows'> & Record<`${'total' | 'placed'}${0 | 1}`, string>;

/**
 * The sum of counts, each times a number, in halves: one beyond 64 bits throws, and of one site it
 * would for all sites.
 */
const halvesOf = (count: string, times: string, name: string): string =>
  [`${count} & 0xffffffff`, `${count} >> 32`]
    .map((half, i) => `cast(sum((${half}) * ${times}) as text) as ${name}${i}`)
    .join();

/** A number of its lower 32 bits and those above. */
const joined = (low: string, high: string): bigint => BigInt(low) + (BigInt(high) << 32n);

/** What is of no epoch is of `node`, whose records before there were epochs have its number. */
export const recordReader = (db: Database, node: number): RecordReader => {
  const { text } = textReader(db);
  const of = `r.site_id as siteId, cast(iif(r.epoch = 0, ${node}, r.epoch) as text) as epoch`;
  const ofSite = '(@siteId is null or s.id = @siteId)';
  const perTable = recordTables.map(table => {
    const { time, unitMs } = recordTimes[table];
    const { name, text, status, count, place } = columnsOf(table);
    const columns = `${of}, ${name} as name, ${text} as text`;
    const rows = `select ${columns}, r.${time} as time, ${status} as status, ${count} as count`;
    const sums = `select ${columns}, r.${time} / ${dayMs / unitMs} as day, count(*) as rows,
      ${halvesOf(count, '1', 'total')}, ${halvesOf(count, `(${place})`, 'placed')}`;
    return {
      table,
      rows: db.prepare(`${rows} from ${inSpan(table)} where ${ofSite}`),
      sums: db.prepare(`${sums} from ${inSpan(table)} group by 1, 2, 3, 4, day`),
      first: db
        .prepare(`select min((select min(${time}) from ${table} where site_id = s.id) * ${unitMs}) from ${ofSites}`)
        .pluck(),
    };
  });
  const vitals = db.prepare(
    `select ${of}, r.id, r.at, r.path, r.device, ${vitalNames.map(name => `r.${name}`)} from ${inSpan('vital')}
     where r.id > @afterId and ${ofSite}`,
  );
  const textOf = (siteId: number, part: KeyPart): string =>
    typeof part === 'number' ? (text(siteId, part) ?? '') : (part ?? '');
  return {
    *counts(table, span, isWanted) {
      const { rows } = perTable.find(of => of.table === table)!;
      type Stored = StoredRow & { time: number; status: number; count: number };
      for (const row of rows.iterate(boundsOf(table, span)) as Iterable<Stored>) {
        const at = row.time * countTables[table].unitMs;
        const key = `${table} ${row.siteId} ${row.epoch} ${row.time} ${row.name} ${row.text} ${row.status}`;
        if (isWanted !== undefined && !isWanted(key, at, row.count)) continue;
        yield { ...row, at, name: textOf(row.siteId, row.name), text: textOf(row.siteId, row.text) };
      }
    },
    *vitals(span, afterId = 0) {
      type Stored = Recorded & Record<'id' | 'at' | 'path' | 'device', number> & VitalValues;
      for (const row of vitals.iterate({ ...boundsOf('vital', span), afterId }) as Iterable<Stored>) {
        const [path, device] = [row.path, row.device].map(id => textOf(row.siteId, id)) as [string, string];
        yield { ...row, path, device, values: vitalNames.map(name => row[name]) };
      }
    },
    sums(firstDay, lastDay) {
      const found = new Map<string, RecordSum>();
      const span = { from: firstDay * dayMs, to: (lastDay + 1) * dayMs };
      for (const { table, sums } of perTable)
        for (const row of sums.iterate(boundsOf(table, span)) as Iterable<StoredSum>) {
          const { siteId, epoch, day, rows } = row;
          const key = `${table} ${siteId} ${epoch} ${day}`;
          const sum = found.get(key) ?? { table, siteId, epoch, day, rows: 0, total: 0n, check: 0n };
          const [name, text] = [row.name, row.text].map(part => (part === null ? 0 : textCheck(textOf(siteId, part))));
          const total = joined(row.total0, row.total1);
          const check = joined(row.placed0, row.placed1) + total * BigInt(name! + 3 * text!);
          const added = { total: BigInt.asUintN(64, sum.total + total), check: BigInt.asUintN(64, sum.check + check) };
          found.set(key, { ...sum, ...added, rows: sum.rows + rows });
        }
      return [...found.values()];
    },
    firstAt() {
      const found = perTable.flatMap(({ first }) => (first.get() as number | null) ?? []);
      return found.length === 0 ? null : Math.min(...found);
    },
  };
};

/** As `halfMD5(text) % 65536` of ClickHouse. */
const textCheck = (text: string): number => createHash('md5').update(text).digest().readUInt16BE(6);
