/** Sums that imports brought: how they wait, are written, are read, and go. */
import type { DimensionName } from '../../model/dimensions.ts';
import { type ImportedDay, type ImportedSum, type SumName, type Sums, sumNames } from '../../model/imported-sums.ts';
import { snakeCase } from '../../model/snake-case.ts';
import { type Database, openScratch } from '../database.ts';
import { deleteSome } from '../tables.ts';
import { type Import, imports } from './imports.ts';

const columns = sumNames.map(snakeCase);
const [named, added] = [
  sumNames.map(name => `${snakeCase(name)} as ${name}`).join(', '),
  columns.map(name => `${name} = coalesce(${name} + excluded.${name}, ${name}, excluded.${name})`).join(', '),
];
const insert = (table: string): string =>
  `insert into ${table} (site_id, import_id, dimension, from_at, value, to_at, ${columns.join(', ')})
   values (@siteId, @importId, @dimension, @fromAt, @value, @toAt, ${sumNames.map(name => `@${name}`).join(', ')})`;

type SumsRow = ImportedDay & { dimension: string; value: string } & Sums;

export type SumGatherer = ReturnType<typeof gatherSums>;

export const gatherSums = (beside: Database) => {
  const db = openScratch(beside);
  db.exec(`create table sum (site_id, import_id, dimension text, from_at integer, value text, to_at integer, ${columns},
    primary key (from_at, dimension, value)) without rowid; begin`);
  const isTold = columns.map(name => `(coalesce(sum.${name}, 0) <> 0 and coalesce(excluded.${name}, 0) <> 0)`);
  // Its import is not known yet, so the number of the file stands there.
  const add = db.prepare(
    `${insert('sum')} on conflict do update set ${added}, import_id = excluded.import_id
     where import_id = excluded.import_id or not (${isTold.join(' or ')})`,
  );
  const fileOf = db
    .prepare('select import_id from sum where from_at = @fromAt and dimension = @dimension and value = @value')
    .pluck();
  const days = db.prepare('select distinct from_at as fromAt, to_at as toAt from sum order by from_at');
  const rows = db.prepare(
    `select from_at as fromAt, to_at as toAt, dimension, value, ${named} from sum where from_at = ?`,
  );
  const whole = db.prepare(`select ${named} from sum where from_at = ? and dimension = ''`);
  const count = db.prepare('select count(*) from sum').pluck();
  return {
    /**
     * What is told of one day, dimension and value in several rows of a file adds up. Two files
     * that tell the same would count it twice: then nothing is added, and what returns is the
     * number of the other file.
     */
    add({ sums, dimension: name, ...row }: ImportedSum, file: number) {
      const dimension = name ?? '';
      const { changes } = add.run({ siteId: 0, importId: file, ...row, dimension, ...sums });
      return changes > 0 ? null : (fileOf.get({ fromAt: row.fromAt, dimension, value: row.value }) as number);
    },
    days: () => days.all() as ImportedDay[],
    /** Of whole days. */
    totals(of: readonly ImportedDay[]): Record<SumName, number | null> {
      const found = of.flatMap(({ fromAt }) => (whole.get(fromAt) as Sums | undefined) ?? []);
      const sum = (name: SumName): number | null =>
        found.every(row => row[name] === null) ? null : found.reduce((all, row) => all + (row[name] ?? 0), 0);
      return Object.fromEntries(sumNames.map(name => [name, sum(name)])) as Sums;
    },
    count: () => count.get() as number,
    rows: ({ fromAt }: ImportedDay) => rows.all(fromAt) as SumsRow[],
    close: () => void db.close(),
  };
};

/** Rows in one transaction. */
const rowsAtOnce = 1000;

/**
 * Writes days of an import: each step is one short transaction, and all is there when the import is
 * finished. What was interrupted is written once more.
 */
export function* writeSums(
  db: Database,
  { id, siteId }: Import,
  from: Pick<SumGatherer, 'rows'>,
  days: readonly ImportedDay[],
  now: () => number,
): Generator<{ done: number; of: number }> {
  const put = db.prepare(`${insert('imported_sum')} on conflict do nothing`);
  const write = db.transaction((rows: readonly SumsRow[]): void => {
    for (const row of rows) put.run({ ...row, siteId, importId: id });
  });
  for (const [done, day] of days.entries()) {
    const rows = from.rows(day);
    for (let at = 0; at < rows.length; at += rowsAtOnce) {
      write.immediate(rows.slice(at, at + rowsAtOnce));
      yield { done, of: days.length };
    }
  }
  const counted = ['visitors', 'visits', 'pageviews', 'events'];
  const finish = db.transaction((): void => {
    db.prepare(
      `update import set (${counted}) = (
         select ${counted.map(name => `coalesce(sum(${name}), 0)`)} from imported_sum
         where site_id = @siteId and import_id = @id and dimension = '') where id = @id`,
    ).run({ id, siteId });
    imports(db).finish(id, now());
  });
  finish.immediate();
}

/** Deletes the sums of an import, some rows at a time. */
export function* dropSums(db: Database, { id, siteId }: Import): Generator<void> {
  const drop = db.prepare(deleteSome(db, 'imported_sum', rowsAtOnce, 'import_id = @importId'));
  while (drop.run({ siteId, importId: id }).changes > 0) yield;
}

export interface ImportedSums {
  /** Whether a site may have any. */
  has(siteId: number): boolean;
  /** A site's days that were over before a moment, and are at least in part between two others. */
  days(siteId: number, from: number, to: number, before: number): (ImportedDay & { importId: number })[];
  firstAt(siteId: number, before: number): number | null;
  /** Whether an import tells of a dimension at all. */
  tells(siteId: number, importId: number, dimension: DimensionName): boolean;
  /** What days that begin between two moments hold, by day and value; by day alone without one. */
  rows(
    siteId: number,
    importId: number,
    dimension: DimensionName | null,
    from: number,
    to: number,
  ): (ImportedDay & { value: string } & Sums)[];
}

const isThere = `exists (select 1 from import i where i.id = import_id and i.finished_at is not null)`;

export const importedSums = (db: Database): ImportedSums => {
  const isAny = db.prepare('select 1 from imported_sum where site_id = ? limit 1').pluck();
  const ofSite = db
    .prepare(`select id from import where site_id = ? and kind = 'sums' and finished_at is not null`)
    .pluck();
  const days = db.prepare(
    `select distinct import_id as importId, from_at as fromAt, to_at as toAt from imported_sum
     where site_id = @siteId and import_id = @id and dimension = '' and from_at < @to and to_at > @from and to_at <= @before`,
  );
  const firstAt = db
    .prepare(`select min(from_at) from imported_sum where site_id = ? and dimension = '' and to_at <= ? and ${isThere}`)
    .pluck();
  const tells = db
    .prepare('select 1 from imported_sum where site_id = ? and import_id = ? and dimension = ? limit 1')
    .pluck();
  const rows = db.prepare(
    `select from_at as fromAt, to_at as toAt, value, ${named} from imported_sum
     where site_id = ? and import_id = ? and dimension = ? and from_at >= ? and from_at < ? order by from_at, value`,
  );
  return {
    has: siteId => isAny.get(siteId) !== undefined,
    days(siteId, from, to, before) {
      const ids = ofSite.all(siteId) as number[];
      return ids.flatMap(id => days.all({ siteId, id, from, to, before }) as (ImportedDay & { importId: number })[]);
    },
    firstAt: (siteId, before) => firstAt.get(siteId, before) as number | null,
    tells: (siteId, importId, dimension) => tells.get(siteId, importId, dimension) !== undefined,
    rows: (siteId, importId, dimension, from, to) =>
      rows.all(siteId, importId, dimension ?? '', from, to) as ReturnType<ImportedSums['rows']>,
  };
};
