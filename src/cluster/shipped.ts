/** The table `shipped`: what became of each revision of nodes' days. It is on the first shard. */

import { type DayVersion, readVersion, versionText } from '../store/day/day-versions.ts';
import { sendToShard, statementMs } from './client.ts';
import { type Asking, type NodeDay, rowsFrom } from './day-contents.ts';
import { collectorsNode, dayStates, rowsVersion } from './schema.ts';
import { text } from './sql.ts';

/** A node's day that is there whole. */
export interface ShippedDay extends NodeDay {
  revision: number;
  /** What was said of it when it was shipped; empty for a day that was taken away. */
  version: string;
  hits: number;
  /** The last revision at which another node took the day over; 0 for none. */
  taken: number;
}

/** What is known of a node's day that was shipped. */
export interface ShippedVersion {
  /** Of its rows (schema.ts). */
  rows: number;
  /** Of its site. */
  uuid: string;
  of: DayVersion;
}

/** The same text for the same version, and no other. */
export const shippedText = (uuid: string, of: DayVersion, rows: number = rowsVersion): string =>
  `${rows} ${uuid} ${versionText(of)}`;

/** The version of a day that was shipped without the hits that some rules leave out. */
export const withRules = (text: string, ids: string): string => (ids === '' ? text : `${text} rules ${ids}`);
/** What a day is known by, whatever rules left out of it when it was shipped. */
export const withoutRules = (text: string): string => text.replace(/ rules [\d,]+$/, '');

/** Reads what shippedText wrote, and withRules; undefined for any other text. */
export const readShipped = (text: string): ShippedVersion | undefined => {
  const [, rows, uuid, version] = /^(\d+) (\S+) (.+)$/.exec(withoutRules(text)) ?? [];
  const of = readVersion(version ?? '');
  return of && { rows: Number(rows), uuid: uuid!, of };
};

/** The version of a node's day that another node has now. */
export const takenVersion = (text: string): string => {
  const { uuid, rows } = readShipped(text)!;
  return shippedText(uuid, { state: 'taken' }, rows);
};
export const isTaken = (text: string): boolean => readShipped(text)?.of.state === 'taken';

export interface Revision {
  revision: number;
  state: number;
}

type Noted = Revision & { version?: string; hits?: number };

/** Of such a day of collectors the rows stay: late copies of its hits are known by their keys. */
const isTakenSql = `endsWith(version, ' taken')`;

export interface Shipped {
  note(of: NodeDay, noted: Noted): Promise<void>;
  /** As `note`, unless it comes later than at a second of the server's clock. */
  noteBefore(of: NodeDay, noted: Noted, second: number): Promise<void>;
  /** Notes all of some at once, or none. */
  noteAll(notes: readonly (readonly [of: NodeDay, noted: Noted])[]): Promise<void>;
  /** What there is of a day, by revision. */
  revisions(of: NodeDay): Promise<Revision[]>;
  /** The days of a site that are there, of all nodes, by day and node. */
  days(siteId: number): Promise<ShippedDay[]>;
  /** The sites and nodes whose day has been whole for so long that nobody reads it as open. */
  wholeFor(day: number): Promise<Pick<NodeDay, 'siteId' | 'node'>[]>;
  /** The sites whose day of a node has been as it is now for so long that all questions know. */
  settledFor(day: number, node: number): Promise<Set<number>>;
  /** A node's days that came again so long ago that no question reads what was there before. */
  replaced(node: number): Promise<(NodeDay & Pick<Revision, 'revision'>)[]>;
}

const replacedForS = 600;
/** Greater than any revision of a day. */
const never = 2 ** 52;
const { whole, gone } = dayStates;

export const shippedTable = (replicas: readonly URL[], ask: Asking = sendToShard): Shipped => {
  // One insert is one block of rows.
  const insert = async (rows: string): Promise<void> => {
    const sql = `insert into shipped (site, day, node, revision, state, version, hits) ${rows}`;
    await sendToShard(replicas, { sql, timeoutMs: statementMs });
  };
  const noteAll: Shipped['noteAll'] = notes =>
    insert(`values ${notes.map(note => `(${noteSql(...note)})`).join(', ')}`);
  return {
    noteAll,
    note: (of, noted) => noteAll([[of, noted]]),
    noteBefore: (of, noted, second) => insert(`select ${noteSql(of, noted)} where now() < toDateTime(${second})`),
    ...readers(replicas, ask),
  };
};

const noteSql = ({ siteId, day, node }: NodeDay, { revision, state, version = '', hits = 0 }: Noted): string =>
  [siteId, `toDate(${day})`, node, revision, state, text(version), hits].join(', ');

const readers = (replicas: readonly URL[], ask: Asking): Omit<Shipped, 'note' | 'noteAll' | 'noteBefore'> => ({
  async revisions({ siteId, day, node }) {
    const rows = await rowsFrom(
      replicas,
      `select revision, max(state) from shipped where site = ${siteId} and day = toDate(${day}) and node = ${node}
       group by revision order by revision`,
      ask,
    );
    return rows.map(([revision, state]) => ({ revision: Number(revision), state: Number(state) }));
  },
  async days(siteId) {
    const ofRevisions = `select day, node, revision as r, max(state) as s, argMax(version, state) as v, argMax(hits, state) as h
      from shipped where site = ${siteId} group by day, node, revision having s = ${whole}`;
    const rows = await rowsFrom(
      replicas,
      `select toUInt32(day), node, max(r), argMax(v, r), argMax(h, r), max(if(endsWith(v, ' taken'), r, 0))
       from (${ofRevisions}) group by day, node order by day, node`,
      ask,
    );
    return rows.map(([day, node, revision, version, hits, taken]) => ({
      ...{ siteId, day: Number(day), node: Number(node), revision: Number(revision) },
      ...{ version: String(version), hits: Number(hits), taken: Number(taken) },
    }));
  },
  async wholeFor(day) {
    const rows = await rowsFrom(
      replicas,
      `select site, node from (
         select site, node, revision, max(state) as s, max(at) as a from shipped where day = toDate(${day}) group by site, node, revision
       ) where s = ${whole} group by site, node having min(a) < now() - ${replacedForS}`,
      ask,
    );
    return rows.map(row => row.map(Number) as [number, number]).map(([siteId, node]) => ({ siteId, node }));
  },
  async settledFor(day, node) {
    const rows = await rowsFrom(
      replicas,
      `select site from (
         select site, revision as r, max(state) as s, max(at) as a from shipped where day = toDate(${day}) and node = ${node} group by site, r
       ) where s = ${whole} group by site having argMax(a, r) < now() - ${replacedForS}`,
      ask,
    );
    return new Set(rows.map(([siteId]) => Number(siteId)));
  },
  async replaced(node) {
    const ofRevisions = `select site, day, revision as r, max(state) as s, max(at) as a, max(${isTakenSql}) as t from shipped
      where node = ${node} group by site, day, r`;
    const rows = await rowsFrom(
      replicas,
      `select site, toUInt32(day), max(if(s = ${whole}, r, 0)) as counts, min(if(s < ${gone}, r, ${never})) as oldest
       from (${ofRevisions}) group by site, day
       having oldest < counts and (${node} < ${collectorsNode} or max(t) = 0) and argMax(a, if(s = ${whole}, r, 0)) < now() - ${replacedForS}`,
      ask,
    );
    return rows
      .map(row => row.map(Number) as [number, number, number])
      .map(([siteId, day, revision]) => ({
        ...{ siteId, day, node, revision },
      }));
  },
});
