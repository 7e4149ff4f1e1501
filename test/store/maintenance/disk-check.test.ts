import { statSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { databaseFile, openReader } from '../../../src/store/database.ts';
import { diskCheck } from '../../../src/store/maintenance/disk-check.ts';
import { recorder } from '../../../src/store/write/recorder.ts';
import { temporaryDatabase } from '../../helpers.ts';

test('a disk that takes writes passes, and the check leaves nothing', () => {
  const { db } = temporaryDatabase();
  const check = diskCheck(db);
  check.write();
  const pages = db.pragma('page_count', { simple: true });
  for (let i = 0; i < 20; i++) check.write();
  assert.is(db.pragma('page_count', { simple: true }), pages);
  assert.is(db.prepare('select count(*) from sealed_column').pluck().get(), 0);
  db.close();
});

test('a full disk or a read-only file fails the check', () => {
  const { db } = temporaryDatabase();
  const check = diskCheck(db);
  db.pragma(`max_page_count = ${db.pragma('page_count', { simple: true })}`);
  assert.throws(() => check.write(), /full/);
  db.pragma('max_page_count = 1000000');
  db.pragma('query_only = 1');
  assert.throws(() => check.write(), /readonly/);
  db.pragma('query_only = 0');
  check.write();
  db.close();
});

test('the log starts afresh, unless somebody reads from it', () => {
  const { db, dataDir } = temporaryDatabase();
  const check = diskCheck(db);
  const logBytes = (): number => statSync(`${databaseFile(dataDir)}-wal`).size;
  const timeout = db.pragma('busy_timeout', { simple: true });
  recorder(db).write([{ siteId: 1, at: 0, outcome: 'crawler' }]);
  assert.ok(logBytes() > 0);
  const reader = openReader(dataDir);
  reader.exec('begin');
  reader.prepare('select count(*) from outcome').get();
  recorder(db).write([{ siteId: 1, at: 0, outcome: 'crawler' }]);
  assert.throws(() => check.renewLog(), /in use/);
  reader.exec('commit');
  check.renewLog();
  assert.is(logBytes(), 0);
  assert.is(db.pragma('busy_timeout', { simple: true }), timeout);
  reader.close();
  db.close();
});

test.run();
