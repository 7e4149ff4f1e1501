/**
 * The file that hits went to when an earlier version took them out of days: an SQLite database with
 * parts of days (day/some-hits.ts) as columns, and the texts that they refer to.
 */
import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { addedLater } from '../../model/columns.ts';
import { type Database, openRemovalFile } from '../database.ts';
import { type Column, decodeColumn } from '../day/column-codec.ts';
import { type Day, type DayFacts, dayOver, nullColumn } from '../day/day.ts';
import type { DayPart } from '../day/part.ts';

/** What a file says of its removal. */
export interface RemovalFacts {
  id: number;
  /** Of the site, in the database that the hits were taken out of. */
  siteId: number;
  /** Tells the removal from one with the same id in another database. */
  createdAt: number;
}

/** Hits of a part of a day. */
export interface StoredPart extends DayPart {
  id: number;
}

export interface RemovalFile {
  removal: RemovalFacts;
  parts(): StoredPart[];
  /** A part with its texts. Its text ids are those of the database that it was taken out of. */
  read(id: number): { day: Day; texts: Map<number, string> };
  drop(ids: readonly number[]): void;
  close(): void;
}

/** Where a removal's hits went unless a file was named. */
export const usualFile = (db: Database, removalId: number): string =>
  join(dirname(db.name), 'removed', `${removalId}.db`);

/** Whether a file is that of a removal, and not of one with the same id in another database. */
export const isOf = ({ removal: { id, createdAt } }: RemovalFile, removal: RemovalFacts): boolean =>
  id === removal.id && createdAt === removal.createdAt;

/** Throws StoreError when it is no such file. */
export const findRemovalFile = (file: string): RemovalFile | undefined => removalFile(openRemovalFile(file));

export const dropRemovalFile = (file: string): void => {
  for (const suffix of ['', '-journal']) rmSync(`${file}${suffix}`, { force: true });
};

const removalFile = (db: Database): RemovalFile | undefined => {
  const removal = db.prepare('select id, site_id as siteId, created_at as createdAt from removal').get();
  if (removal === undefined) return undefined;
  const { siteId } = removal as RemovalFacts;
  // A file of before there were imports.
  if (db.prepare(`select 1 from pragma_table_info('part') where name = 'import_id'`).get() === undefined)
    db.exec('alter table part add column import_id integer');
  const parts = db.prepare('select id, day, number, parts, import_id as importId from part order by day, id');
  const facts = db.prepare(
    `select day, number, parts, import_id as importId, version, visits, hash_visits as hashVisits, hits, first_at as firstAt, last_at as lastAt
     from part where id = ?`,
  );
  const columnData = db.prepare('select name, data from part_column where part_id = ?');
  const texts = db.prepare('select id, value from part_text where part_id = ?').raw();
  const drop = ['part_column where part_id', 'part_text where part_id', 'part where id'].map(rows =>
    db.prepare(`delete from ${rows} = ?`),
  );
  return {
    removal: removal as RemovalFacts,
    parts: () => (parts.all() as (StoredPart & PartColumns)[]).map(withPart),
    read(id) {
      const rows = columnData.all(id) as { name: string; data: Buffer }[];
      const stored = new Map(rows.map(({ name, data }) => [name, decodeColumn(data)]));
      const found = withPart(facts.get(id) as DayFacts & PartColumns);
      const day = partOver({ ...found, siteId, sealed: true }, stored);
      return { day, texts: new Map(texts.all(id) as [number, string][]) };
    },
    drop: db.transaction((ids: readonly number[]): void => {
      for (const id of ids) for (const statement of drop) statement.run(id);
    }),
    close: () => db.close(),
  };
};

/** A part of a day in a row of SQLite. */
interface PartColumns {
  number: number;
  parts: number;
  importId: number | null;
}

const withPart = <Row extends PartColumns>({
  number,
  parts,
  importId,
  ...others
}: Row): Omit<Row, keyof PartColumns> & Pick<DayPart, 'part'> => ({
  ...others,
  part: { number, of: parts, ...(importId !== null && { importId }) },
});

/** A column that a later version of Daybook has added is all null. */
const partOver = (facts: DayFacts, stored: ReadonlyMap<string, Column>): Day =>
  dayOver(facts, name => {
    const column = stored.get(name);
    if (column !== undefined) return column;
    if (!addedLater.has(name)) throw new Error(`column ${name} is missing`);
    return nullColumn(facts, name);
  });
