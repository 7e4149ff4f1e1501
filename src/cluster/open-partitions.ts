/** Days of `open_hit`, each a partition of its own on every shard. */

import type { Shards } from '../model/shards.ts';
import { dayMs } from '../model/time.ts';
import { sendToShard, statementMs } from './client.ts';
import { type Asking, rowsFrom } from './day-contents.ts';
import type { Shipped } from './shipped.ts';

/** The first day of which there are any rows; undefined when there are none. */
export const firstOpenDay = async (shards: Shards, ask: Asking = sendToShard): Promise<number | undefined> => {
  const days = await openDays(shards, ask);
  return days.length === 0 ? undefined : Math.min(...days);
};

const openDays = async (shards: Shards, ask: Asking = sendToShard): Promise<number[]> => {
  const sql = `select distinct toString(partition) from system.parts
    where database = currentDatabase() and table = 'open_hit' and active`;
  const found = await Promise.all(shards.map(replicas => rowsFrom(replicas, sql, ask)));
  return [...new Set(found.flat().map(([partition]) => Date.parse(String(partition)) / dayMs))];
};

/**
 * Drops days before one of which all that any node sent has been there whole for long. Of today,
 * hits may count as open again, when an import that made the day whole is taken back.
 */
export const dropOpenDays = async (
  shards: Shards,
  shipped: Pick<Shipped, 'wholeFor'>,
  before: number,
): Promise<void> => {
  const nameOf = ({ siteId, node }: { siteId: number; node: number }): string => `${siteId} ${node}`;
  for (const day of (await openDays(shards)).filter(day => day < before)) {
    const whole = new Set((await shipped.wholeFor(day)).map(nameOf));
    if (whole.size === 0) continue;
    const sql = `select distinct site, node from open_hit where day = toDate(${day})`;
    const sent = (await Promise.all(shards.map(replicas => rowsFrom(replicas, sql)))).flat();
    if (!sent.every(([siteId, node]) => whole.has(nameOf({ siteId: Number(siteId), node: Number(node) })))) continue;
    const name = new Date(day * dayMs).toISOString().slice(0, 10);
    const drop = `alter table open_hit drop partition '${name}'`;
    await Promise.all(shards.map(replicas => sendToShard(replicas, { sql: drop, timeoutMs: statementMs })));
  }
};
