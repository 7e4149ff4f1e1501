/** Sends visits of open days: they are folded as the day itself would be, from their hits alone. */
import type { Shards } from '../model/shards.ts';
import type { QueryContext } from '../query/context.ts';
import type { Day } from '../store/day/day.ts';
import { OpenDay } from '../store/day/open/open-day.ts';
import type { SomeRows } from '../store/day/open/some-rows.ts';
import { send } from './client.ts';
import { writeDay } from './day-rows.ts';
import type { DueVisits } from './open-visits.ts';
import { placement } from './placement.ts';
import { type RowBinary, rowBinary } from './row-binary.ts';
import { columnList } from './schema.ts';

export interface SendOptions {
  node: number;
  /** Greater than any that the node sent before. */
  revision: number;
  signal: AbortSignal;
}

/** Resolves with how many rows were sent. Rejects as `send` does: some may have arrived. */
export type SendOpen = (some: readonly DueVisits[], options: SendOptions) => Promise<number>;

/** Sent at once: less than two blocks of an insert, so that all of it is there or nothing. */
const batchBytes = 64 * 1024 * 1024;
const sendMs = 30_000;

export const openSender = (rows: SomeRows, shards: Shards, contextOf: (siteId: number) => QueryContext): SendOpen => {
  const visits = shardWriters(shards);
  const insert = inserter(shards);
  const place = placement(shards);
  return async (some, { node, revision, signal }) => {
    visits.take();
    let sent = 0;
    const flush = async (): Promise<void> => {
      await insert(visits.take(), signal);
    };
    for (const due of some) {
      const { siteId, day } = due;
      const folded = fold(rows, due);
      const count = await place.shardsOn(day);
      const of = { node, revision: BigInt(revision), numberOf: (visit: number) => numberOf(folded.visitIds[visit]!) };
      for (const { hits } of writeDay(folded.day, contextOf(siteId), of, visitor => ({
        writer: visits.of(visitor, count),
      }))) {
        sent += hits;
        if (visits.size() > batchBytes) await flush();
      }
    }
    await flush();
    return sent;
  };
};

/** Ids of visits have more bits after years, but those of a day do not differ by more. */
const numberOf = (visitId: number): number => visitId % 2 ** 32;

/** The visits as a day, and their ids by place in it. */
const fold = (rows: SomeRows, { siteId, day, visits }: DueVisits): { day: Day; visitIds: Float64Array } => {
  const open = new OpenDay(siteId, day);
  open.addVisits(rows.visits({ siteId, day }, [...visits.keys()]));
  open.addHits(rows.hits({ siteId, day }, [...visits.values()].flat()));
  return { day: open.day(), visitIds: open.visitIds() };
};

/** A writer for each shard. */
const shardWriters = (shards: Shards) => {
  const writers = shards.map(() => rowBinary());
  return {
    /** `count` is how many shards there were on the day. */
    of: (visitor: bigint, count: number): RowBinary => writers[Number(visitor % BigInt(count))]!,
    size: (): number => Math.max(...writers.map(writer => writer.size())),
    take: (): Buffer[] => writers.map(writer => writer.take()),
  };
};

/**
 * Inserts into all shards. A shard's next replica is tried with what is sent next, and not with the
 * same rows: these may have arrived, and would count twice under the same revision.
 */
const inserter = (shards: Shards) => {
  const replica = shards.map(() => 0);
  return async (data: readonly Buffer[], signal: AbortSignal): Promise<void> => {
    const sql = `insert into open_hit (${columnList}) format RowBinary`;
    const settings = { insert_deduplicate: 0 };
    const sent = shards.map(async (replicas, shard) => {
      if (data[shard]!.length === 0) return;
      try {
        const to = replicas[replica[shard]! % replicas.length]!;
        await send(to, { sql, settings, data: data[shard]!, timeoutMs: sendMs, signal });
      } catch (error) {
        replica[shard]!++;
        throw error;
      }
    });
    // All have ended before anything is sent again.
    for (const end of await Promise.allSettled(sent)) if (end.status === 'rejected') throw end.reason;
  };
};
