/**
 * The parts of days as they are stored (`day_part` and `sealed_column` in schema.sql). They are
 * written beside what there is of their day and count from one moment on. What goes, goes in short
 * steps.
 */
import type { ColumnName } from '../../model/columns.ts';
import { type Database, StoreError } from '../database.ts';
import type { DayFacts } from './day.ts';
import type { SiteDay } from './open/open-days.ts';
import type { marksName } from './part.ts';

/** A part of a day, or a whole day, as it is stored. */
export interface EncodedPart {
  facts: DayFacts;
  columns: { name: ColumnName | typeof marksName; data: Uint8Array }[];
}

/** What there is of a day that came one way. */
export interface DaySource extends SiteDay {
  /** The import that brought it; 0: it was collected. */
  importId: number;
}

export interface PartStore {
  /** Whether what was collected on a day is sealed. */
  isSealed(siteId: number, day: number): boolean;
  /** Begins to write all parts of a day's source. What an interrupted try has left goes first. */
  begin(of: DaySource): NewParts;
  /** Deletes parts at once that count. Only inside a transaction. */
  deleteSealed(of: DaySource): void;
  /** Deletes parts that are not sealed; each `next()` is one short transaction. */
  dropUnsealed(of: DaySource): Generator<void>;
  /** Deletes parts, which nobody reads any more; each `next()` is one short transaction. */
  drop(ids: readonly number[]): Generator<void>;
}

export interface NewParts {
  /** Writes a part; each `next()` is one short transaction. */
  write(part: Pick<EncodedPart, 'facts' | 'columns'>): Generator<void>;
  /**
   * From now on the parts count. Only inside a transaction, and where no others of the source do.
   * Throws StoreError where one was deleted since it was written.
   */
  seal(now: number, version?: number): void;
  /** Of all columns that are written. */
  bytes(): number;
}

const ofSource = 'site_id = @siteId and day = @day and import_id = @importId';
const gone = 'A day was deleted while it was written.';

export const partStore = (db: Database): PartStore => {
  const isSealed = db
    .prepare('select 1 from day_part where site_id = ? and day = ? and import_id = 0 and sealed_at is not null')
    .pluck();
  const unsealed = db.prepare(`select id from day_part where ${ofSource} and sealed_at is null`).pluck();
  const deletions = [
    `delete from sealed_column where part_id in (select id from day_part where ${ofSource} and sealed_at is not null)`,
    `delete from day_part where ${ofSource} and sealed_at is not null`,
  ].map(sql => db.prepare(sql));
  const drop = partDropper(db);
  const begin = newParts(db);

  function* dropUnsealed(of: DaySource): Generator<void> {
    yield* drop(unsealed.all(of) as number[]);
  }
  return {
    isSealed: (siteId, day) => isSealed.get(siteId, day) !== undefined,
    begin: of => begin(of, () => dropUnsealed(of)),
    deleteSealed(of) {
      for (const deletion of deletions) deletion.run(of);
    },
    dropUnsealed,
    drop,
  };
};

const newParts = (db: Database) => {
  const insertPart = db
    .prepare(
      `insert into day_part (site_id, day, import_id, number, parts, visits, hash_visits, hits, first_at, last_at, bytes)
       values (@siteId, @day, @importId, @number, @parts, @visits, @hashVisits, @hits, @firstAt, @lastAt, @bytes)
       returning id`,
    )
    .pluck();
  const insertColumn = db.prepare(
    'insert into sealed_column (part_id, name, data) select id, @name, @data from day_part where id = @id',
  );
  const insertColumns = db.transaction((id: number, columns: EncodedPart['columns']): void => {
    for (const column of columns) if (insertColumn.run({ id, ...column }).changes === 0) throw new StoreError(gone);
  });
  const seal = db.prepare('update day_part set sealed_at = ?, version = ? where id = ? and sealed_at is null');
  return (of: DaySource, clear: () => Generator<void>): NewParts => {
    const ids: number[] = [];
    let bytes = 0;
    return {
      *write({ facts, columns }) {
        if (ids.length === 0) yield* clear();
        const ofPart = columns.reduce((sum, { data }) => sum + data.byteLength, 0);
        const { sealed: _, part, ...others } = facts;
        const id = insertPart.get({ ...others, ...of, number: part.number, parts: part.of, bytes: ofPart }) as number;
        ids.push(id);
        bytes += ofPart;
        for (const some of inTransactions(columns, ({ data }) => data.byteLength)) {
          insertColumns.immediate(id, some);
          yield;
        }
      },
      seal(now, version = 0) {
        for (const id of ids) if (seal.run(now, version, id).changes === 0) throw new StoreError(gone);
      },
      bytes: () => bytes,
    };
  };
};

const partDropper = (db: Database): PartStore['drop'] => {
  const columnsOf = db.prepare('select id, length(data) as bytes from sealed_column where part_id = ?');
  const dropColumn = db.prepare('delete from sealed_column where id = ?');
  const dropColumns = db.transaction((columns: readonly { id: number }[]): void => {
    for (const { id } of columns) dropColumn.run(id);
  });
  const dropPart = db.prepare('delete from day_part where id = ?');
  return function* (ids) {
    for (const part of ids) {
      const columns = columnsOf.all(part) as { id: number; bytes: number }[];
      for (const some of inTransactions(columns, ({ bytes }) => bytes)) {
        dropColumns.immediate(some);
        yield;
      }
      dropPart.run(part);
      yield;
    }
  };
};

/** Of columns in one transaction: those of a small day go together, as it has some forty. */
const columnBytesAtOnce = 128 * 1024;

export function* inTransactions<T>(columns: readonly T[], bytesOf: (column: T) => number): Generator<T[]> {
  let some: T[] = [];
  let bytes = 0;
  for (const column of columns) {
    some.push(column);
    bytes += bytesOf(column);
    if (bytes < columnBytesAtOnce) continue;
    yield some;
    some = [];
    bytes = 0;
  }
  if (some.length > 0) yield some;
}
