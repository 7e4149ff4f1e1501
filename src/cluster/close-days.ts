/**
 * Closes days of collectors: what `collected_hit` has of a day that is over becomes a whole day of
 * `hit`, all sites and collectors at once, so that nothing is sent again. What comes later counts
 * beside it, and the day is closed once more. Collectors forget a hit only when they find it in a
 * closed day (prove-days.ts), so a mistake here delays and loses nothing.
 */
import type { Shards } from '../model/shards.ts';
import type { Site } from '../model/site.ts';
import { dayMs, minuteMs } from '../model/time.ts';
import { saidByAll } from './all-replicas.ts';
import { sendToShard, statementMs } from './client.ts';
import { type DayContent, type NodeDay, rowsFrom, ShipError, settleDay } from './day-contents.ts';
import { dropDay, openDays } from './open-partitions.ts';
import type { DayRuler } from './rule-days.ts';
import { collectorsNode, columnList, dayStates } from './schema.ts';
import { type DayNote, revisionAt, type ShippedDay, shippedTable, shippedText } from './shipped.ts';

/** Visits tell of themselves for half an hour. */
const overForMs = 35 * minuteMs;
/** A day that was closed is closed again after this at the earliest. */
const againMs = 10 * minuteMs;
/** Closing takes no longer: a process that slept meanwhile says nothing. */
const closingS = 600;

/** Rejects as `send` does, and with ShipError. */
export type CloseDays = (sites: readonly Pick<Site, 'id' | 'uuid'>[], now: number) => Promise<void>;

/**
 * Closes the days of sites that are over by now, and drops what is in closed days. What rules leave
 * of a day counts from the same moment.
 */
export const dayCloser = (shards: Shards, { leave }: Pick<DayRuler, 'leave'> = noRules): CloseDays => {
  const shipped = shippedTable(shards[0]!);
  const closedAt = new Map<string, number>();

  /** Whether all of a day is in the closed one. */
  const isClosed = async ({ id: siteId, uuid }: Pick<Site, 'id' | 'uuid'>, day: number, now: number) => {
    const of: NodeDay = { siteId, day, node: collectorsNode };
    const parts = (await shipped.days(siteId)).filter(one => one.day === day);
    const known = parts.find(({ node }) => node === collectorsNode);
    const rows = rowsOf(of, known);
    const wanted = await Promise.all(shards.map(replicas => contentOf(replicas, rows.all)));
    const there = await Promise.all(shards.map(replicas => contentOf(replicas, rows.closed)));
    if (JSON.stringify(wanted) === JSON.stringify(there)) return true;
    const key = `${siteId} ${day}`;
    if (now - (closedAt.get(key) ?? Number.NEGATIVE_INFINITY) < againMs) return false;
    closedAt.set(key, now);
    const others = parts.filter(one => one !== known);
    const notesOf = async (closed: ShippedDay): Promise<DayNote[]> => {
      const ruled = await leave({ id: siteId, uuid }, day, [...others, closed], now);
      return ruled === null ? [] : [ruled];
    };
    await close(shards, of, { uuid, rows: rows.all, now, least: wanted.map(([hits]) => Number(hits)), notesOf });
    return false;
  };

  return async (sites, now) => {
    for (const [key, at] of closedAt) if (now - at > againMs) closedAt.delete(key);
    const known = new Map(sites.map(site => [site.id, site]));
    let failure: Error | undefined;
    /** Other days are closed all the same. */
    const failed = (error: Error): false => {
      failure ??= error;
      return false;
    };
    for (const day of (await openDays(shards)).collected_hit) {
      if ((day + 1) * dayMs + overForMs > now) continue;
      const sql = `select distinct site from collected_hit where day = toDate(${day})`;
      const found = (await Promise.all(shards.map(replicas => rowsFrom(replicas, sql)))).flat(2).map(Number);
      const settled = await shipped.settledOn(day);
      let isDone = true;
      for (const id of new Set(found)) {
        const site = known.get(id);
        // A site that is unknown here may come back.
        const isWhole = site !== undefined && (await isClosed(site, day, now).catch(failed));
        if (!isWhole || !settled.has(`${id} ${collectorsNode}`)) isDone = false;
      }
      // A hit that comes in between is in no closed day, so its collector sends it again.
      if (isDone) await dropDay(shards, 'collected_hit', day);
    }
    if (failure !== undefined) throw failure;
  };
};

const noRules: Pick<DayRuler, 'leave'> = { leave: async () => null };

/** Gives a part of SQL that reads some columns of rows. */
export type Rows = (columns: string) => string;

/** Of a day, the rows that are closed, and all that count. */
const rowsOf = ({ siteId, day }: NodeDay, known: ShippedDay | undefined): { closed: Rows; all: Rows } => {
  const ofDay = `site = ${siteId} and day = toDate(${day})`;
  const closed: Rows = columns =>
    `select ${columns} from hit where ${ofDay} and node = ${collectorsNode} and revision = ${known?.revision ?? 0}`;
  const union: Rows = columns =>
    `${closed(columns)} union all select ${columns} from collected_hit where ${ofDay}
     and (key, version) not in (${closed('key, version')})`;
  return {
    closed,
    all: columns =>
      `select ${columns} from (${union(columnList)})
       where (key, version) in (select key, max(version) from (${union('key, version')}) group by key)`,
  };
};

/** Of rows of a shard: how many, and the sums of their keys, versions and ids. */
type Content = [hits: string, keys: string, versions: string, ids: string];

/** What all replicas of a shard have: it is looked at again soon where they differ. */
export const contentOf = async (replicas: readonly URL[], rows: Rows): Promise<Content> => {
  const sql = `select toString(count()), toString(sum(key)), toString(sum(version)), toString(sum(id)) from (${rows('key, version, id')})`;
  const contentOn = async (replica: URL) => (await rowsFrom([replica], sql))[0]!.map(String) as Content;
  return saidByAll(replicas, contentOn, { agreeMs: 0 });
};

interface Closing {
  uuid: string;
  rows: Rows;
  now: number;
  /** By shard the hits that there were before. */
  least: readonly number[];
  /** Of a collector of an earlier version, which left it open. */
  isEarlier?: boolean;
  /** What is to be noted with the day. */
  notesOf?(closed: ShippedDay): Promise<DayNote[]>;
}

/** Makes a whole day of rows on each shard, there. */
export const close = async (
  shards: Shards,
  of: NodeDay,
  { uuid, rows, now, least, isEarlier, notesOf }: Closing,
): Promise<void> => {
  const shipped = shippedTable(shards[0]!);
  const [clock] = await rowsFrom(shards[0]!, 'select toUInt32(now())');
  const last = (await shipped.revisions(of)).at(-1)?.revision ?? 0;
  const revision = Math.max(last + 1, revisionAt(now));
  await shipped.note(of, { revision, state: dayStates.begun });
  const closed: DayContent[] = [];
  for (const [shard, [first]] of shards.entries()) {
    const columns = columnList.replace(' revision,', ` toUInt64(${revision}) as closing,`);
    const sql = `insert into hit (${columnList}) ${rows(columns)}`;
    await sendToShard([first!], { sql, settings: { insert_deduplicate: 0 }, timeoutMs: statementMs });
    const inserted = `site = ${of.siteId} and day = toDate(${of.day}) and node = ${of.node} and revision = ${revision}`;
    const [row] = await rowsFrom([first!], `select count(), toString(sum(id)) from hit where ${inserted}`);
    const hits = Number(row![0]);
    if (hits < least[shard]!) throw new ShipError(`Of ${least[shard]} hits of collectors only ${hits} were closed.`);
    closed.push({ hits, ids: BigInt(String(row![1])) });
  }
  await settleDay(shards, of, revision, closed);
  const hits = closed.reduce((sum, ofShard) => sum + ofShard.hits, 0);
  const version = shippedText(uuid, isEarlier ? { state: 'retired' } : { state: 'closed', revision });
  const notes = (await notesOf?.({ ...of, revision, version, hits })) ?? [];
  await shipped.noteBefore(
    [[of, { revision, state: dayStates.whole, version, hits }], ...notes],
    Number(clock![0]) + closingS,
  );
};
