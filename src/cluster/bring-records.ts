/** Brings what is recorded besides hits back from a cluster, an epoch's day of a site at a time. */
import type { Shards } from '../model/shards.ts';
import { dayMs, utcDayOf } from '../model/time.ts';
import { vitalNames } from '../model/vitals.ts';
import { type BroughtRows, broughtRecords } from '../store/brought-records.ts';
import type { CountTable } from '../store/read/record-rows.ts';
import type { Bringing } from './bring-days.ts';
import { rowsFrom } from './day-contents.ts';
import { recordRows, storedTables } from './record-tables.ts';

/** Epochs with records of a site. */
type Found = Map<number, Set<string>>;

/** Days before today that are not here; what is interrupted is gone on with by the next call. */
export const bringRecords = async (
  { db, shards, node, isCopy = false, now }: Bringing,
  siteIds: readonly number[],
): Promise<void> => {
  const first = shards[0]!;
  const own = String(node);
  const here = broughtRecords(db);
  const all = [0, ...siteIds];
  const begin = await firstDay(first);
  if (begin === null) return;
  for (let day = begin; day < utcDayOf(now()); day++) {
    for (const [siteId, epochs] of await epochsOf(first, all, day))
      for (const epoch of [...epochs].sort()) {
        if ((epoch === own && !isCopy) || here.has(siteId, day, epoch)) continue;
        const rows = await rowsOf(first, siteId, day, epoch);
        if (epoch !== own) here.add(siteId, day, epoch, rows);
        else here.replaceLess(siteId, day, epoch, rows);
      }
  }
};

type Replicas = Shards[number];

const firstDay = async (first: Replicas): Promise<number | null> => {
  const days = storedTables.map(async table => {
    const [row] = await rowsFrom(first, `select count(), min(at) from ${table}`);
    const [count, at] = row!.map(Number) as [number, number];
    return count === 0 ? [] : [utcDayOf(table === 'vital_report' ? at : at * 1000)];
  });
  const found = (await Promise.all(days)).flat();
  return found.length === 0 ? null : Math.min(...found);
};

const epochsOf = async (first: Replicas, siteIds: readonly number[], day: number): Promise<Found> => {
  const found: Found = new Map();
  for (const table of storedTables) {
    const rows = recordRows(table, day * dayMs, (day + 1) * dayMs, `site in (${siteIds.join(', ')})`);
    const sql = `select site, toString(epoch) from ${rows} group by site, epoch order by site, epoch`;
    for (const [site, epoch] of await rowsFrom(first, sql))
      found.set(Number(site), (found.get(Number(site)) ?? new Set()).add(String(epoch)));
  }
  return found;
};

const rowsOf = async (first: Replicas, siteId: number, day: number, epoch: string): Promise<BroughtRows> => {
  const read = (table: (typeof storedTables)[number], columns: string): Promise<unknown[][]> => {
    const conditions = [`site = ${siteId}`, `epoch = toUInt64(${epoch})`];
    return rowsFrom(
      first,
      `select ${columns} from ${recordRows(table, day * dayMs, (day + 1) * dayMs, ...conditions)}`,
    );
  };
  const [vitals, counts] = await Promise.all([
    read('vital_report', `at, path, device, ${vitalNames}`),
    read('record_count', 'kind, at, name, text, status, count'),
  ]);
  return {
    vitals: vitals.map(([at, path, device, ...values]) => ({
      ...{ at: Number(at), path: String(path), device: String(device) },
      values: values.map(value => (value === null ? null : Number(value))),
    })),
    counts: counts.map(([table, at, name, text, status, count]) => ({
      ...{ table: table as CountTable, at: Number(at) * 1000, name: String(name), text: String(text) },
      ...{ status: Number(status), count: Number(count) },
    })),
  };
};
