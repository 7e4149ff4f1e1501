/**
 * The tables of what is recorded besides hits, on the first shard. Both are sets, as hits of
 * collectors are. A counter belongs to one epoch (store/epochs.ts) and only grows: of its rows the
 * one with the greatest count counts, and epochs add up. A vital is known by its time, its epoch
 * and its id. So sending again, copies of a directory and two senders change nothing. What the
 * primary recorded is of the epoch 0, and what earlier versions did is of the number of its node.
 */
import type { Shards } from '../model/shards.ts';
import { vitalNames } from '../model/vitals.ts';
import type { RecordTable } from '../store/read/record-rows.ts';
import { send, sendToShard, statementMs } from './client.ts';
import { rowsFrom } from './day-contents.ts';
import type { TableEngine } from './schema.ts';
import { all, text } from './sql.ts';

export const storedTables = ['record_count', 'vital_report'] as const;
export type StoredTable = (typeof storedTables)[number];

type Columns = readonly (readonly [name: string, type: string])[];

const named = 'LowCardinality(String)';
const columns: Readonly<Record<StoredTable, Columns>> = {
  record_count: [
    ['site', 'UInt32'], // 0: no site could be told
    ['kind', 'String'], // crawl, outcome or other_text
    ['at', 'UInt32'], // UTC seconds: the beginning of the time that is counted
    ['name', 'String'],
    ['text', 'String'],
    ['status', 'UInt16'],
    ['epoch', 'UInt64'],
    ['count', 'UInt64'],
  ],
  vital_report: [
    ['site', 'UInt32'],
    ['at', 'Int64'], // UTC milliseconds
    ['epoch', 'UInt64'],
    ['id', 'UInt64'], // of its epoch and its day
    ['path', named],
    ['device', named],
    ...vitalNames.map(name => [name, 'Nullable(Float64)'] as const),
  ],
};

export const recordColumnList = (table: StoredTable): string => columns[table].map(([name]) => name).join(', ');

/** What makes the tables; `engine` gives a table's engine. */
export const createRecordTables = (engine: TableEngine): string[] => {
  const listed = (table: StoredTable): string => columns[table].map(([name, type]) => `${name} ${type}`).join(', ');
  return [
    `create table if not exists record_count (${listed('record_count')})
     engine = ${engine('ReplacingMergeTree', 'record_count', 'count')}
     partition by toYYYYMM(toDateTime(at)) order by (site, kind, at, name, text, status, epoch)`,
    `create table if not exists vital_report (${listed('vital_report')})
     engine = ${engine('ReplacingMergeTree', 'vital_report')}
     partition by toYYYYMM(toDateTime(intDiv(at, 1000))) order by (site, at, epoch, id)`,
  ];
};

/** The rows that count from one UTC millisecond to before another, of these what is asked for. */
export const recordRows = (table: StoredTable, from: number, to: number, ...conditions: readonly string[]): string =>
  `${table} final where ${all([recordsBetween(table, from, to), ...conditions])}`;

/** A condition on rows from one UTC millisecond to before another. */
export const recordsBetween = (table: StoredTable, from: number, to: number): string => {
  const unit = table === 'vital_report' ? 1 : 1000;
  const [first, end] = [from, to].map(at => Math.max(0, Math.ceil(at / unit)));
  return `at >= ${first} and at < ${end}`;
};

/** Where a table of SQLite is there, from one UTC millisecond to before another. */
export const storedTable = (table: RecordTable, from: number, to: number): [table: StoredTable, where: string] =>
  table === 'vital'
    ? ['vital_report', recordsBetween('vital_report', from, to)]
    : ['record_count', `kind = ${text(table)} and ${recordsBetween('record_count', from, to)}`];

/** Tables of earlier versions: what a row becomes, and the seconds of a slot. */
const earlierTables: readonly (readonly [table: RecordTable, to: StoredTable, row: string, slotS: number])[] = [
  ['vital', 'vital_report', `site, at, toUInt64(node), id, path, device, ${vitalNames}`, 60],
  ['crawl', 'record_count', `site, 'crawl', quarter * 900, name, path, status, toUInt64(node), crawls`, 3600],
  ['outcome', 'record_count', `site, 'outcome', slot * 3600, outcome, '', 0, toUInt64(node), hits`, 3600],
  ['other_text', 'record_count', `site, 'other_text', slot * 3600, kind, bound, 0, toUInt64(node), texts`, 3600],
];

/**
 * Brings what earlier versions recorded into the tables of this one, month by month, and drops
 * theirs, so that a collector of an earlier version keeps what it records. What is interrupted is
 * gone on with by the next call: what came comes again, and changes nothing.
 */
export const convertRecords = async (replicas: Shards[number]): Promise<void> => {
  for (const [table, to, row, slotS] of earlierTables) {
    const ofTable = `database = currentDatabase() and table = ${text(table)}`;
    const isThere = `select count() from system.columns where ${ofTable}`;
    const counts = await Promise.all(
      replicas.map(async replica => Number((await rowsFrom([replica], isThere))[0]![0])),
    );
    const having = replicas.filter((_, i) => counts[i]! > 0);
    const parts = `select distinct toString(partition) from system.parts where ${ofTable} and active`;
    const months = (await Promise.all(having.map(replica => rowsFrom([replica], parts)))).flat(2);
    for (const month of new Set(months.map(Number))) {
      const ofMonth = `toYYYYMM(toDateTime(slot * ${slotS})) = ${month}`;
      // Of each slot and node, what was sent last counted.
      const last = `select site, slot, node, max(revision) from ${table} where ${ofMonth} group by site, slot, node`;
      const where = all([ofMonth, `(site, slot, node, revision) in (${last})`, 'isMark = 0']);
      const sql = `insert into ${to} (${recordColumnList(to)}) select ${row} from ${table} where ${where}`;
      const settings = { insert_deduplicate: 0 };
      // Each copies its own, so that all have it before it goes.
      for (const replica of having) await send(replica, { sql, settings, timeoutMs: statementMs });
      const drop = `alter table ${table} drop partition ${month}`;
      await sendToShard(having, { sql: drop, timeoutMs: statementMs });
    }
    for (const replica of having) await send(replica, { sql: `drop table ${table}`, timeoutMs: statementMs });
  }
};
