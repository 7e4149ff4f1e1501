/** The table `shipped`: what became of each revision of nodes' days. It is on the first shard. */
import { createHash } from 'node:crypto';
import { type DayVersion, readVersion, versionText } from '../store/day/day-versions.ts';
import type { Rule } from '../store/removal-rules.ts';
import { sendToShard, statementMs } from './client.ts';
import { type Asking, type NodeDay, rowsFrom } from './day-contents.ts';
import { dayStates, rowsVersion, rulesNode } from './schema.ts';
import { text } from './sql.ts';

/** A node's day that is there whole. */
export interface ShippedDay extends NodeDay {
  revision: number;
  /** What was said of it when it was shipped; empty for a day that was taken away. */
  version: string;
  hits: number;
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

/** The version of a day that is there without the hits that some rules leave out. */
export const withRules = (text: string, ids: string): string => (ids === '' ? text : `${text} rules ${ids}`);
/** A primary that was restored from an older copy may give the id of a rule to another one. */
export const nameOfRule = ({ id, selects, from, to, createdAt }: Rule): number =>
  numberOf(JSON.stringify([id, selects, from, to, createdAt]));
/** A number that other texts do not have. */
const numberOf = (text: string): number => createHash('sha256').update(text).digest().readUIntBE(0, 6);

/** What a day is known by, whatever rules left out of it when it was shipped. */
export const withoutRules = (text: string): string => text.replace(/ rules [\d,]+$/, '');

/** Reads what shippedText wrote, and withRules; undefined for any other text. */
export const readShipped = (text: string): ShippedVersion | undefined => {
  const [, rows, uuid, version] = /^(\d+) (\S+) (.+)$/.exec(withoutRules(text)) ?? [];
  const of = readVersion(version ?? '');
  return of && { rows: Number(rows), uuid: uuid!, of };
};

/**
 * Days of collectors that rules may be about: not what they leave of one, and none that was taken
 * away. One of which all hits were erased is still that day.
 */
export const isOfCollectors = ({ node, version }: Pick<ShippedDay, 'node' | 'version'>): boolean =>
  node !== 0 && node !== rulesNode && version !== '' && !isTaken(version);

/**
 * The version of the day that some rules leave of days of collectors; empty where none touches
 * them. Where others count by now, it is that of none.
 */
export const ruledText = (uuid: string, of: readonly Revised[], ids: string): string => {
  return ids === '' ? '' : withRules(shippedText(uuid, { state: 'closed', revision: nameOf(of) }), ids);
};
type Revised = Pick<ShippedDay, 'node' | 'revision'>;

/** A number that other days of collectors do not have. */
const nameOf = (days: readonly Revised[]): number => {
  const names = days.map(({ node, revision }) => `${node}:${revision}`).sort();
  return numberOf(names.join());
};

/** The days that count, where rules leave hits out: what they leave in place of what they touch. */
export const inForce = (days: readonly ShippedDay[]): ShippedDay[] => {
  const ruled = days.filter(({ node }) => node === rulesNode);
  if (ruled.length === 0) return [...days];
  const bases = Map.groupBy(days.filter(isOfCollectors), ({ day }) => day);
  const isOfThese = ({ day, version }: ShippedDay): boolean => {
    const of = readShipped(version)?.of;
    return of?.state === 'closed' && of.revision === nameOf(bases.get(day) ?? []);
  };
  const counts = new Set(ruled.filter(isOfThese).map(({ day }) => day));
  return days.filter(of => (counts.has(of.day) ? !isOfCollectors(of) : of.node !== rulesNode));
};

/** Of a version of earlier programs, in which the primary had brought such a day to its own. */
export const isTaken = (text: string): boolean => readShipped(text)?.of.state === 'taken';

/** Two who make the same day at once have revisions of their own: the greater one counts. */
export const revisionAt = (now: number): number => now * 1024 + (Math.floor(performance.now() * 1000) % 1024);

export interface Revision {
  revision: number;
  state: number;
}

type Noted = Revision & { version?: string; hits?: number };
export type DayNote = readonly [of: NodeDay, noted: Noted];

export interface Shipped {
  note(of: NodeDay, noted: Noted): Promise<void>;
  /** Notes some at once, and none where it comes later than at a second of the server's clock. */
  noteBefore(notes: readonly DayNote[], second: number): Promise<void>;
  /** What there is of a day, by revision. */
  revisions(of: NodeDay): Promise<Revision[]>;
  /** The days of a site that are there, of all nodes, by day and node. */
  days(siteId: number): Promise<ShippedDay[]>;
  /** Whose day has been whole, as it is now, for so long that all questions know: `site node`. */
  settledOn(day: number): Promise<Set<string>>;
  /**
   * By day the revisions that nobody reads any more, since it came again long ago, and those that
   * were begun and given up.
   */
  unread(): Promise<(NodeDay & { revisions: number[] })[]>;
}

const [unreadForS, givenUpForS] = [600, 86_400];
const { begun, whole, gone } = dayStates;
/** Of the rows of a revision, the hits of a whole day: fewer are noted when some are erased. */
export const hitsLeft = `minIf(hits, state = ${whole})`;

export const shippedTable = (replicas: readonly URL[], ask: Asking = sendToShard): Shipped => {
  // One insert is one block of rows.
  const insert = async (rows: string): Promise<void> => {
    const sql = `insert into shipped (site, day, node, revision, state, version, hits) ${rows}`;
    await sendToShard(replicas, { sql, timeoutMs: statementMs });
  };
  return {
    note: (of, noted) => insert(`values (${noteSql(of, noted)})`),
    noteBefore(notes, second) {
      const columns = Array.from({ length: 7 }, (_, i) => `note.${i + 1}`).join(', ');
      const rows = notes.map(note => `tuple(${noteSql(...note)})`).join(', ');
      return insert(`select ${columns} from (select arrayJoin([${rows}]) as note) where now() < toDateTime(${second})`);
    },
    ...readers(replicas, ask),
  };
};

const noteSql = ({ siteId, day, node }: NodeDay, { revision, state, version = '', hits = 0 }: Noted): string =>
  [
    ...[`toUInt64(${siteId})`, `toDate(${day})`, `toUInt64(${node})`, `toUInt64(${revision})`],
    ...[`toUInt64(${state})`, text(version), `toUInt64(${hits})`],
  ].join(', ');

const readers = (replicas: readonly URL[], ask: Asking): Omit<Shipped, 'note' | 'noteBefore'> => ({
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
    const ofRevisions = `select day, node, revision as r, max(state) as s, argMax(version, state) as v, ${hitsLeft} as h
      from shipped where site = ${siteId} group by day, node, revision having s = ${whole}`;
    const rows = await rowsFrom(
      replicas,
      `select toUInt32(day), node, max(r), argMax(v, r), argMax(h, r)
       from (${ofRevisions}) group by day, node order by day, node`,
      ask,
    );
    return rows.map(([day, node, revision, version, hits]) => ({
      ...{ siteId, day: Number(day), node: Number(node), revision: Number(revision) },
      ...{ version: String(version), hits: Number(hits) },
    }));
  },
  async settledOn(day) {
    const rows = await rowsFrom(
      replicas,
      `select site, node from (
         select site, node, revision as r, max(state) as s, max(at) as a from shipped where day = toDate(${day}) group by site, node, r
       ) where s = ${whole} group by site, node having argMax(a, r) < now() - ${unreadForS}`,
      ask,
    );
    return new Set(rows.map(row => row.join(' ')));
  },
  async unread() {
    const ofRevisions = `select site, day, node, revision as r, max(state) as s, max(at) as a from shipped
      group by site, day, node, r`;
    const rows = await rowsFrom(
      replicas,
      `select site, toUInt32(day), node, max(if(s = ${whole}, r, 0)) as counts,
         argMax(a, if(s = ${whole}, r, 0)) < now() - ${unreadForS} as isKnown, groupArrayIf(r, s < ${gone}) as there,
         groupArrayIf(r, s = ${begun} and a < now() - ${givenUpForS}) as givenUp
       from (${ofRevisions}) group by site, day, node
       having not empty(givenUp) or (isKnown and arrayExists(of -> of < counts, there))`,
      ask,
    );
    return rows.map(row => {
      const [siteId, day, node, counts, isKnown] = row.map(Number) as [number, number, number, number, number];
      const [there, givenUp] = row.slice(-2) as [number[], number[]];
      const replaced = isKnown ? there.filter(revision => revision < counts) : [];
      return { siteId, day, node, revisions: [...new Set([...replaced, ...givenUp])] };
    });
  },
});
