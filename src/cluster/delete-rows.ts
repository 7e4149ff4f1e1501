/** Deletes rows of a table and waits until they are gone everywhere. */
import { setTimeout as wait } from 'node:timers/promises';
import type { Shards } from '../model/shards.ts';
import { sendToShard, statementMs } from './client.ts';
import { countOf, longSql, ShipError } from './day-contents.ts';

/** How long replicas may take, and from one look at them to the next. */
const [deleteMs, pollMs] = [120_000, 50];

interface DeleteOptions {
  /** Who has to say that they are gone: all replicas, or one of some. */
  asked?: Shards;
  /** What is to be done first where there are any. */
  before?: () => Promise<void>;
}

/**
 * Resolves with whether there were any. ClickHouse goes on with what it was told when this has
 * given up. So nothing is said to a table that still deletes, and the next call piles up nothing.
 * Rejects as `send` does, and with ShipError.
 */
export const deleteRows = async (
  shards: Shards,
  table: string,
  where: string,
  { asked = shards.flat().map(replica => [replica]), before = async () => {} }: DeleteOptions = {},
): Promise<boolean> => {
  const until = performance.now() + deleteMs;
  const isAny = async (rows: string): Promise<boolean> => {
    const counts = await Promise.all(asked.map(replicas => countOf(replicas, rows)));
    return counts.some(count => count > 0);
  };
  const untilNone = async (rows: string): Promise<void> => {
    while (await isAny(rows)) {
      if (performance.now() > until)
        throw new ShipError(`ClickHouse has not deleted all yet that it should of ${table}.`);
      await wait(pollMs);
    }
  };
  const rows = `${table} where ${where}`;
  const unfinished = `system.mutations where database = currentDatabase() and table = '${table}' and is_done = 0`;
  if (!(await isAny(rows))) return false;
  await untilNone(unfinished);
  if (!(await isAny(rows))) return true;
  await before();
  const statement = { sql: `alter table ${table} delete where ${where}`, settings: longSql, timeoutMs: statementMs };
  for (const replicas of shards) await sendToShard(replicas, statement);
  await untilNone(rows);
  await untilNone(unfinished);
  return true;
};
