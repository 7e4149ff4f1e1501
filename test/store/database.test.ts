import { randomBytes } from 'node:crypto';
import { chmodSync, copyFileSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { packageRoot } from '../../src/package-root.ts';
import { accounts } from '../../src/store/accounts/accounts.ts';
import { type Database, databaseFile, lockDataDir, openDatabase, StoreError } from '../../src/store/database.ts';
import { openLogSync } from '../../src/store/log-sync.ts';
import type { Migration } from '../../src/store/migrations.ts';
import { migrations } from '../../src/store/migrations.ts';
import { salts } from '../../src/store/salts.ts';
import { sites } from '../../src/store/sites.ts';
import { textReader } from '../../src/store/texts.ts';
import { temporaryDatabase, temporaryDir } from '../helpers.ts';

const schemaOf = (db: Database): unknown =>
  db.prepare(`select type, name, sql from sqlite_schema where name not like 'sqlite_%' order by name`).all();

test('a new database has the schema, strict tables and a write-ahead log', () => {
  const { db } = temporaryDatabase();
  const tables = db
    .prepare(`select name, strict from pragma_table_list where schema = 'main' and name not like 'sqlite_%'`)
    .all();
  assert.ok(tables.length > 10);
  for (const { name, strict } of tables as { name: string; strict: number }[]) assert.is(strict, 1, name);
  assert.is(db.pragma('journal_mode', { simple: true }), 'wal');
  db.close();
});

test('a new data directory is closed to other users', () => {
  const dataDir = join(temporaryDir(), 'deep', 'data');
  openDatabase(dataDir).close();
  assert.is(statSync(dataDir).mode & 0o777, 0o700);
});

test('all files are closed to other users, whatever the directory and the umask', () => {
  const dataDir = temporaryDir();
  chmodSync(dataDir, 0o755);
  const umask = process.umask(0);
  const openFiles = () => readdirSync(dataDir).filter(name => (statSync(join(dataDir, name)).mode & 0o777) !== 0o600);
  try {
    const unlock = lockDataDir(dataDir);
    const db = openDatabase(dataDir);
    accounts(db).add('somebody', 'unlimited', 1);
    const sync = openLogSync(db);
    assert.ok(readdirSync(dataDir).includes('daybook.db-wal'));
    assert.ok(readdirSync(dataDir).includes('daybook.db-sync'));
    assert.equal(openFiles(), []);
    // As an earlier version left them.
    for (const name of readdirSync(dataDir)) if (!name.endsWith('-journal')) chmodSync(join(dataDir, name), 0o664);
    openDatabase(dataDir).close();
    unlock();
    lockDataDir(dataDir)();
    assert.equal(openFiles(), []);
    sync.close();
    db.close();
  } finally {
    process.umask(umask);
  }
});

/** Without comments and with one space where there are several: a migration writes neither. */
const plainSchemaOf = (db: Database): unknown =>
  (schemaOf(db) as { sql: string | null }[]).map(row => ({
    ...row,
    sql: row.sql
      ?.replace(/--.*$/gm, '')
      .replace(/\s+/g, ' ')
      .replace(/ ?([(),]) ?/g, '$1'),
  }));

test('a file of the first version is brought to the schema of a new one, and keeps what it has', () => {
  const dataDir = temporaryDir();
  const first = new Sqlite(databaseFile(dataDir));
  first.exec(readFileSync(join(packageRoot, 'test/store/schema-1.sql'), 'utf8'));
  first.exec(`
    insert into account (id, name, created_at) values (1, 'default', 0);
    insert into site (account_id, uuid, public_key, domain, timezone, currency, created_at)
    values (1, 'u', 'pk', 'example.com', 'UTC', 'EUR', 0), (1, 'v', 'pk2', 'with-cookies.example', 'UTC', 'EUR', 0);
    insert into cookie_visitor values (2, x'0102030405060708', 20000);
    insert into text values (1, 1, '/kept'), (1, 2, '${'x'.repeat(2000)}');`);
  first.pragma('user_version = 1');
  first.close();

  const migrated = openDatabase(dataDir);
  const { db } = temporaryDatabase();
  assert.equal(plainSchemaOf(migrated), plainSchemaOf(db));
  assert.equal(
    sites(migrated)
      .list()
      .map(({ domain, senderHits, senderBurst, publicParts }) => [domain, senderHits, senderBurst, publicParts]),
    [
      ['example.com', null, null, []],
      ['with-cookies.example', null, null, []],
    ],
  );
  // Visitors with a cookie that were counted already stay who they are.
  assert.equal(
    sites(migrated)
      .list()
      .map(({ visitorKey }) => visitorKey.length),
    [64, 0],
  );
  const reader = textReader(migrated);
  assert.equal([reader.find(1, '/kept'), reader.find(1, 'x'.repeat(2000)), reader.text(1, 1)], [1, 2, '/kept']);
  migrated.close();
  db.close();
});

const twoSteps: Migration[] = [
  ...migrations,
  { purpose: 'a table', sql: 'create table scribble (id integer primary key, body text not null) strict;' },
  { purpose: 'a row in it', sql: `insert into scribble (body) values ('kept');` },
];

test('a migration runs once, after the file is copied', () => {
  const { dataDir, db } = temporaryDatabase();
  accounts(db).add('before', 'unlimited', 1);
  const salt = randomBytes(16);
  salts(db).replace(20_000, salt);
  db.close();

  const migrated = openDatabase(dataDir, twoSteps);
  assert.equal(migrated.prepare('select body from scribble').pluck().all(), ['kept']);
  assert.equal(
    accounts(migrated)
      .list()
      .map(account => account.name),
    ['before'],
  );
  migrated.close();

  const again = openDatabase(dataDir, twoSteps);
  assert.equal(again.prepare('select body from scribble').pluck().all(), ['kept']);
  again.close();

  const copy = `${databaseFile(dataDir)}.before-version-${1 + twoSteps.length}`;
  assert.is(statSync(copy).mode & 0o777, 0o600);
  assert.ok(readFileSync(databaseFile(dataDir)).includes(salt));
  assert.not.ok(readFileSync(copy).includes(salt), 'a copy that stays for ever holds no salt');
  assert.equal(
    readdirSync(dataDir).filter(name => name.includes('partial')),
    [],
  );
  const restored = temporaryDir();
  copyFileSync(copy, databaseFile(restored));
  const old = openDatabase(restored);
  assert.equal(
    accounts(old)
      .list()
      .map(account => account.name),
    ['before'],
  );
  old.close();
});

test('a migration that fails changes nothing', () => {
  const { dataDir, db } = temporaryDatabase();
  const before = schemaOf(db);
  db.close();
  assert.throws(() => openDatabase(dataDir, [...twoSteps, { purpose: 'broken', sql: 'create nonsense' }]));
  const after = openDatabase(dataDir);
  assert.equal(schemaOf(after), before);
  after.close();
});

test('a file from a newer version is refused with a sentence', () => {
  const { dataDir, db } = temporaryDatabase();
  db.close();
  openDatabase(dataDir, twoSteps).close();
  assert.throws(
    () => openDatabase(dataDir),
    (error: unknown) => error instanceof StoreError && /written by a newer Daybook/.test(error.message),
  );
});

test('a file that is no database is refused with a sentence', () => {
  const dataDir = temporaryDir();
  writeFileSync(databaseFile(dataDir), 'These are not the bytes you are looking for. '.repeat(20));
  assert.throws(
    () => openDatabase(dataDir),
    (error: unknown) => error instanceof StoreError && error.message.includes('cannot be opened'),
  );
});

test('a data directory has one holder at a time', () => {
  const dataDir = join(temporaryDir(), 'deep', 'down');
  const release = lockDataDir(dataDir);
  assert.throws(
    () => lockDataDir(dataDir),
    (error: unknown) => error instanceof StoreError && error.message.includes('in use'),
  );
  release();
  lockDataDir(dataDir)();
});

test.run();
