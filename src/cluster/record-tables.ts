/**
 * The tables of what is recorded besides hits, on the first shard. A node sends a slot of a site
 * (store/read/record-slots.ts) as a whole whenever it changed, with a greater revision: of each
 * slot and node the rows with the greatest one count. One row of them holds the slot's mark, also
 * where nothing else is left.
 */

import { vitalNames } from '../model/vitals.ts';
import type { RecordTable } from '../store/read/record-slots.ts';
import type { TableEngine } from './schema.ts';
import { all } from './sql.ts';

const text = 'LowCardinality(String)';
const slotColumns: Columns = [
  ['site', 'UInt32'], // 0: no site could be told
  ['slot', 'UInt32'],
  ['node', 'UInt16'],
  ['revision', 'UInt64'],
  ['isMark', 'UInt8'],
  ['mark', 'UInt64'],
];

type Columns = readonly (readonly [name: string, type: string])[];

/** On ClickHouse `vital` has a row for each report; the others count. */
const recordColumns: Readonly<Record<RecordTable, { columns: Columns; key: string }>> = {
  vital: {
    columns: [
      ['id', 'UInt64'], // of its node
      ['at', 'Int64'],
      ['path', text],
      ['device', text],
      ...vitalNames.map(name => [name, 'Nullable(Float64)'] as const),
    ],
    key: 'id',
  },
  crawl: {
    columns: [
      ['quarter', 'UInt32'],
      ['name', text],
      ['path', text],
      ['status', 'UInt16'],
      ['crawls', 'UInt64'],
    ],
    key: 'quarter, name, path, status',
  },
  outcome: {
    columns: [
      ['outcome', text],
      ['hits', 'UInt64'],
    ],
    key: 'outcome',
  },
  other_text: {
    columns: [
      ['kind', text],
      ['bound', text],
      ['texts', 'UInt64'],
    ],
    key: 'kind, bound',
  },
};

export const recordColumnList = (table: RecordTable): string =>
  [...slotColumns, ...recordColumns[table].columns].map(([name]) => name).join(', ');

/** What makes the tables; `engine` gives a table's engine. */
export const createRecordTables = (engine: TableEngine): string[] =>
  (Object.keys(recordColumns) as RecordTable[]).map(table => {
    const { columns, key } = recordColumns[table];
    const listed = [...slotColumns, ...columns].map(([name, type]) => `${name} ${type}`).join(', ');
    const month = `toYYYYMM(toDateTime(slot * ${table === 'vital' ? 60 : 3600}))`;
    return `create table if not exists ${table} (${listed}) engine = ${engine('ReplacingMergeTree', table, 'revision')}
     partition by ${month} order by (site, slot, node, isMark, ${key})`;
  });

/** The rows that count, of some sites and a range of slots, ends included: of all nodes, or one. */
export const recordRows = (
  table: RecordTable,
  sites: readonly number[],
  first: number,
  last: number,
  node?: number,
): string => {
  const ofNode = node === undefined ? '' : `node = ${node} and `;
  const where = `${ofNode}site in (${sites.join(', ')}) and slot >= ${Math.max(first, 0)} and slot <= ${Math.max(last, 0)}`;
  const newest = `select site, slot, node, max(revision) from ${table} where ${where} group by site, slot, node`;
  return `${table} where ${all([where, `(site, slot, node, revision) in (${newest})`, 'isMark = 0'])}`;
};
