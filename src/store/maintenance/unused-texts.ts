/**
 * Deletes the texts of a site that nothing refers to any more: titles, traits and paths of days
 * that were pruned. Only where no server runs, which remembers the ids of texts it has written.
 */
import { columnNames, columns } from '../../model/columns.ts';
import { hitTypes, isTextCode } from '../../model/hit.ts';
import type { WorkDone } from '../../model/work-done.ts';
import type { Database } from '../database.ts';
import { decodeColumn } from '../day/column-codec.ts';
import { textsOfMarks } from '../day/mark-visits.ts';
import { marksName } from '../day/part.ts';
import { textColumns } from '../tables.ts';

/** Texts looked at in one step. */
const stepRows = 1000;

/** `screen` has the form of a text column, and its entries are sizes. */
const columnsWithTexts = columnNames.filter(name => columns[name].kind === 'text' && name !== 'screen');

/** Each step is one short transaction. */
export function* sweepTexts(db: Database, siteId: number): Generator<WorkDone> {
  const last = db.prepare('select max(id) from text where site_id = ?').pluck().get(siteId) as number | null;
  const used = new Uint8Array((last ?? 0) + 1);
  markColumns(db, siteId, used);
  markRows(db, siteId, used);
  const next = db.prepare('select id from text where site_id = ? and id > ? order by id limit ?').pluck();
  const drop = db.prepare('delete from text where site_id = ? and id = ?');
  let ids = next.all(siteId, 0, stepRows) as number[];
  while (ids.length > 0) {
    const gone = ids.filter(id => used[id] === 0);
    db.transaction(() => {
      for (const id of gone) drop.run(siteId, id);
    }).immediate();
    const count = ids.at(-1)!;
    yield { unit: 'text', verb: 'looked at', count, of: last ?? count };
    ids = next.all(siteId, count, stepRows) as number[];
  }
}

const markColumns = (db: Database, siteId: number, used: Uint8Array): void => {
  const select = db
    .prepare(
      `select c.data from day_part p join sealed_column c on c.part_id = p.id
       where p.site_id = ? and c.name in (select value from json_each(?))`,
    )
    .pluck();
  for (const data of select.iterate(siteId, JSON.stringify(columnsWithTexts)) as IterableIterator<Buffer>) {
    const column = decodeColumn(data);
    if (column.kind === 'text') for (const id of column.dictionary) used[id] = 1;
  }
  for (const data of select.iterate(siteId, JSON.stringify([marksName])) as IterableIterator<Buffer>)
    for (const id of textsOfMarks(data)) used[id] = 1;
};

const markRows = (db: Database, siteId: number, used: Uint8Array): void => {
  for (const [table, fields] of Object.entries(textColumns)) {
    for (const field of fields) {
      const ids = db.prepare(`select distinct ${field} from ${table} where site_id = ?`).pluck().all(siteId);
      for (const id of ids as number[]) used[id] = 1;
    }
  }
  const properties = db
    .prepare('select type, properties from hit where site_id = ? and properties is not null')
    .iterate(siteId) as IterableIterator<{ type: number; properties: string }>;
  for (const { type, properties: json } of properties) for (const id of textsOf(type, JSON.parse(json))) used[id] = 1;
};

/** Texts in the `properties` of a row (schema.sql). */
const textsOf = (type: number, flat: readonly number[]): number[] => {
  if (type === hitTypes.identify) return [...flat];
  const texts: number[] = [];
  for (let i = 0; i < flat.length; i += 3) {
    texts.push(flat[i]!);
    if (isTextCode(flat[i + 1]!)) texts.push(flat[i + 2]!);
  }
  return texts;
};
