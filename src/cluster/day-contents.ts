/** What the servers of a cluster hold of a node's day: how many hits, and the sum of their ids. */
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

export interface DayContents {
  /**
   * Waits until each replica of each shard holds what it should of a revision; rejects with
   * ShipError if that takes too long.
   */
  settle(of: NodeDay, revision: number, wanted: readonly DayContent[]): Promise<void>;
  /** Deletes what there is of some revisions, on all replicas. */
  clear(of: NodeDay, revisions: readonly number[]): Promise<void>;
}

/** How long replicas may take to have what one of them was sent. */
const settleMs = 120_000;
const pollMs = 50;

export const dayContents = (shards: Shards): DayContents => {
  const contentOn = async (replica: URL, rows: string): Promise<string> => {
    const [row] = await rowsFrom([replica], `select count(), toString(sum(id)) from hit where ${rows}`);
    return row!.join(' ');
  };
  const settle = async (rows: string, wanted: readonly DayContent[]): Promise<void> => {
    const until = performance.now() + settleMs;
    for (const [shard, replicas] of shards.entries()) {
      const want = textOf(wanted[shard]!);
      for (const replica of replicas) {
        let content = await contentOn(replica, rows);
        while (content !== want) {
          if (performance.now() > until)
            throw new ShipError(`${replica.host}, ${rows}: hits and sum of ids are ${content}, not ${want}`);
          await wait(pollMs);
          content = await contentOn(replica, rows);
        }
      }
    }
  };
  return {
    settle: (of, revision, wanted) => settle(`${isOf(of)} and revision = ${revision}`, wanted),
    async clear(of, revisions) {
      const rows = `${isOf(of)} and revision in (${[0, ...revisions].join(', ')})`;
      for (const replicas of shards) {
        const contents = await Promise.all(replicas.map(replica => contentOn(replica, rows)));
        if (contents.every(content => content === textOf(nothing))) continue;
        await sendToShard(replicas, { sql: `alter table hit delete where ${rows}`, timeoutMs: statementMs });
      }
      await settle(
        rows,
        shards.map(() => nothing),
      );
    },
  };
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

const nothing: DayContent = { hits: 0, ids: 0n };
const textOf = ({ hits, ids }: DayContent): string => `${hits} ${BigInt.asUintN(64, ids)}`;
const isOf = ({ siteId, day, node }: NodeDay): string => `site = ${siteId} and day = toDate(${day}) and node = ${node}`;
