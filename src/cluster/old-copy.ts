/**
 * A collector that was restored from an old copy of its database does not know what it collected
 * since. Under its number, new visits would take the place of those at the cluster. So it takes
 * another number, and forgets what the cluster has under the old one.
 */
import { setTimeout as wait } from 'node:timers/promises';
import type { Shards } from '../model/shards.ts';
import type { Database } from '../store/database.ts';
import { importsOf } from '../store/day/day-versions.ts';
import type { SiteDay } from '../store/day/open/open-days.ts';
import { type Outbox, outbox } from '../store/outbox.ts';
import { recordTables } from '../store/read/record-slots.ts';
import { sites } from '../store/sites.ts';
import { sendToShard, statementMs } from './client.ts';
import { rowsFrom } from './day-contents.ts';
import { readShipped, shippedTable } from './shipped.ts';

/** The newest visits of the node that are compared. */
const comparedMax = 1000;

/** Numbers of visits: ids of a day do not differ by more. */
const numberMax = 2 ** 32;

/**
 * Looks at what is here at once, and gives what compares it with the cluster: whether that has hits
 * of the node that are not here. Rejects as `send` does.
 */
export const oldCopyCheck = (db: Database): ((shards: Shards, node: number) => Promise<boolean>) => {
  const box = outbox(db);
  const siteIds = sites(db)
    .list()
    .map(({ id }) => id);
  const newestAt = new Map(box.openDays().map(of => [keyOf(of), box.newestAt(of)]));
  const sealed = new Set(box.sealedDays().map(keyOf));

  const isNewer = (row: OpenVisit): boolean => {
    if (sealed.has(keyOf(row))) return false;
    const at = newestAt.get(keyOf(row));
    if (at !== undefined && row.at > at) return true;
    return visitorHere(box, row) !== row.visitor;
  };

  return async (shards, node) => {
    const whole = await wholeDays(shards, node, siteIds);
    if ([...newestAt.keys()].some(key => whole.has(key))) return true;
    const answers = await Promise.all(shards.map(replicas => newestVisits(replicas, node, siteIds)));
    return answers.flat().some(row => !whole.has(keyOf(row)) && isNewer(row));
  };
};

const keyOf = ({ siteId, day }: SiteDay): string => `${siteId} ${day}`;

/** Ids have more bits than numbers after years. */
const visitorHere = (box: Outbox, { siteId, day, number }: OpenVisit): string | undefined => {
  for (let turn = 0; turn < 4; turn++) {
    const found = box.visitorOf({ siteId, day }, turn * numberMax + number);
    if (found !== undefined) return found;
  }
  return undefined;
};

interface OpenVisit extends SiteDay {
  number: number;
  visitor: string;
  /** Of its latest hit, UTC milliseconds. */
  at: number;
  hits: number;
}

/** Visits of a node, each as it was last sent, without those that were taken away. */
const visitsSql = (condition: string): string =>
  `select site, toUInt32(day), bitAnd(visit, ${numberMax - 1}) as number, toString(any(visitor)), max(at) as latest, countIf(type > 0) as hits
   from open_hit where ${condition} and (visit, revision) in (
     select visit, max(revision) from open_hit where ${condition} group by visit
   ) group by site, day, visit having hits > 0`;

const visitOf = (row: unknown[]): OpenVisit => {
  const [siteId, day, number, , at, hits] = row.map(Number) as [number, number, number, number, number, number];
  return { siteId, day, number, visitor: String(row[3]), at, hits };
};

const newestVisits = async (replicas: readonly URL[], node: number, siteIds: readonly number[]) => {
  if (siteIds.length === 0) return [];
  const sql = `${visitsSql(`node = ${node} and site in (${siteIds})`)} order by latest desc limit ${comparedMax}`;
  return (await rowsFrom(replicas, sql)).map(visitOf);
};

/** Days that the cluster has whole of a node. Those of an import may be open, too. */
const wholeDays = async (shards: Shards, node: number, siteIds: readonly number[]): Promise<Set<string>> => {
  const shipped = shippedTable(shards[0]!);
  const found = new Set<string>();
  for (const siteId of siteIds) {
    for (const day of await shipped.days(siteId))
      if (day.node === node && day.version !== '' && importsOf(readShipped(day.version)?.of).length === 0)
        found.add(keyOf(day));
  }
  return found;
};

/**
 * Forgets what the cluster has of a node, whose copy this is, and takes away there what this copy
 * has more of. What is left here is then all of it new to the cluster. Only while no collector
 * runs. Rejects as `send` does; the next call goes on.
 */
export const shedOldCopy = async (db: Database, shards: Shards, node: number): Promise<void> => {
  const box = outbox(db);
  const all = sites(db)
    .list()
    .map(({ id }) => id);
  const whole = await wholeDays(shards, node, all);
  for (const of of box.sealedDays()) {
    if (whole.has(keyOf(of))) box.dropDay(of);
    // It is complete here, and comes again as a whole.
    else await takeAway(shards, `node = ${node} and ${isDay(of)}`);
  }
  for (const of of box.openDays()) {
    if (whole.has(keyOf(of))) box.dropDay(of);
    else await shedOpenDay(box, shards, node, of);
  }
  await shedRecords(box, shards, node);
};

const isDay = ({ siteId, day }: SiteDay): string => `site = ${siteId} and day = toDate(${day})`;

const shedOpenDay = async (box: Outbox, shards: Shards, node: number, of: SiteDay): Promise<void> => {
  const rows = `node = ${node} and ${isDay(of)}`;
  const answers = await Promise.all(shards.map(replicas => rowsFrom(replicas, visitsSql(rows))));
  const there = new Map(answers.flat().map(row => [visitOf(row).number, visitOf(row)]));
  const [known, longer] = [[] as number[], [] as number[]];
  for (const { id, visitor, hits } of box.visits(of)) {
    const found = there.get(id % numberMax);
    if (found?.visitor !== visitor) continue;
    if (found.hits >= hits) known.push(id);
    else longer.push(id);
  }
  if (longer.length > 0) {
    const numbers = longer.map(id => id % numberMax);
    await takeAway(shards, `${rows} and bitAnd(visit, ${numberMax - 1}) in (${numbers})`);
  }
  box.dropVisits(of, known);
};

const pollMs = 100;

/** Deletes rows of open days, and waits until no replica has any. */
const takeAway = async (shards: Shards, rows: string): Promise<void> => {
  const isThere = async (replica: URL): Promise<boolean> =>
    (await rowsFrom([replica], `select count() from open_hit where ${rows}`))[0]![0] !== 0;
  for (const replicas of shards) {
    const found = await Promise.all(replicas.map(isThere));
    if (!found.includes(true)) continue;
    await sendToShard(replicas, { sql: `alter table open_hit delete where ${rows}`, timeoutMs: statementMs });
    for (const replica of replicas) while (await isThere(replica)) await wait(pollMs);
  }
};

/** Slots of which the node sent anything. The first shard has them. */
const shedRecords = async (box: Outbox, shards: Shards, node: number): Promise<void> => {
  for (const table of recordTables) {
    const sql = `select distinct site, slot from ${table} where node = ${node}`;
    for (const [siteId, slot] of await rowsFrom(shards[0]!, sql)) box.dropSlot(table, Number(siteId), Number(slot));
  }
};
