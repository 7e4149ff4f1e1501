/**
 * The days of sites on a cluster of ClickHouse. A day is there whole or not at all: `shipped` says
 * so when its hits have been counted on every replica, and no longer before one of them goes.
 */
import type { Shards } from '../model/shards.ts';
import type { QueryContext } from '../query/context.ts';
import type { Day } from '../store/day/day.ts';
import { send, sendToShard, statementMs } from './client.ts';
import { type DayContent, dayContents, rowsFrom } from './day-contents.ts';
import { writeDay } from './day-rows.ts';
import { makeTables } from './make-tables.ts';
import { rowBinary } from './row-binary.ts';
import { columnList } from './schema.ts';
import { text } from './sql.ts';

export interface Cluster {
  /** Makes the tables where they are missing. */
  makeTables(): Promise<void>;
  /** By day, the versions of a site's days that are there. */
  shipped(siteId: number): Promise<Map<number, string>>;
  /** Puts the hits of a day there, in place of what there is of it; resolves with how many they are. */
  ship(siteId: number, day: number, version: string, parts: Iterable<Day>, context: QueryContext): Promise<number>;
  /** Takes a day away. */
  drop(siteId: number, day: number): Promise<void>;
}

/** Everything rejects as `send` does, and with ShipError. */
export const openCluster = (shards: Shards): Cluster => {
  const first = shards[0]!;
  const contents = dayContents(shards);

  /** The greatest of all that were noted; undefined until it was asked for. */
  let revision: number | undefined;
  const note = async (siteId: number, day: number, version: string, hits: number): Promise<void> => {
    revision ??= Number((await rowsFrom(first, 'select max(revision) from shipped'))[0]![0]);
    revision++;
    const values = `${siteId}, toDate(${day}), ${revision}, ${text(version)}, ${hits}`;
    const sql = `insert into shipped (site, day, revision, version, hits) values (${values})`;
    await sendToShard(first, { sql, timeoutMs: statementMs });
  };

  const drop = async (siteId: number, day: number): Promise<void> => {
    await note(siteId, day, '', 0);
    await contents.clear(siteId, day);
  };

  return {
    makeTables: () => makeTables(shards),
    async shipped(siteId) {
      const latest = `select toUInt32(day), argMax(version, revision) as latest from shipped where site = ${siteId} group by day`;
      const rows = await rowsFrom(first, latest);
      return new Map(
        rows.flatMap(([day, version]) => (version === '' ? [] : [[Number(day), String(version)] as const])),
      );
    },
    async ship(siteId, day, version, parts, context) {
      await drop(siteId, day);
      const sent = await sendDay(shards, parts, context);
      await contents.settle(siteId, day, sent);
      const hits = sent.reduce((sum, of) => sum + of.hits, 0);
      await note(siteId, day, version, hits);
      return hits;
    },
    drop,
  };
};

/** A batch is sent when it has so many bytes. */
const batchBytes = 16 * 1024 * 1024;

/** Sends the hits of a day to where their visitors belong; resolves with what each shard was sent. */
const sendDay = async (shards: Shards, parts: Iterable<Day>, context: QueryContext): Promise<DayContent[]> => {
  const places = shards.map(() => ({ writer: rowBinary(), sent: { hits: 0, ids: 0n } }));
  const count = BigInt(shards.length);
  const flush = async (least: number): Promise<void> => {
    for (const [shard, { writer }] of places.entries())
      if (writer.size() > least) await insert(shards[shard]!, writer.take());
  };
  let visits = 0;
  for (const part of parts) {
    for (const { writer, sent, hits, ids } of writeDay(part, context, visits, of => places[Number(of % count)]!)) {
      sent.hits += hits;
      sent.ids += ids;
      if (writer.size() > batchBytes) await flush(batchBytes);
    }
    visits += part.visits;
  }
  await flush(0);
  return places.map(({ sent }) => sent);
};

/**
 * Always to the same replica: what it was sent and did not acknowledge is there or is not, and is
 * sent again only after the day was taken away. Then it may look like what was sent before.
 */
const insert = ([replica]: readonly URL[], data: Buffer): Promise<string> =>
  send(replica!, {
    ...{ sql: `insert into hit (${columnList}) format RowBinary`, data, timeoutMs: statementMs },
    settings: { insert_deduplicate: 0 },
  });
