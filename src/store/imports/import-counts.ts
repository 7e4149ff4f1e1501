/**
 * What imports count beside hits, in the tables of records, and how it is taken back. Each piece is
 * noted in the transaction that counts it: so it is known what to take back, and that it is not
 * taken back twice.
 */
import type { Outcome } from '../../model/outcomes.ts';
import { dayMs } from '../../model/time.ts';
import { vitalNames } from '../../model/vitals.ts';
import type { Database } from '../database.ts';
import { type CountTable, countTables } from '../read/record-rows.ts';
import { inserter } from '../tables.ts';
import type { VitalRecord } from '../write/recorder.ts';

/** What an import counts of a day beside hits. Texts are ids. */
export interface DayRecords {
  crawls: { quarter: number; name: number; path: number; status: number; crawls: number }[];
  outcomes: { hour: number; outcome: Outcome; hits: number }[];
  otherTexts: { hour: number; kind: string; bound: string; texts: number }[];
  vitals: (Omit<VitalRecord, 'siteId' | 'path' | 'device' | 'importId'> & { path: number; device: number })[];
}

export interface ImportCounts {
  /** Adds the `number`th piece of a day's counts, at most `recordsAtOnce` rows: a transaction. */
  add(siteId: number, day: number, importId: number, number: number, records: DayRecords): void;
  /** Takes back all counts while the days are still there; each `next()` is one transaction. */
  drop(siteId: number, importId: number): Generator<void>;
}

/**
 * What is noted of a piece: vitals tell by themselves which import brought them. Earlier versions
 * counted no other texts.
 */
export type NotedRecords = Omit<DayRecords, 'vitals' | 'otherTexts'> & Partial<Pick<DayRecords, 'otherTexts'>>;

/** Vitals that are deleted in one transaction, and looked at for one. */
const vitalsAtOnce = 1000;

export const importCounts = (db: Database): ImportCounts => {
  const addVital = vitalAdder(db);
  const count = counters(db);
  const addNote = db.prepare(
    'insert into import_count (site_id, import_id, day, number, counted) values (?, ?, ?, ?, ?)',
  );
  const ofImport = 'site_id = @siteId and import_id = @importId';
  const notesOf = db.prepare(`select day, number from import_count where ${ofImport}`);
  const takeNote = db
    .prepare(`delete from import_count where ${ofImport} and day = @day and number = @number returning counted`)
    .pluck();
  const takeNoted = db.transaction((piece: { siteId: number; importId: number; day: number; number: number }): void => {
    count('take', piece.siteId, JSON.parse(takeNote.get(piece) as string) as NotedRecords);
  });
  const vitals = db.prepare(
    `select id, at, import_id as importId from vital
       where site_id = ? and at < ? and (at, id) > (?, ?) order by at, id limit ${vitalsAtOnce}`,
  );
  const dropVital = db.prepare('delete from vital where id = ?');
  const dropVitals = db.transaction((ids: readonly number[]): void => {
    for (const id of ids) dropVital.run(id);
  });
  const spanOf = db.prepare(
    'select min(day) as first, max(day) as last from day_part where site_id = ? and import_id = ?',
  );
  /** Looks at all vitals of the site on the days of the import: no index knows of imports. */
  function* dropVitalsOf(siteId: number, importId: number): Generator<void> {
    type Row = { id: number; at: number; importId: number };
    const span = spanOf.get(siteId, importId) as { first: number | null; last: number };
    if (span.first === null) return;
    for (let last = { at: span.first * dayMs - 1, id: 0 }; ; ) {
      const rows = vitals.all(siteId, (span.last + 1) * dayMs, last.at, last.id) as Row[];
      if (rows.length === 0) return;
      last = rows.at(-1)!;
      const ids = rows.flatMap(row => (row.importId === importId ? row.id : []));
      if (ids.length > 0) dropVitals.immediate(ids);
      yield;
    }
  }
  return {
    add: db.transaction((siteId: number, day: number, importId: number, number: number, records: DayRecords) => {
      const { vitals: reported, ...noted } = records;
      count('add', siteId, noted);
      for (const row of reported) addVital({ ...row, siteId, importId });
      if (lists.some(list => noted[list].length > 0)) addNote.run(siteId, importId, day, number, JSON.stringify(noted));
    }).immediate as ImportCounts['add'],
    *drop(siteId: number, importId: number): Generator<void> {
      for (const piece of notesOf.all({ siteId, importId }) as { day: number; number: number }[]) {
        takeNoted.immediate({ siteId, importId, ...piece });
        yield;
      }
      yield* dropVitalsOf(siteId, importId);
    },
  };
};

/** Rows of records in one transaction: some milliseconds. */
export const recordsAtOnce = 150;

const vitalAdder = (db: Database) =>
  inserter<DayRecords['vitals'][number] & { siteId: number; importId: number }>(db, 'vital', {
    ...{ id: () => null, site_id: row => row.siteId, at: row => row.at, path: row => row.path },
    ...{ device: row => row.device, import_id: row => row.importId, epoch: () => 0 },
    ...Object.fromEntries(vitalNames.map(name => [name, (row: DayRecords['vitals'][number]) => row[name]])),
  });

/** Which table of counters each list is of. Fields of rows are named as its columns. */
const tableOf = { crawls: 'crawl', outcomes: 'outcome', otherTexts: 'other_text' } as const satisfies Record<
  string,
  CountTable
>;
const lists = Object.keys(tableOf) as (keyof typeof tableOf)[];

/** Adds all rows that are counted, or takes them away again. */
const counters = (db: Database) => {
  const all = lists.map(list => {
    const table = tableOf[list];
    const { time, key, count } = countTables[table];
    const columns = [time, ...key];
    const ofRow = ['site_id = @siteId', 'epoch = 0', ...columns.map(name => `${name} = @${name}`)].join(' and ');
    return {
      list,
      add: [
        db.prepare(
          `insert into ${table} (site_id, epoch, ${columns}, ${count})
           values (@siteId, 0, ${columns.map(name => `@${name}`)}, @${count})
           on conflict do update set ${count} = ${count} + excluded.${count}`,
        ),
      ],
      take: [
        db.prepare(`update ${table} set ${count} = ${count} - @${count} where ${ofRow}`),
        db.prepare(`delete from ${table} where ${ofRow} and ${count} <= 0`),
      ],
    };
  });
  return (change: 'add' | 'take', siteId: number, noted: NotedRecords): void => {
    for (const { list, [change]: steps } of all)
      for (const row of noted[list] ?? []) for (const step of steps) step.run({ ...row, siteId });
  };
};
