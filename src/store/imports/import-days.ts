/**
 * The days of an import: written part by part beside what was collected, counted, and taken back.
 * Each write is one short transaction, so that a server goes on beside it.
 */
import { eventTypes, hitTypes } from '../../model/hit.ts';
import type { Database } from '../database.ts';
import type { Day } from '../day/day.ts';
import { type Part, storedName } from '../day/part.ts';
import { encoded } from '../day/seal.ts';
import { inserter } from '../tables.ts';

/** What is on record of a part. */
interface PartRow {
  siteId: number;
  day: number;
  importId: number;
  number: number;
  parts: number;
  visits: number;
  hashVisits: number;
  hits: number;
  firstAt: number;
  lastAt: number;
  bytes: number;
  visitors: number;
  pageviews: number;
  events: number;
}

export interface ImportDays {
  /** UTC days that are written. */
  written(importId: number): Set<number>;
  /** Writes the columns of a part; each `next()` is one short transaction. */
  addPart(importId: number, day: Day): Generator<void, PartRow>;
  /** Makes parts the truth of a day. */
  addDay(siteId: number, day: number, importId: number, parts: readonly PartRow[]): void;
  /** Takes a day back; each `next()` is one short transaction. */
  drop(siteId: number, day: number, importId: number): Generator<void>;
  /** Deletes columns that an interrupted import has left. */
  dropRest(siteId: number, importId: number): Generator<void>;
}

export const importDays = (db: Database): ImportDays => {
  const written = db.prepare('select distinct day from import_day where import_id = ?').pluck();
  const insertColumn = db.prepare(
    'insert or replace into sealed_column (site_id, day, name, data) values (?, ?, ?, ?)',
  );
  const insertColumns = db.transaction((siteId: number, day: number, columns: readonly StoredColumn[]): void => {
    for (const { name, data } of columns) insertColumn.run(siteId, day, name, data);
  });
  const insertPart = inserter<PartRow>(db, 'import_day', {
    ...{ site_id: row => row.siteId, day: row => row.day, import_id: row => row.importId, number: row => row.number },
    ...{
      parts: row => row.parts,
      visits: row => row.visits,
      hash_visits: row => row.hashVisits,
      hits: row => row.hits,
    },
    ...{ first_at: row => row.firstAt, last_at: row => row.lastAt, bytes: row => row.bytes, version: () => 0 },
    ...{ visitors: row => row.visitors, pageviews: row => row.pageviews, events: row => row.events },
    // Older versions kept here what notes hold now (import-counts.ts).
    records: () => '{}',
  });
  const dropParts = db.prepare('delete from import_day where site_id = ? and day = ? and import_id = ?');
  const drops = columnDrops(db);

  return {
    written: importId => new Set(written.all(importId) as number[]),
    *addPart(importId, day) {
      const part: Part = { ...day.part, importId };
      const columns = encoded(day).columns.map(({ name, data }): StoredColumn => {
        return { name: storedName(name, part), data, bytes: data.byteLength };
      });
      for (const some of inTransactions(columns)) {
        insertColumns.immediate(day.siteId, day.day, some);
        yield;
      }
      return { ...rowOf(day, importId), bytes: columns.reduce((sum, { bytes }) => sum + bytes, 0) };
    },
    addDay: db.transaction((siteId, day, importId, parts) => {
      for (const row of parts.length === 0 ? [nothingOf(siteId, day, importId)] : parts) insertPart(row);
    }).immediate as ImportDays['addDay'],
    *drop(siteId, day, importId) {
      dropParts.run(siteId, day, importId);
      yield;
      yield* drops.ofDay(siteId, day, importId);
    },
    dropRest: drops.rest,
  };
};

interface StoredColumn {
  name: string;
  data: Uint8Array;
  bytes: number;
}

/** Of columns in one transaction: those of a small day go together, as it has fifty. */
const columnBytesAtOnce = 128 * 1024;

function* inTransactions<T extends { bytes: number }>(columns: readonly T[]): Generator<T[]> {
  let some: T[] = [];
  let bytes = 0;
  for (const column of columns) {
    some.push(column);
    bytes += column.bytes;
    if (bytes < columnBytesAtOnce) continue;
    yield some;
    some = [];
    bytes = 0;
  }
  if (some.length > 0) yield some;
}

/** Deletes columns of an import. */
const columnDrops = (db: Database) => {
  const namesOf = db
    .prepare(`select id from sealed_column where site_id = ? and day = ? and name glob '* import ' || ?`)
    .pluck();
  const leftOf = db.prepare(`select id from sealed_column where site_id = ? and name glob '* import ' || ?`).pluck();
  const dropColumn = db.prepare('delete from sealed_column where id = ?');
  const lengthOf = db.prepare('select length(data) from sealed_column where id = ?').pluck();
  const dropColumns = db.transaction((columns: readonly { id: number }[]): void => {
    for (const { id } of columns) dropColumn.run(id);
  });
  function* dropEach(ids: readonly number[]): Generator<void> {
    const columns = ids.map(id => ({ id, bytes: lengthOf.get(id) as number }));
    for (const some of inTransactions(columns)) {
      dropColumns.immediate(some);
      yield;
    }
  }
  return {
    ofDay: (siteId: number, day: number, importId: number): Generator<void> =>
      dropEach(namesOf.all(siteId, day, String(importId)) as number[]),
    rest: (siteId: number, importId: number): Generator<void> =>
      dropEach(leftOf.all(siteId, String(importId)) as number[]),
  };
};

/** A day on which an import only counted something. */
const nothingOf = (siteId: number, day: number, importId: number): PartRow => ({
  ...{ siteId, day, importId, number: 0, parts: 1 },
  ...{ visits: 0, hashVisits: 0, hits: 0, firstAt: 0, lastAt: 0, bytes: 0, visitors: 0, pageviews: 0, events: 0 },
});

const rowOf = (day: Day, importId: number): Omit<PartRow, 'bytes'> => {
  const { siteId, part, hashVisits, hits, firstAt, lastAt } = day;
  const facts = { siteId, day: day.day, importId, number: part.number, parts: part.of };
  return { ...facts, hashVisits, hits, firstAt, lastAt, ...countsOf(day) };
};

/** What is counted of a part of a day. */
export const countsOf = (day: Day): Pick<PartRow, 'visitors' | 'visits' | 'pageviews' | 'events'> => ({
  visitors: sumOf(day.numbers('newVisitor')),
  visits: day.visits,
  pageviews: sumOf(day.numbers('pageviews')),
  events: namedHits(day),
});

const sumOf = (values: ArrayLike<number>): number => {
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += values[i]!;
  return sum;
};

const eventCodes = new Set<number>(eventTypes.map(name => hitTypes[name]));

const namedHits = (day: Day): number => {
  const types = day.numbers('type');
  const { codes, dictionary } = day.texts('event');
  let count = 0;
  for (let hit = 0; hit < types.length; hit++)
    if (eventCodes.has(types[hit]!) && dictionary[codes[hit]!] !== 0) count++;
  return count;
};
