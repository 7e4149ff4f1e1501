/**
 * Brings what is recorded besides hits to a cluster. It is a set there (record-tables.ts), so what
 * may have come, and what copies of a directory share, is sent again as often as need be.
 */
import type { Shards } from '../model/shards.ts';
import { dayMs, hourMs, minuteMs, utcDayOf } from '../model/time.ts';
import type { Database } from '../store/database.ts';
import {
  type CountRow,
  countTableNames,
  countTables,
  type Recorded,
  type RecordReader,
  type RecordSpan,
  type RecordSum,
  type RecordTable,
  recordReader,
  type VitalRow,
} from '../store/read/record-rows.ts';
import { crawlSlotMs } from '../store/write/recorder.ts';
import { sendToShard, statementMs } from './client.ts';
import { rowsFrom } from './day-contents.ts';
import { deleteRows } from './delete-rows.ts';
import { recordColumnList, recordRows, type StoredTable, storedTable } from './record-tables.ts';
import { type RowBinary, rowBinary, textBytes } from './row-binary.ts';

export interface RecordShipper {
  /** Sends what changed of the last minutes; resolves with how many rows were sent. */
  turn(now: number): Promise<number>;
  /** The UTC days from one to another, ascending, of which something is not there as it is here. */
  changedDays(first: number, last: number): Promise<number[]>;
  /** Sends what is not there of a UTC day. The primary takes away what is not here. */
  shipDay(day: number): Promise<number>;
  /** As `shipDay` for all days since one. */
  shipSince(day: number, now: number): Promise<number>;
}

/** How far back a turn looks. Imports and removals change more, which `shipDay` finds. */
export const recentMs = 5 * minuteMs;
const batchBytes = 16 * 1024 * 1024;
/** Days that are compared at once. */
const daysAtOnce = 100;

/** What differs of a site's day. */
interface Difference {
  table: RecordTable;
  siteId: number;
  day: number;
  /** There is something there that is not here. */
  isMore: boolean;
}

/**
 * `node` names what is of no epoch. The primary, 0, forgets nothing that was not taken away, and a
 * collector forgets what has come. Everything rejects as `send` does, and with ShipError.
 */
export const recordShipper = (db: Database, shards: Shards, node: number): RecordShipper => {
  const here = recordReader(db, node);
  const first = shards[0]!;
  const sendRecent = recentSender(here, first);

  const differences = async (from: number, to: number): Promise<Difference[]> => {
    const there = new Map((await sumsThere(first, from, to)).map(sum => [keyOf(sum), sum]));
    const known = new Map(here.sums(from, to).map(sum => [keyOf(sum), sum]));
    return [...new Map([...there, ...known])].flatMap(([key, { table, siteId, day, epoch }]) => {
      const [one, other] = [known.get(key) ?? nothing, there.get(key) ?? nothing];
      // A copy of the directory may have sent more of an epoch, and never less of a counter.
      const isLess = other.rows < one.rows || other.total < one.total;
      const isOther = other.rows > one.rows || other.total > one.total || (!isLess && other.check !== one.check);
      const isMore = node === 0 && epoch === '0' && isOther;
      return isLess || isMore ? [{ table, siteId, day, isMore }] : [];
    });
  };

  const sendDay = async ({ table, siteId, day }: Difference): Promise<number> => {
    const batch = recordBatch(first);
    for (let from = day * dayMs; from < (day + 1) * dayMs; from += hourMs) {
      const span: RecordSpan = { from, to: from + hourMs, siteId };
      if (table === 'vital') for (const row of here.vitals(span)) batch.vital(row);
      else for (const row of here.counts(table, span)) batch.count(table, row);
      if (batch.size() > batchBytes) await batch.send();
    }
    return batch.send();
  };

  const shipDay: RecordShipper['shipDay'] = async day => {
    let rows = 0;
    const found = await differences(day, day);
    for (const one of found) rows += await sendDay(one);
    // More may be there although less was, so it is looked at once more.
    for (const one of node === 0 && found.length > 0 ? await differences(day, day) : []) {
      if (!one.isMore) continue;
      await takeAway(first, one);
      rows += 1 + (await sendDay(one));
    }
    return rows;
  };

  const changedDays: RecordShipper['changedDays'] = async (from, to) => {
    const firstAt = here.firstAt();
    if (firstAt === null) return [];
    const days = new Set<number>();
    // What is older than all that is here was deleted here, as too old.
    for (let day = Math.max(from, utcDayOf(firstAt)); day <= to; day += daysAtOnce)
      for (const of of await differences(day, Math.min(day + daysAtOnce - 1, to))) days.add(of.day);
    return [...days].sort((a, b) => a - b);
  };

  return {
    changedDays,
    shipDay,
    turn: sendRecent,
    async shipSince(from, now) {
      let rows = 0;
      for (const day of await changedDays(from, utcDayOf(now))) rows += await shipDay(day);
      return rows;
    },
  };
};

/** Sends counters that grew and vitals that came since the last turn. */
const recentSender = (here: RecordReader, first: readonly URL[]): RecordShipper['turn'] => {
  const sent = new Map<string, { at: number; count: number }>();
  let lastVital = 0;
  return async now => {
    const [from, to] = [now - recentMs, now + dayMs];
    for (const [key, { at }] of sent) if (at < from - hourMs) sent.delete(key);
    const batch = recordBatch(first);
    const grown = new Map<string, { at: number; count: number }>();
    const isGrown = (key: string, at: number, count: number): boolean => {
      if (sent.get(key)?.count === count) return false;
      grown.set(key, { at, count });
      return true;
    };
    for (const table of countTableNames) {
      const { unitMs } = countTables[table];
      const span = { from: Math.floor(from / unitMs) * unitMs, to };
      for (const row of here.counts(table, span, isGrown)) batch.count(table, row);
    }
    let newest = lastVital;
    for (const row of here.vitals({ from, to }, lastVital)) {
      batch.vital(row);
      newest = Math.max(newest, row.id);
    }
    const rows = await batch.send();
    for (const [key, of] of grown) sent.set(key, of);
    lastVital = newest;
    return rows;
  };
};

/** Rows to be sent together; whichever replica answers takes them. */
const recordBatch = (first: readonly URL[]) => {
  const counts = rowBinary();
  const vitals = rowBinary();
  let rows = 0;
  const insert = async (table: StoredTable, writer: RowBinary): Promise<void> => {
    if (writer.size() === 0) return;
    const sql = `insert into ${table} (${recordColumnList(table)}) format RowBinary`;
    const settings = { insert_deduplicate: 0 };
    await sendToShard(first, { sql, data: writer.take(), settings, timeoutMs: statementMs });
  };
  return {
    count(table: RecordTable, { siteId, at, name, text, status, epoch, count }: CountRow & Recorded): void {
      counts.uint32(siteId);
      counts.bytes(textBytes(table));
      counts.uint32(at / 1000);
      for (const of of [name, text]) counts.bytes(textBytes(of));
      counts.uint16(status);
      counts.uint64(BigInt(epoch));
      counts.uint64(BigInt(count));
      rows++;
    },
    vital({ siteId, at, epoch, id, path, device, values }: VitalRow & Recorded & { id: number }): void {
      vitals.uint32(siteId);
      vitals.uint64(BigInt(at));
      for (const of of [epoch, id]) vitals.uint64(BigInt(of));
      for (const of of [path, device]) vitals.bytes(textBytes(of));
      for (const value of values) {
        vitals.byte(value === null ? 1 : 0);
        if (value !== null) vitals.double(value);
      }
      rows++;
    },
    size: () => counts.size() + vitals.size(),
    /** Resolves with how many rows were sent in all. */
    async send(): Promise<number> {
      await insert('record_count', counts);
      await insert('vital_report', vitals);
      return rows;
    },
  };
};

const keyOf = ({ table, siteId, day, epoch }: RecordSum): string => `${table} ${siteId} ${day} ${epoch}`;

const nothing = { rows: 0, total: 0n, check: 0n };

/** As `RecordReader.sums` gives them, of all epochs. */
const sumsThere = async (first: readonly URL[], from: number, to: number): Promise<RecordSum[]> => {
  const [begin, end] = [from * dayMs, (to + 1) * dayMs];
  const of = 'site, toString(epoch), count()';
  const sums = (...values: string[]): string => values.map(value => `toString(sum(${value}))`).join(', ');
  const slotS = crawlSlotMs / 1000;
  const text = (column: string): string => `(halfMD5(${column}) % 65536)`;
  const check = `intDiv(at, ${slotS}) % ${dayMs / crawlSlotMs} + status + 1 + ${text('name')} + 3 * ${text('text')}`;
  const counters = `select kind, intDiv(at, ${dayMs / 1000}) as day, ${of},
      ${sums('count', `count * (${check})`)}
    from ${recordRows('record_count', begin, end)} group by kind, day, site, epoch`;
  const vitals = `select 'vital', intDiv(at, ${dayMs}) as day, ${of},
      ${sums('1', `at % ${dayMs} + id % 65536`)}
    from ${recordRows('vital_report', begin, end)} group by day, site, epoch`;
  const found = [...(await rowsFrom(first, counters)), ...(await rowsFrom(first, vitals))];
  return found.map(([table, day, siteId, epoch, rows, total, sum]) => ({
    ...{ table: table as RecordTable, day: Number(day), siteId: Number(siteId), epoch: String(epoch) },
    ...{ rows: Number(rows), total: BigInt(String(total)), check: BigInt(String(sum)) },
  }));
};

/** Deletes what is there of the epoch 0 of a site's day, and waits. What is sent then stays. */
const takeAway = async (first: readonly URL[], { table, siteId, day }: Difference): Promise<void> => {
  const [from, where] = storedTable(table, day * dayMs, (day + 1) * dayMs);
  await deleteRows([first], from, `${where} and site = ${siteId} and epoch = 0`, { asked: [first] });
};
