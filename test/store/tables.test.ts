import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { columnsIn, keyOf, siteTables, textColumnsIn } from '../../src/store/tables.ts';
import { temporaryDatabase } from '../helpers.ts';

interface SchemaColumn {
  name: string;
  type: string;
  /** Place in the primary key, from 1; else 0. */
  pk: number;
}

test('the tables of a site are those of the schema, column by column, and their keys in order', () => {
  const { db } = temporaryDatabase();
  const columns = (table: string) => db.pragma(`table_info(${table})`) as SchemaColumn[];
  const names = db
    .prepare(`select name from sqlite_schema where type = 'table' order by name`)
    .pluck()
    .all() as string[];
  assert.equal(
    names.filter(table => columns(table).some(({ name }) => name === 'site_id')),
    [...siteTables].sort(),
  );
  for (const table of siteTables) {
    const schema = columns(table);
    // In any order: a migration adds a column behind the others, and no statement goes by the
    // order.
    assert.equal(columnsIn(table).sort(), schema.map(({ name }) => name).sort());
    const key = schema.filter(({ pk }) => pk > 0).sort((a, b) => a.pk - b.pk);
    assert.equal(
      keyOf(table),
      key.map(({ name }) => name),
    );
    for (const text of textColumnsIn(table)) assert.is(schema.find(({ name }) => name === text)!.type, 'INTEGER', text);
  }
  db.close();
});

test.run();
