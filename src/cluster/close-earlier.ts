/**
 * Closes days that collectors of earlier versions have left open, each under a number of its own:
 * the rows that are there become whole days, as if the collector had shipped them itself.
 */
import type { Shards } from '../model/shards.ts';
import type { Site } from '../model/site.ts';
import { sendToShard, statementMs } from './client.ts';
import { type DayContent, dayContents, type NodeDay, rowsFrom, ShipError } from './day-contents.ts';
import { openDays } from './open-partitions.ts';
import { columnList, dayStates } from './schema.ts';
import { shippedTable, shippedText } from './shipped.ts';
import { latestVisits } from './source.ts';
import { all } from './sql.ts';

/**
 * Closes those before a day. A collector that comes back ships the day over it, or takes it away
 * and sends its hits as a set (hand-over.ts). Rejects as `send` does, and with ShipError.
 */
export const closeEarlierDays = async (
  shards: Shards,
  sites: readonly Pick<Site, 'id' | 'uuid'>[],
  before: number,
): Promise<void> => {
  const { days } = shippedTable(shards[0]!);
  for (const day of (await openDays(shards)).open_hit.filter(one => one < before)) {
    const sql = `select distinct site, node from open_hit where day = toDate(${day}) and node != 0`;
    const found = (await Promise.all(shards.map(replicas => rowsFrom(replicas, sql)))).flat();
    const open = new Map(found.map(row => [row.join(' '), row.map(Number) as [site: number, node: number]]));
    for (const [siteId, node] of open.values()) {
      // A site that is unknown here may come back.
      const site = sites.find(({ id }) => id === siteId);
      if (site === undefined || (await days(siteId)).some(of => of.day === day && of.node === node)) continue;
      await close(shards, { siteId, day, node }, shippedText(site.uuid, { state: 'retired' }));
    }
  }
};

/** Makes a whole day of the rows that count on each shard, there. */
const close = async (shards: Shards, of: NodeDay, version: string): Promise<void> => {
  const shipped = shippedTable(shards[0]!);
  const revision = ((await shipped.revisions(of)).at(-1)?.revision ?? 0) + 1;
  const ofDay = `site = ${of.siteId} and day = toDate(${of.day}) and node = ${of.node}`;
  const rows = all([ofDay, 'type > 0', latestVisits(ofDay)]);
  const wanted = await Promise.all(shards.map(replicas => openContent(replicas, rows)));
  await shipped.note(of, { revision, state: dayStates.begun });
  const columns = columnList.replace(' revision,', ` toUInt64(${revision}) as whole,`);
  for (const [shard, replicas] of shards.entries()) {
    if (wanted[shard]!.hits === 0) continue;
    const sql = `insert into hit (${columnList}) select ${columns} from open_hit where ${rows}`;
    await sendToShard(replicas.slice(0, 1), { sql, settings: { insert_deduplicate: 0 }, timeoutMs: statementMs });
  }
  await dayContents(shards).settle(of, revision, wanted);
  const hits = wanted.reduce((sum, content) => sum + content.hits, 0);
  await shipped.note(of, { revision, state: dayStates.whole, version, hits });
};

/** What all replicas of a shard have of rows. */
const openContent = async (replicas: readonly URL[], rows: string): Promise<DayContent> => {
  const sql = `select count(), toString(sum(id)) from open_hit where ${rows}`;
  const found = await Promise.all(replicas.map(async replica => (await rowsFrom([replica], sql))[0]!));
  const [hits, ids] = found[0]!.map(String) as [string, string];
  if (found.some(row => row.join(' ') !== `${hits} ${ids}`))
    throw new ShipError('The replicas of a shard do not have the same hits yet: try again later.');
  return { hits: Number(hits), ids: BigInt(ids) };
};
