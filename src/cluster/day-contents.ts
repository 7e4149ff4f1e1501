/** What the servers of a cluster hold, and whether each replica has all of a day. */
import { setTimeout as wait } from 'node:timers/promises';
import type { Shards } from '../model/shards.ts';
import { type ClickHouseStatement, sendToShard, statementMs } from './client.ts';

/** A shard holds something else than what was sent. */
export class ShipError extends Error {}

/** A day of a site, as one node collected it. */
export interface NodeDay {
  siteId: number;
  day: number;
  node: number;
}

/** Hits of a day on a shard, and the sum of their ids modulo 2^64. */
export interface DayContent {
  hits: number;
  ids: bigint;
}

/** How long replicas may take to have what one of them was sent. */
const settleMs = 120_000;
const pollMs = 50;

/**
 * Waits until each replica of each shard holds what it should of a revision of a day; rejects with
 * ShipError if that takes too long.
 */
export const settleDay = async (
  shards: Shards,
  { siteId, day, node }: NodeDay,
  revision: number,
  wanted: readonly DayContent[],
): Promise<void> => {
  const rows = `site = ${siteId} and day = toDate(${day}) and node = ${node} and revision = ${revision}`;
  const contentOn = async (replica: URL): Promise<string> => {
    const [row] = await rowsFrom([replica], `select count(), toString(sum(id)) from hit where ${rows}`);
    return row!.join(' ');
  };
  const until = performance.now() + settleMs;
  for (const [shard, replicas] of shards.entries()) {
    const { hits, ids } = wanted[shard]!;
    const want = `${hits} ${BigInt.asUintN(64, ids)}`;
    for (const replica of replicas) {
      let content = await contentOn(replica);
      while (content !== want) {
        if (performance.now() > until)
          throw new ShipError(`${replica.host}, ${rows}: hits and sum of ids are ${content}, not ${want}`);
        await wait(pollMs);
        content = await contentOn(replica);
      }
    }
  }
};

/** Asks a shard, one replica or another. */
export type Asking = (replicas: readonly URL[], statement: ClickHouseStatement) => Promise<string>;

/**
 * The rows of an answer, with large integers as numbers. Without `ask` they are the first replica's
 * while it answers, so that what is read after each other, and what is written, is of the same one.
 */
export const rowsFrom = async (
  replicas: readonly URL[],
  sql: string,
  ask: Asking = sendToShard,
): Promise<unknown[][]> => {
  const settings = { ...longSql, output_format_json_quote_64bit_integers: 0 };
  const answer = await ask(replicas, { sql: `${sql} format JSONCompact`, settings, timeoutMs: statementMs });
  return (JSON.parse(answer) as { data: unknown[][] }).data;
};

/** How many there are of rows such as `hit where site = 1`, on the replica that `rowsFrom` asks. */
export const countOf = async (replicas: readonly URL[], rows: string): Promise<number> =>
  Number((await rowsFrom(replicas, `select count() from ${rows}`))[0]![0]);

/** For statements that name many days, or have the filters of many rules. */
export const longSql = {
  max_query_size: 16 * 1024 * 1024,
  ...{ max_ast_elements: 16_000_000, max_expanded_ast_elements: 16_000_000 },
};
