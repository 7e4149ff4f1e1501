/** Sends visits of open days: they are folded as the day itself would be, from their hits alone. */
import type { Shards } from '../model/shards.ts';
import type { QueryContext } from '../query/context.ts';
import type { Day } from '../store/day/day.ts';
import { OpenDay } from '../store/day/open/open-day.ts';
import type { SomeRows } from '../store/day/open/some-rows.ts';
import type { Epochs } from '../store/epochs.ts';
import { send } from './client.ts';
import { type RowsOf, rowsOfNode, writeDay } from './day-rows.ts';
import type { DueVisits } from './open-visits.ts';
import { placement } from './placement.ts';
import { type RowBinary, rowBinary } from './row-binary.ts';
import { collectorsNode, columnList } from './schema.ts';

export interface SendOptions {
  /** Greater than any that was used before. */
  revision: number;
  signal: AbortSignal;
}

/** Resolves with how many rows were sent. Rejects as `send` does: some may have arrived. */
export type SendOpen = (some: readonly DueVisits[], options: SendOptions) => Promise<number>;

/** Sent at once: less than two blocks of an insert, so that all of it is there or nothing. */
const batchBytes = 64 * 1024 * 1024;
const sendMs = 30_000;

export interface OpenSenderParts {
  rows: SomeRows;
  shards: Shards;
  contextOf: (siteId: number) => QueryContext;
  /** The node that they are of; or a collector's names, whose hits are a set. */
  of: number | Epochs;
}

export const openSender = ({ rows, shards, contextOf, of: names }: OpenSenderParts): SendOpen => {
  const visits = shardWriters(shards);
  const insert = inserter(shards, typeof names === 'number' ? 'open_hit' : 'collected_hit');
  const place = placement(shards);
  return async (some, { revision, signal }) => {
    visits.take();
    let sent = 0;
    const flush = async (): Promise<void> => {
      await insert(visits.take(), signal);
    };
    for (const due of some) {
      const { siteId, day } = due;
      const folded = fold(rows, due);
      const count = await place.shardsOn(day);
      const of =
        typeof names === 'number'
          ? rowsOfNode(day, { node: names, revision }, visit => numberOf(folded.visitIds[visit]!))
          : rowsOfSet(names, revision, due, folded);
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

/** Visits as a day, and the ids of them and of their hits by place in it. */
interface Folded {
  day: Day;
  visitIds: Float64Array;
  hitIds: readonly number[];
}

const fold = (rows: SomeRows, { siteId, day, visits }: DueVisits): Folded => {
  const open = new OpenDay(siteId, day);
  open.addVisits(rows.visits({ siteId, day }, [...visits.keys()]));
  const ids = [...visits.values()].flat().sort((a, b) => a - b);
  open.addHits(rows.hits({ siteId, day }, ids));
  const folded = open.day();
  return { day: folded, visitIds: open.visitIds(), hitIds: Array.from(folded.changes!.rows, row => ids[row]!) };
};

/** Where a version has its visit's hits, and how many of them make a difference. */
const [hitsShift, hitsMax] = [44n, 2 ** 20 - 1];

/**
 * Rows of a collector. Of two versions of a visit the longer one counts. Each sending has a version
 * of its own, since of equal ones both would count: the lower bits differ by revision, and by
 * epoch between processes.
 */
const rowsOfSet = (names: Epochs, revision: number, { visits }: DueVisits, { visitIds, hitIds }: Folded): RowsOf => {
  const sending = BigInt.asUintN(Number(hitsShift), BigInt(revision) * 0x9e37_79b9n + names.newest());
  const hitsOf = (visit: number): readonly number[] => visits.get(visitIds[visit]!)!;
  return {
    ...{ node: collectorsNode, revision: 0n },
    visitOf: visit => names.keyOf(hitsOf(visit)[0]!),
    versionOf: visit => (BigInt(Math.min(hitsOf(visit).length, hitsMax)) << hitsShift) + sending,
    keyOf: hit => names.keyOf(hitIds[hit]!),
  };
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
 * same rows: these may have arrived, and would count twice in the same version.
 */
const inserter = (shards: Shards, table: string) => {
  const replica = shards.map(() => 0);
  return async (data: readonly Buffer[], signal: AbortSignal): Promise<void> => {
    const sql = `insert into ${table} (${columnList}) format RowBinary`;
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
