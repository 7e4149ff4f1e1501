/**
 * What is recorded besides hits, slot by slot: a slot is a minute of vitals or an hour of counts of
 * one site. So that slots which changed can be told from those that did not, each has a mark.
 */

import { hourMs, minuteMs } from '../../model/time.ts';
import { vitalNames } from '../../model/vitals.ts';
import type { Database } from '../database.ts';
import { textReader } from '../texts.ts';
import { crawlSlotMs } from '../write/recorder.ts';

export const recordTables = ['vital', 'crawl', 'outcome', 'other_text'] as const;
export type RecordTable = (typeof recordTables)[number];

/** Milliseconds of a slot. */
export const slotMs: Readonly<Record<RecordTable, number>> = {
  ...{ vital: minuteMs, crawl: hourMs, outcome: hourMs, other_text: hourMs },
};

export interface Slot {
  siteId: number;
  /** UTC milliseconds / slotMs. */
  slot: number;
  /** Another one whenever the rows are others. */
  mark: number;
}

/** Texts stand for their ids; null is empty. */
export interface RecordRows {
  vital: { id: number; at: number; path: string; device: string; values: (number | null)[] };
  crawl: { quarter: number; name: string; path: string; status: number; crawls: number };
  outcome: { outcome: string; hits: number };
  other_text: { kind: string; bound: string; texts: number };
}

export interface RecordSlots {
  /** The whole slots with rows between two moments: of all sites, and of hits without a site. */
  slots(table: RecordTable, from: number, to: number): Slot[];
  rows<T extends RecordTable>(table: T, siteId: number, slot: number): RecordRows[T][];
  /** The first UTC millisecond of a slot with rows; null when there is none. */
  firstAt(): number | null;
}

/** A mark holds the count and a sum over the rows; both fit in what a double holds. */
const markOf = (sum: string): string => `count(*) * 1073741824 + sum((${sum}) % 1073741789) % 1073741824`;

const slotsPerUnit = hourMs / crawlSlotMs;
const queries: Readonly<Record<RecordTable, { time: string; unitMs: number; sum: string }>> = {
  vital: { time: 'at', unitMs: 1, sum: 'r.id' },
  crawl: {
    time: 'quarter',
    unitMs: crawlSlotMs,
    sum: 'quarter * 524287 + name * 8191 + path * 131 + status + crawls * 1000003',
  },
  outcome: { time: 'hour', unitMs: hourMs, sum: 'hits * (1 + 37 * unicode(outcome) + length(outcome))' },
  other_text: { time: 'hour', unitMs: hourMs, sum: 'texts * (1 + 37 * unicode(kind) + length(bound))' },
};

export const recordSlots = (db: Database): RecordSlots => {
  const { text } = textReader(db);
  const textOf = (siteId: number, id: number): string => text(siteId, id) ?? '';
  const select = (table: RecordTable) => {
    const { time, unitMs, sum } = queries[table];
    // The sites first: they lead every index.
    return db.prepare(
      `select s.id as siteId, r.${time} / ${slotMs[table] / unitMs} as slot, ${markOf(sum)} as mark
       from (select id from site union all select 0 as id) s
       cross join ${table} r on r.site_id = s.id and r.${time} >= ? and r.${time} < ? group by 1, 2`,
    );
  };
  const selects = new Map(recordTables.map(table => [table, select(table)]));
  const vitalRows = db
    .prepare(
      `select id, at, path, device, ${vitalNames} from vital where site_id = ? and at >= ? and at < ? order by id`,
    )
    .raw();
  const crawlRows = db.prepare(
    'select quarter, name, path, status, crawls from crawl where site_id = ? and quarter >= ? and quarter < ?',
  );
  const outcomeRows = db.prepare('select outcome, hits from outcome where site_id = ? and hour = ?');
  const otherTextRows = db.prepare('select kind, bound, texts from other_text where site_id = ? and hour = ?');
  const firsts = recordTables.map(table => {
    const { time, unitMs } = queries[table];
    const of = `(select min(${time}) from ${table} where site_id = s.id) * ${unitMs}`;
    return db.prepare(`select min(${of}) from (select id from site union all select 0 as id) s`).pluck();
  });

  const readers: { [T in RecordTable]: (siteId: number, slot: number) => RecordRows[T][] } = {
    vital: (siteId, slot) =>
      (vitalRows.all(siteId, slot * minuteMs, (slot + 1) * minuteMs) as [number, number, number, number][]).map(
        ([id, at, path, device, ...values]) => ({
          ...{ id, at, path: textOf(siteId, path), device: textOf(siteId, device), values },
        }),
      ),
    crawl: (siteId, slot) =>
      (crawlRows.all(siteId, slot * slotsPerUnit, (slot + 1) * slotsPerUnit) as CrawlRow[]).map(row => {
        return { ...row, name: textOf(siteId, row.name), path: textOf(siteId, row.path) };
      }),
    outcome: (siteId, slot) => outcomeRows.all(siteId, slot) as RecordRows['outcome'][],
    other_text: (siteId, slot) => otherTextRows.all(siteId, slot) as RecordRows['other_text'][],
  };
  return {
    slots(table, from, to) {
      const { unitMs } = queries[table];
      return selects.get(table)!.all(Math.floor(from / unitMs), Math.ceil(to / unitMs)) as Slot[];
    },
    rows: (table, siteId, slot) => readers[table](siteId, slot),
    firstAt() {
      const found = firsts.flatMap(first => (first.get() as number | null) ?? []);
      return found.length === 0 ? null : Math.min(...found);
    },
  };
};

type CrawlRow = { quarter: number; name: number; path: number; status: number; crawls: number };
