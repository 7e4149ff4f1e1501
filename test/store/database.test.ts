import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, copyFileSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { packageRoot } from '../../src/package-root.ts';
import { accounts } from '../../src/store/accounts/accounts.ts';
import { credentials } from '../../src/store/accounts/credentials.ts';
import { digestOf } from '../../src/store/accounts/digest.ts';
import { logins as loginStore } from '../../src/store/accounts/logins.ts';
import { members } from '../../src/store/accounts/members.ts';
import { persons } from '../../src/store/accounts/persons.ts';
import { signInLinks } from '../../src/store/accounts/sign-in-links.ts';
import { convertedVersion, schemaVersion } from '../../src/store/conversion.ts';
import { type Database, databaseFile, lockDataDir, openDatabase, StoreError } from '../../src/store/database.ts';
import { openLogSync } from '../../src/store/log-sync.ts';
import { checkDatabase } from '../../src/store/maintenance/check.ts';
import { notes } from '../../src/store/notes.ts';
import { rules } from '../../src/store/removal-rules.ts';
import { temporaryDatabase, temporaryDir } from '../helpers.ts';
import { addedCrawls, addedSite, writeLargeOlder, writeOlder } from '../tools/older.ts';

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

/** Without comments and with one space where there are several: what is altered has neither. */
const plainSchemaOf = (db: Database): unknown =>
  (schemaOf(db) as { sql: string | null }[]).map(row => ({
    ...row,
    sql: row.sql
      ?.replace(/--.*$/gm, '')
      .replace(/\s+/g, ' ')
      .replace(/ ?([(),]) ?/g, '$1'),
  }));

/** The tables of accounts as version 26 had them, in the place of those of people. */
const withoutKeptDays = `
  alter table site drop column allowed_hosts;
  alter table site drop column excluded_countries;
  alter table site drop column keep_days;
`;
const withoutLinks = `
  drop table share;
  alter table site add column share_token text;
  alter table site add column public_parts text not null default '[]';
`;
const withoutPeople = `
  ${withoutKeptDays}
  ${withoutLinks}
  pragma foreign_keys = off;
  pragma legacy_alter_table = on;
  ${[
    'audit',
    'passkey',
    'identity',
    'recovery_code',
    'invitation',
    'member',
    'sign_in_link',
    'login',
    'person',
    'account',
  ]
    .map(table => `drop table ${table};`)
    .join('')}
  alter table api_key rename to new_api_key;
  create table api_key (
    id integer primary key autoincrement, account_id integer not null references account (id), name text not null,
    digest blob not null unique check (length(digest) = 32), last_four text not null,
    created_at integer not null, last_used_at integer) strict;
  drop table new_api_key;
  create table account (
    id integer primary key, name text not null unique,
    plan text not null default 'unlimited' check (plan in ('hobby', 'pro', 'business', 'unlimited')),
    email text unique, password text, created_at integer not null,
    locale text not null default '{}' check (json_valid(locale)), check ((email is null) = (password is null))) strict;
  create table login (
    digest blob primary key check (length(digest) = 32), account_id integer not null references account (id),
    used_at integer not null,
    kind text not null default 'browser' check (kind in ('browser', 'program', 'known'))) strict, without rowid;
  create index login_account on login (account_id, kind, used_at);
  create table account_link (
    account_id integer primary key references account (id),
    digest blob not null unique check (length(digest) = 32), expires_at integer not null) strict;`;

const copyOf = (dataDir: string): string => `${databaseFile(dataDir)}.before-version-${schemaVersion}`;

/** The schema is that of a database that was made now. */
const assertAsNew = (db: Database): void => {
  const { db: fresh } = temporaryDatabase();
  assert.equal(plainSchemaOf(db), plainSchemaOf(fresh));
  fresh.close();
};

test('a file of the version before is brought to the schema of a new one once, after it is copied', () => {
  const dataDir = temporaryDir();
  writeOlder(dataDir);
  const [salt, next] = [randomBytes(16), randomBytes(16)];
  const before = new Sqlite(databaseFile(dataDir));
  before.prepare('insert or replace into salt values (1, 20000, ?)').run(salt);
  before.prepare('insert into next_salt values (1, 20001, ?)').run(next);
  before.close();

  const converted = openDatabase(dataDir);
  const { db } = temporaryDatabase();
  assert.equal(plainSchemaOf(converted), plainSchemaOf(db));
  const partIds = (of: Database): unknown => of.prepare('select id from day_part order by id').pluck().all();
  const ids = partIds(converted);
  converted.close();
  const again = openDatabase(dataDir);
  assert.equal(partIds(again), ids);
  again.close();
  db.close();

  const copy = copyOf(dataDir);
  assert.is(statSync(copy).mode & 0o777, 0o600);
  assert.ok(readFileSync(databaseFile(dataDir)).includes(salt));
  for (const each of [salt, next])
    assert.not.ok(readFileSync(copy).includes(each), 'a copy that stays for ever holds no salt');
  assert.not.ok(readdirSync(dataDir).some(name => name.includes('partial')));
  const restored = temporaryDir();
  copyFileSync(copy, databaseFile(restored));
  const old = openDatabase(restored);
  assert.equal(partIds(old), ids);
  old.close();
});

test('a file of the version before clusters had an id is brought to this one', () => {
  const dataDir = temporaryDir();
  openDatabase(dataDir).close();
  const before = new Sqlite(databaseFile(dataDir));
  before.exec(withoutPeople);
  before.exec(
    'drop table cluster; drop table control_tag; drop table node_token; alter table follower drop column tag',
  );
  before.exec('alter table follower add column old_number integer; drop table epoch');
  before.pragma('user_version = 24');
  before.close();
  const db = openDatabase(dataDir);
  assertAsNew(db);
  db.close();
});

test('who could sign in to an account is a person now, and all that they had works', () => {
  const dataDir = temporaryDir();
  writeOlder(dataDir);
  const digest = (letter: string): Buffer => digestOf(letter.repeat(43));
  const before = new Sqlite(databaseFile(dataDir));
  before.exec(`update account set email = 'ada@example.com', password = 'a record', locale = '{"language":"de"}' where id = 1;
    insert into account (id, name, plan, created_at) values (7, 'nobody', 'pro', 3);
    insert into account (id, name, plan, email, password, created_at) values (9, 'bob', 'hobby', 'bob@example.com', 'another', 4)`);
  const logins = before.prepare('insert into login (digest, account_id, used_at, kind) values (?, ?, ?, ?)');
  logins.run(digest('a'), 1, 50, 'browser');
  logins.run(digest('b'), 9, 60, 'known');
  const links = before.prepare('insert into account_link (account_id, digest, expires_at) values (?, ?, ?)');
  links.run(9, digest('c'), 1e15);
  links.run(7, digest('d'), 1e15);
  before
    .prepare('insert into api_key (account_id, name, digest, last_four, created_at) values (9, ?, ?, ?, 5)')
    .run('k', digest('k'), 'kkkk');
  const siteAccount = before.prepare('select account_id from site where id = 1').pluck().get();
  before.close();

  const db = openDatabase(dataDir);
  assert.equal(
    persons(db)
      .list()
      .map(({ id, email, locale, isOperator }) => [id, email, locale.language, isOperator]),
    [
      [1, 'ada@example.com', 'de', true],
      [9, 'bob@example.com', null, false],
    ],
  );
  assert.equal(credentials(db).ofEmail('bob@example.com'), {
    personId: 9,
    email: 'bob@example.com',
    password: 'another',
  });
  const all = { sites: null, hidden: [], role: 'owner' as const };
  assert.equal(members(db).ofPerson(9), [{ ...all, accountId: 9, personId: 9, createdAt: 4 }]);
  assert.equal(members(db).ofAccount(7), []);
  assert.is(loginStore(db).use('browser', 'a'.repeat(43), 51)?.personId, 1);
  assert.is(loginStore(db).use('known', 'b'.repeat(43), 61)?.personId, 9);
  assert.equal(signInLinks(db).find('c'.repeat(43), 1), { personId: 9, accountId: null });
  assert.equal(signInLinks(db).find('d'.repeat(43), 1), { personId: null, accountId: 7 });
  const key = db.prepare("select scopes, sites, expires_at from api_key where last_four = 'kkkk'").get();
  assert.equal(key, { scopes: '["read","notes","ingest"]', sites: null, expires_at: null });
  assert.is(db.prepare('select account_id from site where id = 1').pluck().get(), siteAccount);
  assert.equal(db.pragma('foreign_key_check'), []);
  assert.is(db.pragma('foreign_keys', { simple: true }), 1);
  assertAsNew(db);
  db.close();
});

test('a file of version 29 has room for messages and reports afterwards, and for what sites keep', () => {
  const dataDir = temporaryDir();
  const before = openDatabase(dataDir);
  before.exec(
    `drop table outbox; drop table report_recipient; drop table report; alter table invitation drop column made_by; ${withoutKeptDays} ${withoutLinks}`,
  );
  before.pragma('user_version = 29');
  before.close();
  const db = openDatabase(dataDir);
  assertAsNew(db);
  db.close();
});

test('a file of version 33 has room for alerts afterwards, and its notes as they were', () => {
  const dataDir = temporaryDir();
  const before = openDatabase(dataDir);
  const note = notes(before).add(1, 'person', '2026-11-20', 'kept', 5)!;
  notes(before).add(1, 'person', '2026-11-20', 'removed', 6);
  before.exec(`drop table alert_state; drop table alert; drop table channel; drop index note_site;
    alter table note rename to note_new;
    create table note (
      id integer primary key autoincrement, site_id integer not null, date text not null,
      kind text not null check (kind in ('person', 'outage', 'zone', 'import')), text text not null,
      created_at integer not null) strict;
    insert into note select * from note_new; drop table note_new;
    create index note_site on note (site_id, date)`);
  notes(before).remove(1, note.id + 1);
  before.pragma('user_version = 33');
  before.close();
  const db = openDatabase(dataDir);
  assertAsNew(db);
  assert.equal(notes(db).list(1), [note]);
  assert.is(notes(db).add(1, 'alert', '2026-11-21', 'Peak: 90 (30)', 7)!.id, note.id + 2, 'ids are used once');
  db.close();
});

test('a file of version 35 has room for what a file of settings set', () => {
  const dataDir = temporaryDir();
  const before = openDatabase(dataDir);
  before.exec('drop table provisioned');
  before.pragma('user_version = 35');
  before.close();
  const db = openDatabase(dataDir);
  assertAsNew(db);
  db.close();
});

test('a conversion that fails changes nothing', () => {
  const dataDir = temporaryDir();
  writeOlder(dataDir);
  const file = new Sqlite(databaseFile(dataDir));
  // It is in the way.
  file.exec('create table old_crawl (id integer) strict');
  const before = schemaOf(file);
  file.close();
  assert.throws(() => openDatabase(dataDir), /old_crawl/);
  const after = new Sqlite(databaseFile(dataDir));
  assert.equal([schemaOf(after), after.pragma('user_version', { simple: true })], [before, convertedVersion]);
  after.close();
});

test('a conversion that is killed leaves the file as it was, and the next start converts it', () => {
  const dataDir = temporaryDir();
  writeLargeOlder(dataDir, 200);
  // The cache is small, so that most of what is written is in the log.
  const program = `import { openDatabase, openCopy } from '${packageRoot}/src/store/database.ts';
    import { converting } from '${packageRoot}/src/store/conversion.ts';
    const db = openCopy('${databaseFile(dataDir)}');
    db.pragma('journal_mode = wal');
    db.pragma('cache_size = 10');
    for (const { count } of converting(db)) if (count > ${150 * addedCrawls}) process.kill(process.pid, 'SIGKILL');`;
  const ran = spawnSync(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', program], {
    cwd: packageRoot,
  });
  assert.is(ran.signal, 'SIGKILL', ran.stderr.toString());
  assert.ok(statSync(`${databaseFile(dataDir)}-wal`).size > 500_000);
  const killed = new Sqlite(databaseFile(dataDir));
  assert.is(killed.pragma('user_version', { simple: true }), convertedVersion);
  const crawls = `select count(*) from crawl where site_id >= ${addedSite}`;
  assert.is(killed.prepare(crawls).pluck().get(), 200 * addedCrawls);
  killed.close();
  const db = openDatabase(dataDir);
  assert.is(db.prepare(`${crawls} and epoch = 0`).pluck().get(), 200 * addedCrawls);
  assert.equal(
    [...checkDatabase(db)].flatMap(({ problems }) => problems),
    [],
  );
  db.close();
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

test('a database of version 25 has room for sums afterwards, and its rules as they were', () => {
  const dataDir = temporaryDir();
  const earlier = openDatabase(dataDir);
  const made = { siteId: 1, filters: '', selects: '[]', period: 'all', from: 0, to: 9, madeBy: null, reason: null };
  const rule = rules(earlier).add({ ...made, createdAt: 1 });
  earlier.exec(`drop table day_sum; drop table epoch; alter table follower add column old_number integer;
    insert into follower (one, identity, number, old_number, primary_url, clickhouse, tag) values (1, 'a', 7, null, 'http://a', null, null)`);
  earlier.exec(withoutPeople);
  earlier.pragma('user_version = 25');
  earlier.close();
  const db = openDatabase(dataDir);
  assert.equal(rules(db).list(), [rule]);
  assert.is(db.prepare('select count(*) from day_sum').pluck().get(), 0);
  assert.is(db.prepare("select count(*) from sqlite_schema where name = 'day_sum_day'").pluck().get(), 1);
  db.close();
});

test.run();
