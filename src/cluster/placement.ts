/**
 * Which shard a visitor's hits of a day are on: visitor mod the shards that there were. A shard
 * that is added gets hits from a UTC midnight on, and all that was there stays where it is. The
 * table
 * `placement`, on the first shard, says since when there have been how many.
 */
import type { Shards } from '../model/shards.ts';
import { utcDayName } from '../model/time.ts';
import { sendToShard, statementMs } from './client.ts';
import { rowsFrom, ShipError } from './day-contents.ts';

export interface Placement {
  /** Notes a new shard: it gets hits from the next UTC midnight on. ShipError if one is missing. */
  note(): Promise<void>;
  /** How many shards hold a day's hits. Rejects with ShipError where some are unknown here. */
  shardsOn(day: number): Promise<number>;
  /** The numbers of shards of the days from one to another, both included, each once. */
  shardsBetween(first: number, last: number): Promise<number[]>;
}

interface Since {
  day: number;
  shards: number;
}

/** A change is noted an hour ahead at least. */
const knownMs = 60_000;
const noticeS = 3600;

export const placement = (shards: Shards): Placement => {
  const first = shards[0]!;
  let known: { at: number; since: Promise<Since[]> } | undefined;
  const read = async (): Promise<Since[]> => {
    const rows = await rowsFrom(first, 'select toUInt32(day) as d, max(shards) from placement group by d order by d');
    return rows.map(([day, count]) => ({ day: Number(day), shards: Number(count) }));
  };
  const since = (): Promise<Since[]> => {
    if (known === undefined || performance.now() - known.at > knownMs) {
      const asked = { at: performance.now(), since: read() };
      asked.since.catch(() => {
        if (known === asked) known = undefined;
      });
      known = asked;
    }
    return known.since;
  };
  return {
    async note() {
      const latest = (await read()).at(-1);
      if (latest !== undefined && latest.shards > shards.length) throw missing(latest, shards.length);
      if (latest?.shards === shards.length) return;
      const midnight = `toDate(intDiv(toUInt32(now()) + ${noticeS}, 86400) + 1)`;
      const sql = `insert into placement (day, shards) select ${latest === undefined ? 'toDate(0)' : midnight}, ${shards.length}`;
      await sendToShard(first, { sql, timeoutMs: statementMs });
      known = undefined;
    },
    async shardsOn(day) {
      const of = (await since()).findLast(one => one.day <= day) ?? { day: 0, shards: shards.length };
      if (of.shards > shards.length) throw missing(of, shards.length);
      return of.shards;
    },
    async shardsBetween(from, to) {
      const all = await since();
      const begun = all.findLast(one => one.day <= from);
      const later = all.filter(({ day }) => day > from && day <= to);
      return [...new Set([...(begun === undefined ? [] : [begun]), ...later].map(one => one.shards))];
    },
  };
};

const missing = ({ day, shards }: Since, here: number): ShipError =>
  new ShipError(
    `The cluster has ${shards} shards${day === 0 ? '' : ` since ${utcDayName(day)}`}, and --clickhouse names ${here}.`,
  );
