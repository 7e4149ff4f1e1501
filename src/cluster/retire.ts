/**
 * Closes what a node that is gone for good has left open: the rows of its open days become whole
 * days, as if it had shipped them itself.
 */
import type { Shards } from '../model/shards.ts';
import type { Site } from '../model/site.ts';
import { sendToShard, statementMs } from './client.ts';
import { type DayContent, dayContents, type NodeDay, rowsFrom, ShipError } from './day-contents.ts';
import { columnList, dayStates } from './schema.ts';
import { shippedTable, shippedText } from './shipped.ts';
import { latestVisits } from './source.ts';
import { all } from './sql.ts';

/** When the newest open hit of a node happened, UTC milliseconds; null for none. */
export const newestOpenHit = async (shards: Shards, node: number): Promise<number | null> => {
  const found = shards.map(replicas => rowsFrom(replicas, `select max(at) from open_hit where node = ${node}`));
  return Math.max(...(await Promise.all(found)).flat(2).map(Number)) || null;
};

/** Resolves with how many days were closed; call it again for more. Rejects with ShipError. */
export const closeOpenDays = async (
  shards: Shards,
  node: number,
  sites: readonly Pick<Site, 'id' | 'uuid'>[],
): Promise<number> => {
  const { days } = shippedTable(shards[0]!);
  let closed = 0;
  for (const { id: siteId, uuid } of sites) {
    const whole = new Set((await days(siteId)).filter(of => of.node === node).map(({ day }) => day));
    const sql = `select distinct toUInt32(day) from open_hit where site = ${siteId} and node = ${node}`;
    const open = (await Promise.all(shards.map(replicas => rowsFrom(replicas, sql)))).flat(2).map(Number);
    for (const day of new Set(open)) {
      if (whole.has(day)) continue;
      await close(shards, { siteId, day, node }, shippedText(uuid, { state: 'retired' }));
      closed++;
    }
  }
  return closed;
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
