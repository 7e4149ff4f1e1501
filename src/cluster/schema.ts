/**
 * The tables of hits on every shard. A row is a hit with all that is known of its visit, as the
 * columns of a day have it (src/model/columns.ts), and with what is worked out of a visit when it
 * is read: so each question is one pass over the rows. All hits of a visitor are on one shard, so
 * visitors, visits and hits of shards add up.
 *
 * Hits of collectors are a set. A hit has a key, which is made once, where it is taken, and which
 * no other process makes (src/store/epochs.ts). Of the rows of a key in `collected_hit` the one
 * with the greatest version counts, so sending again, copies of a directory and two senders change
 * nothing. Days that are over the primary closes: it copies their rows into `hit` (close-days.ts).
 *
 * The primary's own hits come from a node, 0: of `open_hit` each visit's greatest revision counts.
 * Of `hit`, a node's day has one revision that counts, and `shipped` names it. All collectors are
 * one node there, and what rules leave of a day of theirs is another.
 */
import { pageFields } from '../model/columns.ts';
import { visitTextNames } from '../model/visit-fields.ts';

/**
 * Part of what a shipped day is known by: another number ships all days again. To be raised when
 * rows or what is worked out for them change, such as channels.
 */
export const rowsVersion = 4;

/** The node of days that were closed, with the hits of all collectors. */
export const collectorsNode = 65_535;
/** The node of days of all collectors as rules leave them (rule-days.ts). */
export const rulesNode = 65_534;

const text = 'LowCardinality(String)';

type Columns = readonly (readonly [name: string, type: string])[];

/** The same in all rows of a visit. Texts that are null are empty. */
export const visitColumns: Columns = [
  ['site', 'UInt32'],
  ['day', 'Date'],
  ['node', 'UInt16'],
  ['revision', 'UInt64'], // 0 in `collected_hit`
  ['version', 'UInt64'], // grows with the hits of a collector's visit; 0 of the primary's
  ['visitor', 'UInt64'],
  ['visit', 'UInt64'], // the key of its first hit; of the primary's, day * 2^32 + its number on the day
  ['persistent', 'UInt8'],
  ['started', 'Int64'], // UTC milliseconds
  ['duration', 'UInt32'], // milliseconds
  ['hits', 'UInt32'],
  ['pageviews', 'UInt32'],
  ['seenBefore', 'UInt8'], // on an earlier day
  ['converted', 'UInt8'],
  ['paid', 'UInt8'],
  ['width', 'UInt16'],
  ['height', 'UInt16'],
  ['entryPath', text],
  ['exitPath', text],
  ['identified', 'String'],
  ['traits', 'String'],
  ...visitTextNames.map(name => [name, text] as const),
  ['screen', text],
  ['channel', text],
  ['networkKind', text],
  ['suspect', text],
  ['trait_key', 'Array(String)'],
  ['trait_text', 'Array(String)'],
  ['trait_number', 'Array(Float64)'], // of texts that are numbers; else not a number
];

export const hitColumns: Columns = [
  ['id', 'UInt64'], // at * 2^20 + its number in the visit: ascending in a visitor's day
  ['key', 'UInt64'], // of a collector's hit; else 0
  ['at', 'Int64'], // UTC milliseconds
  ['type', 'UInt8'],
  ...pageFields.map(name => [name, name === 'query' ? 'String' : text] as const),
  ['secondsOnPage', 'UInt32'],
  ['scroll', 'UInt8'], // as model/hit.ts has it
  ['isEntry', 'UInt8'], // the first page view of its visit
  ['isExit', 'UInt8'],
  ['amount', 'Float64'],
  ['currency', text],
  ['prop_key', 'Array(String)'],
  ['prop_type', 'Array(UInt8)'],
  ['prop_text', 'Array(String)'],
  ['prop_number', 'Array(Float64)'], // of texts, too, that are numbers; else not a number
];

const listed = (columns: Columns): string => columns.map(([name, type]) => `${name} ${type}`).join(', ');

export const columnList = [...visitColumns, ...hitColumns].map(([name]) => name).join(', ');

/** What becomes of a node's day, as `shipped` has it of each of its revisions. */
export const dayStates = {
  /** Rows may be there. */
  begun: 1,
  /** All are there, and were counted on every replica. */
  whole: 2,
  /** None is there, and none will come. */
  gone: 3,
} as const;

/** Adds what a table of hits is missing, as one of an earlier version does. */
export const addColumns = (table: string, there: readonly string[]): string[] =>
  [...visitColumns, ...hitColumns]
    .filter(([name]) => !there.includes(name))
    .map(([name, type]) => `alter table ${table} add column ${name} ${type}`);

/** Gives a table's engine. */
export type TableEngine = (family: 'MergeTree' | 'ReplacingMergeTree', table: string, version?: string) => string;

/** What makes the tables. `engine` gives a table's engine: replicated, where there are replicas. */
export const createTables = (engine: TableEngine): string[] => {
  const rows = listed([...visitColumns, ...hitColumns]);
  return [
    `create table if not exists hit (${rows}) engine = ${engine('MergeTree', 'hit')}
     partition by toYYYYMM(day) order by (site, day, visitor, id)`,
    // Rows that do not count go when parts are merged, and all rows with the partitions of their
    // days.
    `create table if not exists open_hit (${rows}) engine = ${engine('ReplacingMergeTree', 'open_hit', 'revision')}
     partition by day order by (site, day, visitor, visit, id)`,
    `create table if not exists collected_hit (${rows})
     engine = ${engine('ReplacingMergeTree', 'collected_hit', 'version')}
     partition by day order by (site, day, visitor, visit, key)`,
    `create table if not exists shipped
       (site UInt32, day Date, node UInt16, revision UInt64, state UInt8, version String, hits UInt64, at DateTime default now())
     engine = ${engine('ReplacingMergeTree', 'shipped', 'state')} order by (site, day, node, revision)`,
    `create table if not exists topology (cluster String, shard UInt16, day Date, shards UInt16)
     engine = ${engine('MergeTree', 'topology')} order by day`,
  ];
};
