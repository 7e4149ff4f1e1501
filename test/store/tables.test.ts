import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { siteTables, textColumns } from '../../src/store/tables.ts';
import { temporaryDatabase } from '../helpers.ts';

test('the tables of sites are all that name one, and the columns of texts are there', () => {
  const { db } = temporaryDatabase();
  const columns = (table: string) => db.pragma(`table_info(${table})`) as { name: string; type: string }[];
  const names = db.prepare(`select name from sqlite_schema where type = 'table' order by name`).pluck().all();
  assert.equal(
    (names as string[]).filter(table => columns(table).some(({ name }) => name === 'site_id')),
    siteTables(db),
  );
  for (const [table, texts] of Object.entries(textColumns))
    for (const text of texts) assert.is(columns(table).find(({ name }) => name === text)?.type, 'INTEGER', text);
  db.close();
});

test.run();
