/**
 * The days of sites on a cluster of ClickHouse, by the node that collected them. A node's day is
 * there whole or not at all: `shipped` names the revision whose hits have been counted on every
 * replica. One that comes again comes beside what is there, under the next revision.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Shards } from '../model/shards.ts';
import type { QueryContext } from '../query/context.ts';
import type { Day } from '../store/day/day.ts';
import { saidByAll } from './all-replicas.ts';
import { send, statementMs } from './client.ts';
import { type DayContent, type NodeDay, settleDay } from './day-contents.ts';
import { rowsOfNode, writeDay } from './day-rows.ts';
import { deleteRows } from './delete-rows.ts';
import { makeTables } from './make-tables.ts';
import { dropOpenDays } from './open-partitions.ts';
import { placement } from './placement.ts';
import { rowBinary } from './row-binary.ts';
import { columnList, dayStates } from './schema.ts';
import { type ShippedDay, shippedTable } from './shipped.ts';

export interface Cluster {
  /**
   * Makes the tables of a cluster of that id where they are missing. TopologyError where they are
   * another cluster's, or a shard is missing.
   */
  makeTables(id: string): Promise<void>;
  /** The days of a site that are there, of all nodes, by day and node. */
  shipped(siteId: number): Promise<ShippedDay[]>;
  /** The same, where all replicas say it: for what is then done for good. */
  shippedOnAll(siteId: number): Promise<ShippedDay[]>;
  /**
   * Puts the hits of a day there, in place of what there is of it; resolves with how many they are.
   */
  ship(of: NodeDay, version: string, parts: Iterable<Day>, context: QueryContext): Promise<number>;
  /** Takes a day away. */
  drop(of: NodeDay): Promise<void>;
  /** Takes a whole day away, so that what `open_hit` has of it counts. */
  reopen(of: NodeDay): Promise<void>;
  /** Deletes rows that nobody reads: of days that have come again since, and never came whole. */
  sweep(): Promise<void>;
  /** Deletes rows of open days before one that are there whole by now, of all nodes. */
  sweepOpen(before: number): Promise<void>;
}

const { begun, whole, gone } = dayStates;

/** Everything rejects as `send` does, and with ShipError. */
export const openCluster = (shards: Shards): Cluster => {
  const shipped = shippedTable(shards[0]!);
  const place = placement(shards);

  const lastRevision = async (of: NodeDay): Promise<number> => (await shipped.revisions(of)).at(-1)?.revision ?? 0;

  /** Deletes all rows of some revisions. */
  const clear = async ({ siteId, day, node }: NodeDay, revisions: readonly number[]): Promise<void> => {
    if (revisions.length === 0) return;
    const where = `site = ${siteId} and day = toDate(${day}) and node = ${node} and revision in (${revisions})`;
    await deleteRows(shards, 'hit', where);
  };
  const noteGone = async (of: NodeDay, revisions: readonly number[]): Promise<void> => {
    for (const revision of revisions) await shipped.note(of, { revision, state: gone });
  };

  return {
    async makeTables(id) {
      await makeTables(shards);
      await place.note(id);
    },
    shipped: shipped.days,
    shippedOnAll: siteId => saidByAll(shards[0]!, replica => shippedTable([replica]).days(siteId), { agreeMs: 0 }),
    async ship(of, version, parts, context) {
      const revision = (await lastRevision(of)) + 1;
      await shipped.note(of, { revision, state: begun });
      const sent = await sendDay(shards, await place.shardsOn(of.day), parts, context, of.node, revision);
      await settleDay(shards, of, revision, sent);
      const hits = sent.reduce((sum, ofShard) => sum + ofShard.hits, 0);
      await shipped.note(of, { revision, state: whole, version, hits });
      return hits;
    },
    async drop(of) {
      const there = await shipped.revisions(of);
      // The day is there whole, without hits.
      await shipped.note(of, { revision: (there.at(-1)?.revision ?? 0) + 1, state: whole });
      const revisions = there.filter(({ state }) => state !== gone).map(({ revision }) => revision);
      await clear(of, revisions);
      await noteGone(of, revisions);
    },
    async reopen(of) {
      const there = (await shipped.revisions(of)).map(({ revision }) => revision);
      await noteGone(of, there);
      await clear(of, there);
    },
    sweepOpen: before => dropOpenDays(shards, shipped, before),
    async sweep() {
      for (const { revisions, ...of } of await shipped.unread()) {
        await clear(of, revisions);
        await noteGone(of, revisions);
      }
    },
  };
};

/** A batch is sent when it has so many bytes. */
const batchBytes = 16 * 1024 * 1024;
/** After so many hits, what runs is given a turn. */
const hitsAtOnce = 1000;

/** Sends a day's hits to their visitors' shards; resolves with what each of them was sent. */
const sendDay = async (
  shards: Shards,
  shardsThen: number,
  parts: Iterable<Day>,
  context: QueryContext,
  node: number,
  revision: number,
): Promise<DayContent[]> => {
  const places = shards.map(() => ({ writer: rowBinary(), sent: { hits: 0, ids: 0n } }));
  const count = BigInt(shardsThen);
  const inserts = shards.map(() => Promise.resolve(''));
  /** One insert of each shard runs while the next is written. */
  const flush = async (least: number): Promise<void> => {
    for (const [shard, { writer }] of places.entries()) {
      if (writer.size() <= least) continue;
      await inserts[shard];
      inserts[shard] = insert(shards[shard]!, writer.take());
      inserts[shard].catch(() => {}); // told by the next wait for it
    }
  };
  let [visits, written] = [0, 0];
  for (const part of parts) {
    const firstVisit = visits;
    const of = rowsOfNode(part.day, { node, revision }, visit => firstVisit + visit);
    for (const { sent, hits, ids } of writeDay(part, context, of, visitor => places[Number(visitor % count)]!)) {
      sent.hits += hits;
      sent.ids += ids;
      written += hits;
      if (written > hitsAtOnce) {
        written = 0;
        await nextTurn();
        await flush(batchBytes);
      }
    }
    visits += part.visits;
  }
  await flush(0);
  await Promise.all(inserts);
  return places.map(({ sent }) => sent);
};

/**
 * What was not acknowledged is there or is not. It is never sent again under the same revision, but
 * may look like what was sent before.
 */
const insert = (replicas: readonly URL[], data: Buffer): Promise<string> =>
  send(replicas[0]!, {
    ...{ sql: `insert into hit (${columnList}) format RowBinary`, data, timeoutMs: statementMs },
    settings: { insert_deduplicate: 0 },
  });
