/** Days of `open_hit` and `collected_hit`, each a partition of its own on every shard. */

import type { Shards } from '../model/shards.ts';
import { dayMs, utcDayName } from '../model/time.ts';
import { sendToShard, statementMs } from './client.ts';
import { type Asking, rowsFrom } from './day-contents.ts';
import type { Shipped } from './shipped.ts';
import { list } from './sql.ts';

export const openTables = ['open_hit', 'collected_hit'] as const;
export type OpenTable = (typeof openTables)[number];

/** By table the first day of which there are any rows. */
export const firstOpenDays = async (
  shards: Shards,
  ask: Asking = sendToShard,
): Promise<Record<OpenTable, number | undefined>> => {
  const days = await openDays(shards, ask);
  const firstOf = (table: OpenTable): number | undefined =>
    days[table].length === 0 ? undefined : Math.min(...days[table]);
  return { open_hit: firstOf('open_hit'), collected_hit: firstOf('collected_hit') };
};

/** By table the days of which there are any rows. */
export const openDays = async (shards: Shards, ask: Asking = sendToShard): Promise<Record<OpenTable, number[]>> => {
  const sql = `select distinct table, toString(partition) from system.parts
    where database = currentDatabase() and table in ${list(openTables)} and active`;
  const found = (await Promise.all(shards.map(replicas => rowsFrom(replicas, sql, ask)))).flat();
  const daysOf = (table: OpenTable): number[] => [
    ...new Set(found.filter(([of]) => of === table).map(([, partition]) => Date.parse(String(partition)) / dayMs)),
  ];
  return { open_hit: daysOf('open_hit'), collected_hit: daysOf('collected_hit') };
};

/**
 * Drops days before one of which all that any node sent has been there whole for long. Of today,
 * hits may count as open again, when an import that made the day whole is taken back.
 */
export const dropOpenDays = async (
  shards: Shards,
  shipped: Pick<Shipped, 'settledOn'>,
  before: number,
): Promise<void> => {
  for (const day of (await openDays(shards)).open_hit.filter(day => day < before)) {
    const whole = await shipped.settledOn(day);
    if (whole.size === 0) continue;
    const sql = `select distinct site, node from open_hit where day = toDate(${day})`;
    const sent = (await Promise.all(shards.map(replicas => rowsFrom(replicas, sql)))).flat();
    if (!sent.every(row => whole.has(row.join(' ')))) continue;
    await dropDay(shards, 'open_hit', day);
  }
};

/** Drops what a table has of a day, on all replicas. */
export const dropDay = async (shards: Shards, table: OpenTable, day: number): Promise<void> => {
  const sql = `alter table ${table} drop partition '${utcDayName(day)}'`;
  await Promise.all(shards.map(replicas => sendToShard(replicas, { sql, timeoutMs: statementMs })));
};
