/**
 * What questions about a site read: the rows of `hit` for days of nodes that are there whole, those
 * of `open_hit` for all others, and those of `collected_hit` of which a closed day has not the key.
 */
import type { Shards } from '../model/shards.ts';
import { sendToShard } from './client.ts';
import type { Cluster } from './cluster.ts';
import type { Asking } from './day-contents.ts';
import { firstOpenDays, type OpenTable, openTables } from './open-partitions.ts';
import { askShard } from './replicas.ts';
import { collectorsNode, columnList } from './schema.ts';
import { inForce, isOfCollectors, type ShippedDay, shippedTable } from './shipped.ts';
import { all, any, not } from './sql.ts';

/** By table the first day of which any site may have rows; undefined where there are none. */
export type FirstOpenDays = Readonly<Record<OpenTable, number | undefined>>;

/** What is known of the site's days when a query begins. */
export interface SiteDays {
  /** There whole, by day and node. */
  shipped: readonly ShippedDay[];
  firstOpen: FirstOpenDays;
}

/** Whether a day may have hits that are not there as a whole. */
const mayBeOpen = ({ firstOpen }: SiteDays, day: number): boolean =>
  openTables.some(table => day >= (firstOpen[table] ?? Number.POSITIVE_INFINITY));

/** How long it is not asked again. */
const knownMs = 1000;
/** Sites of which anything is kept. */
const sitesMax = 1000;

/** Resolves with what is known of a site's days now, or a second ago. Rejects as `send` does. */
export const siteDaysReader = (cluster: Pick<Cluster, 'shipped'>, shards: Shards, ask: Asking = sendToShard) => {
  const firstOpen = keptFor(() => firstOpenDays(shards, ask));
  const shipped = new Map<number, () => Promise<ShippedDay[]>>();
  return async (siteId: number): Promise<SiteDays> => {
    if (shipped.size > sitesMax) shipped.clear();
    const ofSite = shipped.get(siteId) ?? keptFor(() => cluster.shipped(siteId));
    shipped.set(siteId, ofSite);
    // In this order: a day that is shipped in between is read once, and not left out.
    const days = await ofSite();
    return { shipped: days, firstOpen: await firstOpen() };
  };
};

/** As `siteDaysReader`, of whichever replicas have the least to do: for what is only read. */
export const questionDaysReader = (shards: Shards) =>
  siteDaysReader({ shipped: shippedTable(shards[0]!, askShard).days }, shards, askShard);

/** The same answer for a while, and one question at a time. */
const keptFor = <T>(ask: () => Promise<T>): (() => Promise<T>) => {
  let kept: { at: number; answer: Promise<T> } | undefined;
  return () => {
    if (kept !== undefined && performance.now() - kept.at < knownMs) return kept.answer;
    const asked = { at: performance.now(), answer: ask() };
    asked.answer.catch(() => {
      if (kept === asked) kept = undefined;
    });
    kept = asked;
    return asked.answer;
  };
};

/** A table, and a condition on its rows: the hits of a site from one UTC day to another. */
export interface RowSource {
  table: string;
  days: string;
}

/**
 * Stands for the source of each of several sites in what they are all asked. No text in SQL holds a
 * line feed (sql.ts).
 */
export const anySource: RowSource = { table: '\n:table\n', days: '\n:days\n' };

/** `withLeftOut`: all hits of collectors, also those that rules leave out, and no others. */
export const sourceOf = (
  siteId: number,
  known: SiteDays,
  [first, last]: readonly [number, number],
  withLeftOut = false,
): RowSource => {
  const days = `site = ${siteId} and day >= toDate(${first}) and day <= toDate(${last})`;
  const between = withLeftOut ? `${days} and node != 0` : days;
  const there = known.shipped.filter(({ day }) => day >= first && day <= last);
  const whole = all([between, rowsOfDays(withLeftOut ? there.filter(isOfCollectors) : inForce(there))]);
  if (!mayBeOpen(known, last)) return { table: 'hit', days: whole };
  const rows = [['hit', whole], ...openTables.map(table => [table, openRows(table, between, known, [first, last])])];
  // 18.16 takes as long for what is empty as for what is not.
  const parts = rows
    .filter(([, where]) => where !== '0')
    .map(([from, where]) => `select ${columnList} from ${from} where ${where}`);
  // 26.7 fails where a condition that is always true stands here.
  return { table: `(${parts.join(' union all ')})`, days: `site = ${siteId}` };
};

/** The rows of a table that are not there whole. */
const openRows = (table: OpenTable, between: string, known: SiteDays, [first, last]: [number, number]): string => {
  const firstOpen = known.firstOpen[table] ?? Number.POSITIVE_INFINITY;
  if (last < firstOpen) return '0';
  const openAgain = known.shipped.filter(({ day }) => day >= Math.max(first, firstOpen) && day <= last);
  if (table === 'collected_hit') return all([newestOfKeys(between), ...unclosed(openAgain)]);
  const open = all([between, not(any(runsOf(openAgain).map(({ node, from, to }) => daysSql(node, from, to))))]);
  return all([open, 'type > 0', latestVisits(open)]);
};

/** A condition on rows of `open_hit`: of each visit, among some rows, those that were sent last. */
export const latestVisits = (rows: string): string =>
  `(visit, revision) in (select visit, max(revision) from open_hit where ${rows} group by visit)`;

/** Rows of `collected_hit`: of each key, among some rows, the one that counts. */
const newestOfKeys = (rows: string): string =>
  `${rows} and (key, version) in (select key, max(version) from collected_hit where ${rows} group by key)`;

/** Of days that were closed, the keys that are not there. */
const unclosed = (days: readonly ShippedDay[]): string[] => {
  const closed = days.filter(({ node }) => node === collectorsNode);
  if (closed.length === 0) return [];
  return [`key not in (select key from hit where site = ${closed[0]!.siteId} and (${any(closed.map(closedRows))}))`];
};

/** The rows of `hit` that a closed day is. */
export const closedRows = ({ day, revision }: Pick<ShippedDay, 'day' | 'revision'>): string =>
  `day = toDate(${day}) and node = ${collectorsNode} and revision = ${revision}`;

/** A condition on rows of `hit`: those of days that are there whole. */
export const rowsOfDays = (days: readonly DayRevision[]): string => any(runsOf(days).map(runSql));

/** Days of a node in a row of which the same revision counts. */
interface Run {
  node: number;
  revision: number;
  from: number;
  to: number;
}

type DayRevision = Pick<ShippedDay, 'day' | 'node' | 'revision'>;

const runsOf = (days: readonly DayRevision[]): Run[] => {
  const runs: Run[] = [];
  const latest = new Map<number, Run>();
  for (const { day, node, revision } of days) {
    const run = latest.get(node);
    if (run?.to === day - 1 && run.revision === revision) run.to = day;
    else {
      const next = { node, revision, from: day, to: day };
      runs.push(next);
      latest.set(node, next);
    }
  }
  return runs;
};

const runSql = ({ node, revision, from, to }: Run): string => `${daysSql(node, from, to)} and revision = ${revision}`;
const daysSql = (node: number, from: number, to: number): string =>
  `node = ${node} and day >= toDate(${from}) and day <= toDate(${to})`;
