/** Brings what is recorded besides hits back from a cluster, a node's day of a site at a time. */
import type { Shards } from '../model/shards.ts';
import { dayMs, utcDayOf } from '../model/time.ts';
import { vitalNames } from '../model/vitals.ts';
import { type BroughtRows, broughtRecords } from '../store/brought-records.ts';
import { type RecordTable, recordTables, slotMs } from '../store/read/record-slots.ts';
import type { Bringing } from './bring-days.ts';
import { rowsFrom } from './day-contents.ts';
import { recordRows } from './record-tables.ts';

/** Nodes with records of a site. */
type Found = Map<number, Set<number>>;

/** Days before today that are not here; what is interrupted is gone on with by the next call. */
export const bringRecords = async (
  { db, shards, node: own, isCopy = false, now }: Bringing,
  siteIds: readonly number[],
): Promise<void> => {
  const first = shards[0]!;
  const here = broughtRecords(db);
  const all = [0, ...siteIds];
  const begin = await firstDay(first);
  if (begin === null) return;
  for (let day = begin; day < utcDayOf(now()); day++) {
    for (const [siteId, nodes] of await nodesOf(first, all, day))
      for (const node of [...nodes].sort((a, b) => a - b)) {
        if ((node === own && !isCopy) || here.has(siteId, day, node)) continue;
        const rows = await rowsOf(first, siteId, day, node);
        if (node !== own) here.add(siteId, day, node, rows);
        else here.replaceLess(siteId, day, node, rows);
      }
  }
};

type Replicas = Shards[number];

const firstDay = async (first: Replicas): Promise<number | null> => {
  const days = recordTables.map(async table => {
    const [row] = await rowsFrom(first, `select count(), min(slot) from ${table}`);
    const [count, slot] = row!.map(Number) as [number, number];
    return count === 0 ? [] : [utcDayOf(slot * slotMs[table])];
  });
  const found = (await Promise.all(days)).flat();
  return found.length === 0 ? null : Math.min(...found);
};

const slotsOf = (table: RecordTable, day: number): [first: number, last: number] => {
  const perDay = dayMs / slotMs[table];
  return [day * perDay, (day + 1) * perDay - 1];
};

const nodesOf = async (first: Replicas, siteIds: readonly number[], day: number): Promise<Found> => {
  const found: Found = new Map();
  for (const table of recordTables) {
    const rows = recordRows(table, siteIds, ...slotsOf(table, day));
    for (const row of await rowsFrom(first, `select site, node from ${rows} group by site, node order by site, node`)) {
      const [siteId, node] = row.map(Number) as [number, number];
      found.set(siteId, (found.get(siteId) ?? new Set()).add(node));
    }
  }
  return found;
};

const rowsOf = async (first: Replicas, siteId: number, day: number, node: number): Promise<BroughtRows> => {
  const read = (table: RecordTable, columns: string): Promise<unknown[][]> =>
    rowsFrom(first, `select ${columns} from ${recordRows(table, [siteId], ...slotsOf(table, day), node)}`);
  const [vitals, crawls, outcomes, texts] = await Promise.all([
    read('vital', `at, path, device, ${vitalNames}`),
    read('crawl', 'quarter, name, path, status, crawls'),
    read('outcome', 'slot, outcome, hits'),
    read('other_text', 'slot, kind, bound, texts'),
  ]);
  return {
    vital: vitals.map(([at, path, device, ...values]) => ({
      ...{ at: Number(at), path: String(path), device: String(device) },
      values: values.map(value => (value === null ? null : Number(value))),
    })),
    crawl: crawls.map(([quarter, name, path, status, count]) => ({
      ...{ quarter: Number(quarter), name: String(name), path: String(path) },
      ...{ status: Number(status), crawls: Number(count) },
    })),
    outcome: outcomes.map(([hour, outcome, hits]) => {
      return { hour: Number(hour), outcome: String(outcome), hits: Number(hits) };
    }),
    other_text: texts.map(([hour, kind, bound, count]) => {
      return { hour: Number(hour), kind: String(kind), bound: String(bound), texts: Number(count) };
    }),
  };
};
