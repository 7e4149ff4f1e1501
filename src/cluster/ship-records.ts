/**
 * Brings what is recorded besides hits to a cluster: slots that changed, as a whole. What was sent
 * with an unknown end is sent again with a greater revision, so nothing is counted twice.
 */
import type { Shards } from '../model/shards.ts';
import { dayMs, minuteMs, utcDayOf } from '../model/time.ts';
import type { Database } from '../store/database.ts';
import {
  type RecordRows,
  type RecordSlots,
  type RecordTable,
  recordSlots,
  recordTables,
  type Slot,
  slotMs,
} from '../store/read/record-slots.ts';
import { send, statementMs } from './client.ts';
import { rowsFrom } from './day-contents.ts';
import { recordColumnList } from './record-tables.ts';
import { type RowBinary, rowBinary, textBytes } from './row-binary.ts';

export interface RecordShipper {
  /** Sends what changed of the last minutes; resolves with how many slots were sent. */
  turn(now: number, revision: number): Promise<number>;
  /**
   * The UTC days from one to another, ascending, of which something is there otherwise than here:
   * one question for each table, however many days they are.
   */
  changedDays(first: number, last: number, options: RecordsTaken): Promise<number[]>;
  /** Sends what is there otherwise than here of a UTC day. */
  shipDay(day: number, revision: number, options: RecordsTaken): Promise<number>;
  /** As `shipDay` for all days since one, and takes away what is not here. */
  shipSince(day: number, now: number, revision: number): Promise<number>;
}

/** Whether what is not here is taken away there: only where this machine forgets nothing. */
export interface RecordsTaken {
  takesAway: boolean;
}

/** How far back a turn looks. Imports and removals change more, which `shipDay` finds. */
export const recentMs = 5 * minuteMs;
/** Rows of slots that are sent at once: fewer than make two blocks of an insert. */
const batchRows = 500_000;
const batchBytes = 16 * 1024 * 1024;
/** Days whose slots are read at once: each reading looks at every site. */
const daysAtOnce = 32;

const keyOf = ({ siteId, slot }: Pick<Slot, 'siteId' | 'slot'>): string => `${siteId} ${slot}`;

/**
 * Each call needs a revision of its own, greater than any before. Everything rejects as `send`
 * does.
 */
export const recordShipper = (db: Database, shards: Shards, node: number): RecordShipper => {
  const here = recordSlots(db);
  const sender = slotSender(here, shards, node);

  const changedDays: RecordShipper['changedDays'] = async (first, last, { takesAway }) => {
    const firstAt = here.firstAt();
    if (firstAt === null) return [];
    // What is older than all that is here was deleted here, as too old.
    const begin = Math.max(first, utcDayOf(firstAt));
    const changed = new Set<number>();
    for (const table of recordTables) {
      const there = await digestsThere(shards, table, node, begin, last);
      for (let day = begin; day <= last; day += daysAtOnce) {
        const slots = here.slots(table, day * dayMs, Math.min(day + daysAtOnce, last + 1) * dayMs);
        for (const [of, digest] of digestsOf(slots, slotMs[table])) {
          if (digest !== there.get(of)) changed.add(of);
          there.delete(of);
        }
      }
      if (takesAway) for (const day of there.keys()) changed.add(day);
    }
    return [...changed].sort((a, b) => a - b);
  };

  const shipDay: RecordShipper['shipDay'] = async (day, revision, { takesAway }) => {
    let count = 0;
    for (const table of recordTables) {
      const [from, to] = [day * dayMs, (day + 1) * dayMs];
      const there = await marksThere(shards, table, node, from, to);
      const slots = here.slots(table, from, to);
      const known = new Set(slots.map(keyOf));
      const changed = slots.filter(slot => there.get(keyOf(slot)) !== slot.mark);
      const gone = takesAway ? [...there].filter(([key, mark]) => mark !== 0 && !known.has(key)) : [];
      const empty = gone.map(([key]): Slot => {
        const [siteId, slot] = key.split(' ').map(Number) as [number, number];
        return { siteId, slot, mark: 0 };
      });
      count += await sender.send(table, [...changed, ...empty], revision);
    }
    return count;
  };

  return {
    changedDays,
    shipDay,
    async turn(now, revision) {
      let count = 0;
      for (const table of recordTables) {
        const from = Math.floor((now - recentMs) / slotMs[table]) * slotMs[table];
        const slots = here.slots(table, from, now + dayMs);
        const sent = sender.sent(table, from);
        count += await sender.send(
          table,
          slots.filter(slot => sent.get(keyOf(slot)) !== slot.mark),
          revision,
        );
      }
      return count;
    },
    async shipSince(first, now, revision) {
      let count = 0;
      const options = { takesAway: true };
      for (const day of await changedDays(first, utcDayOf(now), options))
        count += await shipDay(day, revision, options);
      return count;
    },
  };
};

interface SlotSender {
  /** Resolves with how many they are. */
  send(table: RecordTable, slots: readonly Slot[], revision: number): Promise<number>;
  /** The marks of slots as they were sent last; forgets those before a moment. */
  sent(table: RecordTable, from: number): ReadonlyMap<string, number>;
}

const slotSender = (here: RecordSlots, shards: Shards, node: number): SlotSender => {
  const first = shards[0]!;
  const sent = new Map(recordTables.map(table => [table, new Map<string, number>()]));
  return {
    async send(table, slots, revision) {
      let batch: Slot[] = [];
      let rows = 0;
      const writer = rowBinary();
      const flush = async (): Promise<void> => {
        if (batch.length === 0) return;
        const settings = { insert_deduplicate: 0 };
        const sql = `insert into ${table} (${recordColumnList(table)}) format RowBinary`;
        await send(first[0]!, { sql, data: writer.take(), settings, timeoutMs: statementMs });
        for (const slot of batch) sent.get(table)!.set(keyOf(slot), slot.mark);
        [batch, rows] = [[], 0];
      };
      for (const slot of slots) {
        const found = here.rows(table, slot.siteId, slot.slot);
        writeSlot(writer, table, slot, { node, revision }, found);
        batch.push(slot);
        rows += found.length;
        if (rows > batchRows || writer.size() > batchBytes) await flush();
      }
      await flush();
      return slots.length;
    },
    sent(table, from) {
      const known = sent.get(table)!;
      for (const key of known.keys()) if (Number(key.split(' ')[1]) < from / slotMs[table]) known.delete(key);
      return known;
    },
  };
};

/**
 * By UTC day what tells whether its slots are the same: their number, and a sum over their marks.
 */
const digestsOf = (slots: readonly Slot[], unitMs: number): Map<number, string> => {
  const sums = new Map<number, { slots: number; sum: bigint }>();
  for (const { siteId, slot, mark } of slots) {
    const day = utcDayOf(slot * unitMs);
    const of = sums.get(day) ?? { slots: 0, sum: 0n };
    sums.set(day, { slots: of.slots + 1, sum: of.sum + BigInt(mark) * BigInt(siteId * 31 + slot) });
  }
  return new Map([...sums].map(([day, of]) => [day, `${of.slots} ${BigInt.asUintN(64, of.sum)}`]));
};

/** By UTC day, as `digestsOf` gives it, what a node sent last. */
const digestsThere = async (
  [replicas]: Shards,
  table: RecordTable,
  node: number,
  first: number,
  last: number,
): Promise<Map<number, string>> => {
  const perDay = dayMs / slotMs[table];
  const marks = `select site, slot, argMax(mark, revision) as last from ${table}
    where node = ${node} and isMark = 1 and slot >= ${first * perDay} and slot < ${(last + 1) * perDay} group by site, slot`;
  const sql = `select intDiv(slot, ${perDay}) as day, count(), toString(sum(last * (toUInt64(site) * 31 + slot)))
    from (${marks}) where last > 0 group by day`;
  const rows = await rowsFrom(replicas!, sql);
  return new Map(rows.map(([day, slots, sum]) => [Number(day), `${slots} ${sum}`]));
};

/** By site and slot the marks that a node sent last; 0 where nothing is left. */
const marksThere = async (
  [first]: Shards,
  table: RecordTable,
  node: number,
  from: number,
  to: number,
): Promise<Map<string, number>> => {
  const [begin, end] = [from, to].map(at => Math.floor(at / slotMs[table]));
  const rows = await rowsFrom(
    first!,
    `select site, slot, argMax(mark, revision) from ${table}
     where node = ${node} and slot >= ${begin} and slot < ${end} and isMark = 1 group by site, slot`,
  );
  return new Map(rows.map(([siteId, slot, mark]) => [`${siteId} ${slot}`, Number(mark)]));
};

const writeSlot = <T extends RecordTable>(
  to: RowBinary,
  table: T,
  { siteId, slot, mark }: Slot,
  { node, revision }: { node: number; revision: number },
  rows: readonly RecordRows[T][],
): void => {
  const head = (isMark: boolean): void => {
    to.uint32(siteId);
    to.uint32(slot);
    to.uint16(node);
    to.uint64(BigInt(revision));
    to.byte(isMark ? 1 : 0);
    to.uint64(BigInt(isMark ? mark : 0));
  };
  head(true);
  writers[table](to, nothing[table]);
  for (const row of rows) {
    head(false);
    writers[table](to, row);
  }
};

const nothing: RecordRows = {
  vital: { id: 0, at: 0, path: '', device: '', values: [null, null, null, null, null] },
  crawl: { quarter: 0, name: '', path: '', status: 0, crawls: 0 },
  outcome: { outcome: '', hits: 0 },
  other_text: { kind: '', bound: '', texts: 0 },
};

const writers: { [T in RecordTable]: (to: RowBinary, row: RecordRows[T]) => void } = {
  vital(to, { id, at, path, device, values }) {
    to.uint64(BigInt(id));
    to.uint64(BigInt(at));
    for (const text of [path, device]) to.bytes(textBytes(text));
    for (const value of values) {
      to.byte(value === null ? 1 : 0);
      if (value !== null) to.double(value);
    }
  },
  crawl(to, { quarter, name, path, status, crawls }) {
    to.uint32(quarter);
    for (const text of [name, path]) to.bytes(textBytes(text));
    to.uint16(status);
    to.uint64(BigInt(crawls));
  },
  outcome(to, { outcome, hits }) {
    to.bytes(textBytes(outcome));
    to.uint64(BigInt(hits));
  },
  other_text(to, { kind, bound, texts }) {
    for (const text of [kind, bound]) to.bytes(textBytes(text));
    to.uint64(BigInt(texts));
  },
};
