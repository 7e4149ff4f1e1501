/**
 * Records besides hits that were brought from a cluster: those of an epoch's day are written once,
 * in one transaction with a note.
 */
import { dayMs } from '../model/time.ts';
import { vitalNames } from '../model/vitals.ts';
import type { Database } from './database.ts';
import {
  type CountRow,
  type CountTable,
  countTableNames,
  countTables,
  recordTables,
  recordTimes,
  type VitalRow,
} from './read/record-rows.ts';
import { textWriter } from './texts.ts';

export interface BroughtRows {
  vitals: VitalRow[];
  counts: (CountRow & { table: CountTable })[];
}

export interface BroughtRecords {
  has(siteId: number, day: number, epoch: string): boolean;
  /** Adds the records of an epoch's day to what is here, and notes that. */
  add(siteId: number, day: number, epoch: string, rows: BroughtRows): void;
  /** Replaces the records of the day here where these are more and nothing else was added. */
  replaceLess(siteId: number, day: number, epoch: string, rows: BroughtRows): void;
}

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
  const adders = new Map(countTableNames.map(table => [table, countAdder(db, table)]));
  const epochsOf = (siteId: number, day: number): string[] => {
    const note = noteOf.get(siteId, day) as string | undefined;
    // Numbers are of nodes, and epochs since.
    return note === undefined ? [] : (JSON.parse(note) as (string | number)[]).map(String);
  };
  const write = db.transaction((siteId: number, day: number, epoch: string, { vitals, counts }: BroughtRows): void => {
    const id = (text: string): number => texts.id(siteId, text);
    for (const { at, path, device, values } of vitals) addVital.run(siteId, at, id(path), id(device), ...values);
    for (const row of counts) adders.get(row.table)!(siteId, row, id);
    writeNote.run(siteId, day, JSON.stringify([...epochsOf(siteId, day), epoch]));
  });
  const here = recordTables.map(table => {
    const { time, unitMs } = recordTimes[table];
    const counted = table === 'vital' ? 'count(*)' : `sum(${countTables[table].count})`;
    const where = `where site_id = ? and ${time} >= ? and ${time} < ?`;
    const total = db.prepare(`select coalesce(${counted}, 0) from ${table} ${where}`).pluck();
    const drop = db.prepare(`delete from ${table} ${where}`);
    return { total, drop, of: (day: number) => [day * dayMs, (day + 1) * dayMs].map(at => at / unitMs) };
  });
  const replace = db.transaction((siteId: number, day: number, epoch: string, rows: BroughtRows): void => {
    const found = sum(here.map(({ total, of }) => total.get(siteId, ...of(day)) as number));
    const came = rows.vitals.length + sum(rows.counts.map(({ count }) => count));
    if (epochsOf(siteId, day).length > 0 || found >= came) return;
    for (const { drop, of } of here) drop.run(siteId, ...of(day));
    write(siteId, day, epoch, rows);
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
    has: (siteId, day, epoch) => epochsOf(siteId, day).includes(epoch),
    add: (...of) => withTexts(() => write.immediate(...of)),
    replaceLess: (...of) => withTexts(() => replace.immediate(...of)),
  };
};

const countAdder = (db: Database, table: CountTable) => {
  const { time, unitMs, key, count } = countTables[table];
  const add = db.prepare(
    `insert into ${table} (site_id, ${time}, ${count}, ${key}) values (?, ?, ?, ${key.map(() => '?')})
     on conflict do update set ${count} = ${count} + excluded.${count}`,
  );
  return (siteId: number, row: CountRow, idOf: (text: string) => number): void => {
    const parts = [row.name, row.text, row.status].slice(0, key.length);
    const stored = table === 'crawl' ? parts.map(part => (typeof part === 'string' ? idOf(part) : part)) : parts;
    add.run(siteId, row.at / unitMs, row.count, ...stored);
  };
};

const sum = (counts: readonly number[]): number => counts.reduce((all, count) => all + count, 0);
