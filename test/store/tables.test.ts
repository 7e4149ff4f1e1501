import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { columnsIn, keyOf, rowsInserter, siteTables, textColumnsIn } from '../../src/store/tables.ts';
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

test('however many rows are added, all are written, with what they held when they were added', () => {
  const { db } = temporaryDatabase();
  const row = { hour: 0 };
  const rows = rowsInserter<typeof row>(db, 'outcome', {
    site_id: () => 1,
    hour: ({ hour }) => hour,
    outcome: () => 'recorded',
    hits: ({ hour }) => 2 * hour,
  });
  const stored = db.prepare('select hour, hits from outcome order by hour').raw();
  for (let count = 0; count <= 100; count++) {
    for (row.hour = 1; row.hour <= count; row.hour++) rows.add(row);
    rows.write();
    assert.equal(
      stored.all(),
      Array.from({ length: count }, (_, i) => [i + 1, 2 * (i + 1)]),
    );
    db.exec('delete from outcome');
  }
  // Of one that cannot be written nothing is left for the next ones.
  row.hour = Number.NaN;
  rows.add(row);
  assert.throws(() => rows.write(), 'NOT NULL');
  rows.forget();
  row.hour = 7;
  rows.add(row);
  rows.write();
  assert.equal(stored.all(), [[7, 14]]);
  db.close();
});

test.run();
