/** What the servers of a cluster hold of a day: how many hits, and the sum of their ids. */
import type { Shards } from '../model/shards.ts';
import { sendToShard, statementMs } from './client.ts';

/** A shard holds something else than what was sent. */
export class ShipError extends Error {}

/** Hits of a day on a shard, and the sum of their ids modulo 2^64. */
export interface DayContent {
  hits: number;
  ids: bigint;
}

export interface DayContents {
  /** Waits until each replica of each shard holds what it should; rejects with ShipError if that takes too long. */
  settle(siteId: number, day: number, wanted: readonly DayContent[]): Promise<void>;
  /** Deletes what there is of a day, on all replicas. */
  clear(siteId: number, day: number): Promise<void>;
}

/** How long replicas may take to have what one of them was sent. */
const settleMs = 120_000;
const pollMs = 50;

export const dayContents = (shards: Shards): DayContents => {
  const contentOn = async (replica: URL, siteId: number, day: number): Promise<string> => {
    const [row] = await rowsFrom([replica], `select count(), toString(sum(id)) from hit where ${isOf(siteId, day)}`);
    return row!.join(' ');
  };
  const settle: DayContents['settle'] = async (siteId, day, wanted) => {
    const until = performance.now() + settleMs;
    for (const [shard, replicas] of shards.entries()) {
      const want = textOf(wanted[shard]!);
      for (const replica of replicas) {
        let content = await contentOn(replica, siteId, day);
        while (content !== want) {
          if (performance.now() > until)
            throw new ShipError(
              `${replica.host}, site ${siteId}, day ${day}: hits and sum of ids are ${content}, not ${want}`,
            );
          await new Promise(resolve => setTimeout(resolve, pollMs));
          content = await contentOn(replica, siteId, day);
        }
      }
    }
  };
  return {
    settle,
    async clear(siteId, day) {
      for (const replicas of shards) {
        const contents = await Promise.all(replicas.map(replica => contentOn(replica, siteId, day)));
        if (contents.every(content => content === textOf(nothing))) continue;
        const sql = `alter table hit delete where ${isOf(siteId, day)}`;
        await sendToShard(replicas, { sql, timeoutMs: statementMs });
      }
      await settle(
        siteId,
        day,
        shards.map(() => nothing),
      );
    },
  };
};

/** The rows of an answer, with large integers as numbers. */
export const rowsFrom = async (replicas: readonly URL[], sql: string): Promise<unknown[][]> => {
  const settings = { output_format_json_quote_64bit_integers: 0 };
  const answer = await sendToShard(replicas, { sql: `${sql} format JSONCompact`, settings, timeoutMs: statementMs });
  return (JSON.parse(answer) as { data: unknown[][] }).data;
};

const nothing: DayContent = { hits: 0, ids: 0n };
const textOf = ({ hits, ids }: DayContent): string => `${hits} ${BigInt.asUintN(64, ids)}`;
const isOf = (siteId: number, day: number): string => `site = ${siteId} and day = toDate(${day})`;
