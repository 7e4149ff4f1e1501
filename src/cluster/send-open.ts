/** Sends visits of open days: they are folded as the day itself would be, from their hits alone. */
import type { Shards } from '../model/shards.ts';
import type { QueryContext } from '../query/context.ts';
import type { Day } from '../store/day/day.ts';
import { OpenDay } from '../store/day/open/open-day.ts';
import type { SomeRows } from '../store/day/open/some-rows.ts';
import { rowsOf, visitsWith, withHits } from '../store/day/some-hits.ts';
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
  const [visits, gone] = [shardWriters(shards), shardWriters(shards)];
  const insert = inserter(shards);
  const place = placement(shards);
  return async (some, { node, revision, signal }) => {
    for (const { take } of [visits, gone]) take();
    let sent = 0;
    const flush = async (): Promise<void> => {
      await insert(columnList, visits.take(), signal);
      await insert(goneColumns, gone.take(), signal);
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
      for (const { id, visitor } of folded.gone) {
        const visit = (BigInt(node) << 48n) + (BigInt(day) << 32n) + BigInt(numberOf(id));
        writeGone(gone.of(visitor, count), { siteId, day, node, revision, visitor, visit });
      }
    }
    await flush();
    return sent;
  };
};

/** Ids of visits have more bits after years, but those of a day do not differ by more. */
const numberOf = (visitId: number): number => visitId % 2 ** 32;

interface Folded {
  day: Day;
  /** By place in the day. */
  visitIds: Float64Array | number[];
  /** Visits that all hits were taken out of. */
  gone: { id: number; visitor: bigint }[];
}

const fold = (rows: SomeRows, { siteId, day, visits, removed }: DueVisits): Folded => {
  const open = new OpenDay(siteId, day);
  const visitRows = rows.visits({ siteId, day }, [...visits.keys()]);
  const hitRows = rows.hits({ siteId, day }, [...visits.values()].flat());
  open.addVisits(visitRows);
  open.addHits(hitRows);
  const [whole, ids] = [open.day(), open.visitIds()];
  if (removed.size === 0) return { day: whole, visitIds: ids, gone: [] };
  const stays = Uint8Array.from(open.hitNumbers(), number => (removed.has(hitRows[number]![0]) ? 0 : 1));
  const visitIds = Array.from(rowsOf(visitsWith(whole, stays)), visit => ids[visit]!);
  const left = new Set(visitIds);
  const gone = visitRows
    .filter(([id]) => !left.has(id))
    .map(([id, visitor]) => ({ id, visitor: BigInt(`0x${visitor}`) }));
  return { day: withHits(whole, stays), visitIds, gone };
};

/** Of the hit that stands for none, all else is ClickHouse's default: its type is 0. */
const goneColumns = 'site, day, node, revision, visitor, visit';

interface Gone {
  siteId: number;
  day: number;
  node: number;
  revision: number;
  visitor: bigint;
  visit: bigint;
}

const writeGone = (to: RowBinary, { siteId, day, node, revision, visitor, visit }: Gone): void => {
  to.uint32(siteId);
  to.uint16(day);
  to.uint16(node);
  to.uint64(BigInt(revision));
  to.uint64(visitor);
  to.uint64(visit);
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
  return async (columns: string, data: readonly Buffer[], signal: AbortSignal): Promise<void> => {
    const sql = `insert into open_hit (${columns}) format RowBinary`;
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
