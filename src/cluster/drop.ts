/** Deletes from a cluster what is no longer wanted: old days, and sites removed or reset. */
import type { Shards } from '../model/shards.ts';
import type { Site } from '../model/site.ts';
import { dayMs } from '../model/time.ts';
import type { Database } from '../store/database.ts';
import { goneSites, sites } from '../store/sites.ts';
import { sendToShard, statementMs } from './client.ts';
import type { Cluster } from './cluster.ts';
import { countOf, rowsFrom } from './day-contents.ts';
import { recordsBetween, type StoredTable, storedTables } from './record-tables.ts';
import { checkSite } from './ship-days.ts';

/** Deletes rows on all replicas, sooner or later: `shipped` first, so that none are read. */
const deleteSoon = async (shards: Shards, of: { days: string; records: (table: StoredTable) => string }) => {
  const first = shards[0]!;
  const remove = (replicas: readonly URL[], table: string, where: string): Promise<string> =>
    sendToShard(replicas, { sql: `alter table ${table} delete where ${where}`, timeoutMs: statementMs });
  await remove(first, 'shipped', of.days);
  for (const table of storedTables) await remove(first, table, of.records(table));
  for (const replicas of shards)
    for (const table of ['open_hit', 'collected_hit', 'hit']) await remove(replicas, table, of.days);
};

/**
 * Deletes the days of all sites, or of one, and of all nodes before a day, with what is recorded
 * besides hits. Resolves with whether there was anything.
 */
export const dropDaysBefore = async (shards: Shards, day: number, siteId?: number): Promise<boolean> => {
  const ofSite = siteId === undefined ? '' : `site = ${siteId} and `;
  const days = `${ofSite}day < toDate(${day})`;
  const records = (table: StoredTable): string => `${ofSite}${recordsBetween(table, 0, day * dayMs)}`;
  const rows = [`shipped where ${days}`, ...storedTables.map(table => `${table} where ${records(table)}`)];
  const counts = rows.map(of => countOf(shards[0]!, of));
  if (Math.max(...(await Promise.all(counts))) === 0) return false;
  await deleteSoon(shards, { days, records });
  return true;
};

/**
 * Deletes the data of sites that were removed or reset here. Throws OtherSiteError, with nothing
 * changed, where the cluster has days of another database's sites.
 */
export const dropGoneSites = async (db: Database, shards: Shards, cluster: Pick<Cluster, 'shipped'>): Promise<void> => {
  const gone = goneSites(db);
  if (gone.length === 0) return;
  const of = (table: string) => `select distinct site from ${table} where site in (${gone.join(', ')})`;
  const rows = [
    rowsFrom(shards[0]!, of('shipped')),
    ...shards.map(replicas => rowsFrom(replicas, of('collected_hit'))),
  ];
  const found = [...new Set((await Promise.all(rows)).flat(2))];
  if (found.length === 0) return;
  for (const site of sites(db).list() as Site[])
    for (const { version } of await cluster.shipped(site.id)) if (version !== '') checkSite(site, version);
  const where = `site in (${found.join(', ')})`;
  await deleteSoon(shards, { days: where, records: () => where });
};
