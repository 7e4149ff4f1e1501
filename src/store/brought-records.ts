/**
 * Records besides hits that were brought from a cluster: those of a node's day are written once, in
 * one transaction with a note.
 */
import { dayMs, hourMs } from '../model/time.ts';
import { vitalNames } from '../model/vitals.ts';
import type { Database } from './database.ts';
import type { RecordRows } from './read/record-slots.ts';
import { textWriter } from './texts.ts';
import { crawlSlotMs } from './write/recorder.ts';

/** Rows of a slot of an hour name it; others have their own time. */
export interface BroughtRows {
  vital: Omit<RecordRows['vital'], 'id'>[];
  crawl: RecordRows['crawl'][];
  outcome: (RecordRows['outcome'] & { hour: number })[];
  other_text: (RecordRows['other_text'] & { hour: number })[];
}

export interface BroughtRecords {
  has(siteId: number, day: number, node: number): boolean;
  /** Adds the records of a node's day to what is here, and notes that. */
  add(siteId: number, day: number, node: number, rows: BroughtRows): void;
  /** Replaces the records of this node's day where its own are more and nothing else was added. */
  replaceLess(siteId: number, day: number, node: number, rows: BroughtRows): void;
}

/** By table its time, the milliseconds of its unit, and what is counted of it. */
const tables = [
  ['vital', 'at', 1, 'count(*)'],
  ['crawl', 'quarter', crawlSlotMs, 'sum(crawls)'],
  ['outcome', 'hour', hourMs, 'sum(hits)'],
  ['other_text', 'hour', hourMs, 'sum(texts)'],
] as const;

export const broughtRecords = (db: Database): BroughtRecords => {
  const noteOf = db.prepare('select records from brought_day where site_id = ? and day = ?').pluck();
  const writeNote = db.prepare(
    `insert into brought_day (site_id, day, records) values (?, ?, ?)
     on conflict do update set records = excluded.records`,
  );
  const texts = textWriter(db);
  const addVital = db.prepare(
    `insert into vital (site_id, at, path, device, ${vitalNames}) values (?, ?, ?, ?, ${vitalNames.map(() => '?')})`,
  );
  const addCrawl = db.prepare(
    `insert into crawl (site_id, quarter, name, path, status, crawls) values (?, ?, ?, ?, ?, ?)
     on conflict do update set crawls = crawls + excluded.crawls`,
  );
  const addOutcome = db.prepare(
    `insert into outcome (site_id, hour, outcome, hits) values (?, ?, ?, ?)
     on conflict do update set hits = hits + excluded.hits`,
  );
  const addOtherText = db.prepare(
    `insert into other_text (site_id, hour, kind, bound, texts) values (?, ?, ?, ?, ?)
     on conflict do update set texts = texts + excluded.texts`,
  );
  const nodesOf = (siteId: number, day: number): number[] => {
    const note = noteOf.get(siteId, day) as string | undefined;
    return note === undefined ? [] : JSON.parse(note);
  };
  const write = db.transaction((siteId: number, day: number, node: number, rows: BroughtRows): void => {
    const id = (text: string): number => texts.id(siteId, text);
    for (const { at, path, device, values } of rows.vital) addVital.run(siteId, at, id(path), id(device), ...values);
    for (const { quarter, name, path, status, crawls } of rows.crawl)
      addCrawl.run(siteId, quarter, id(name), id(path), status, crawls);
    for (const { hour, outcome, hits } of rows.outcome) addOutcome.run(siteId, hour, outcome, hits);
    for (const { hour, kind, bound, texts: count } of rows.other_text)
      addOtherText.run(siteId, hour, kind, bound, count);
    writeNote.run(siteId, day, JSON.stringify([...nodesOf(siteId, day), node]));
  });
  const ownOf = tables.map(([table, time, unitMs, counted]) => {
    const where = `where site_id = ? and ${time} >= ? and ${time} < ?`;
    const total = db.prepare(`select coalesce(${counted}, 0) from ${table} ${where}`).pluck();
    const drop = db.prepare(`delete from ${table} ${where}`);
    return { total, drop, of: (day: number) => [day * dayMs, (day + 1) * dayMs].map(at => at / unitMs) };
  });
  const replace = db.transaction((siteId: number, day: number, node: number, rows: BroughtRows): void => {
    const here = sum(ownOf.map(({ total, of }) => total.get(siteId, ...of(day)) as number));
    if (nodesOf(siteId, day).length > 0 || here >= totalOf(rows)) return;
    for (const { drop, of } of ownOf) drop.run(siteId, ...of(day));
    write(siteId, day, node, rows);
  });
  const withTexts = (work: () => void): void => {
    try {
      work();
      texts.keep();
    } catch (error) {
      texts.forget();
      throw error;
    }
  };
  return {
    has: (siteId, day, node) => nodesOf(siteId, day).includes(node),
    add: (...of) => withTexts(() => write.immediate(...of)),
    replaceLess: (...of) => withTexts(() => replace.immediate(...of)),
  };
};

const sum = (counts: readonly number[]): number => counts.reduce((all, count) => all + count, 0);

const totalOf = ({ vital, crawl, outcome, other_text: otherText }: BroughtRows): number => {
  const counts = [
    crawl.map(({ crawls }) => crawls),
    outcome.map(({ hits }) => hits),
    otherText.map(({ texts }) => texts),
  ];
  return vital.length + sum(counts.flat());
};
