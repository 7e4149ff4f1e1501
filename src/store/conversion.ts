/**
 * Brings a database of an older version to schema.sql, in one transaction: it has all of
 * it or none, whenever it is interrupted.
 */
import type Sqlite from 'better-sqlite3';
import type { WorkDone } from '../model/work-done.ts';
import { readShipped } from '../package-root.ts';

type Database = Sqlite.Database;

/** The first version with a change, and what a person should know of it. */
const changes = {
  clusterId: [25, 'A cluster has an id, and its servers know which state of the settings they have.'],
  sums: [
    26,
    'Days are sealed in less space, and what they add up to is kept. Days that are sealed already stay as they are until daybook repack.',
  ],
  people: [27, 'Whoever could sign in to an account is a person now, and the owner of that account.'],
  grants: [28, 'There is room for access that people give to programs.'],
  epochs: [29, 'Hits of a collector have names of their own.'],
  outbox: [30, 'There is room for messages that leave the server.'],
  keptDays: [31, 'Sites say which hosts count, which countries do not, and how many days are kept.'],
  shares: [32, 'A site may have several links to public pages.'],
  recordEpochs: [33, 'Vitals, crawls and outcomes know which start of a collector counted them.'],
  alerts: [34, 'There is room for alerts and channels, and alerts write notes.'],
  reports: [35, 'There is room for reports that are mailed.'],
  provisioned: [36, 'It is kept what a file of settings set.'],
  reportWays: [37, 'Reports may go to channels, and have a file with their numbers.'],
  erased: [38, 'A cluster knows who was erased.'],
  removedHits: [39, 'Hits are no longer taken out of the rows of open days.'],
} as const satisfies Record<string, readonly [since: number, text: string]>;

/** The version of a file of schema.sql, and the oldest one that is converted: that of 0.1.0. */
export const [schemaVersion, convertedVersion] = [Math.max(...Object.values(changes).map(([since]) => since)), 24];

/** What a conversion changes of a file of a version. */
export const conversionOf = (version: number): string =>
  Object.values(changes)
    .filter(([since]) => version < since)
    .map(([, text]) => text)
    .join(' ');

/** Each step is some milliseconds to a second of work. */
export function* converting(db: Database): Generator<WorkDone> {
  // A table that is written anew keeps its name, and so what refers to it stays.
  const keepNames = (isOn: boolean): void => {
    db.pragma(`legacy_alter_table = ${isOn ? 'on' : 'off'}`);
    db.pragma(`foreign_keys = ${isOn ? 'off' : 'on'}`);
  };
  keepNames(true);
  try {
    db.exec('begin immediate');
    const version = db.pragma('user_version', { simple: true }) as number;
    const isBefore = (change: keyof typeof changes): boolean => version < changes[change][0];
    if (isBefore('people')) setAside(db, accountTables);
    if (isBefore('recordEpochs')) setAside(db, counterTables);
    if (isBefore('alerts')) {
      db.exec('drop index note_site');
      setAside(db, ['note']);
    }
    makeMissingTables(db);
    if (isBefore('alerts')) bringNotes(db);
    if (isBefore('people')) convertAccounts(db);
    if (isBefore('clusterId')) db.exec('alter table follower add column tag text');
    if (isBefore('epochs')) db.exec('alter table follower drop column old_number');
    if (isBefore('keptDays')) db.exec(siteColumns);
    if (isBefore('reportWays')) for (const column of reportColumns) addColumn(db, 'report', column);
    if (isBefore('shares')) {
      convertShares(db);
      convertInvitations(db);
    }
    if (isBefore('recordEpochs')) yield* convertCounters(db);
    if (isBefore('removedHits')) db.exec('drop table if exists removed_hits');
    db.pragma(`user_version = ${schemaVersion}`);
    db.exec('commit');
  } finally {
    if (db.inTransaction) db.exec('rollback');
    keepNames(false);
  }
}

const siteColumns = `
  alter table site add column allowed_hosts text not null default '[]' check (json_valid(allowed_hosts));
  alter table site add column excluded_countries text not null default '[]' check (json_valid(excluded_countries));
  alter table site add column keep_days integer check (keep_days > 0)`;

/** The next note has the id that it would have had. */
const bringNotes = (db: Database): void => {
  db.exec(`insert into note select * from old_note;
    delete from sqlite_sequence where name = 'note';
    update sqlite_sequence set name = 'note' where name = 'old_note';
    drop table old_note`);
};

const accountTables = ['account', 'login', 'account_link'];

const setAside = (db: Database, tables: readonly string[]): void => {
  for (const table of tables) db.exec(`alter table ${table} rename to old_${table}`);
};

/** Their keys have a column more. */
const counterTables = ['crawl', 'outcome', 'other_text'];

function* convertCounters(db: Database): Generator<WorkDone> {
  addColumn(db, 'vital', 'epoch integer not null default 0');
  for (const table of counterTables) {
    const next = db.prepare(`select min(site_id) from old_${table} where site_id > ?`).pluck();
    const columns = db.prepare('select name from pragma_table_info(?)').pluck().all(`old_${table}`).join(', ');
    const move = db.prepare(`insert into ${table} (${columns}) select ${columns} from old_${table} where site_id = ?`);
    let count = 0;
    for (let site = next.get(-1); site !== null; site = next.get(site)) {
      count += move.run(site).changes;
      yield { unit: 'record', verb: 'converted', count, part: null };
    }
    db.exec(`drop table old_${table}`);
  }
}

/**
 * Who could sign in to an account is a person, and its owner. Their ids are the same, so that
 * browsers stay known, whose cookies have them in their names.
 */
const convertAccounts = (db: Database): void => {
  db.exec(`
    insert into account (id, name, plan, created_at) select id, name, plan, created_at from old_account;
    insert into person (id, email, password, locale, is_operator, created_at)
      select id, email, password, locale, name = 'default', created_at from old_account where email is not null;
    insert into member (account_id, person_id, role, created_at)
      select id, id, 'owner', created_at from old_account where email is not null;
    insert into login (digest, person_id, used_at, kind, begun_at)
      select l.digest, l.account_id, l.used_at, l.kind, l.used_at from old_login l join person p on p.id = l.account_id;
    insert into sign_in_link (digest, person_id, account_id, expires_at)
      select l.digest, p.id, iif(p.id is null, l.account_id, null), l.expires_at
      from old_account_link l left join person p on p.id = l.account_id;`);
  for (const table of accountTables) db.exec(`drop table old_${table}`);
  for (const column of keyColumns) addColumn(db, 'api_key', column);
};

/** As schema.sql has them. */
const keyColumns = [
  `scopes text not null default '["read","notes","ingest"]' check (json_valid(scopes))`,
  'sites text check (json_valid(sites))',
  'expires_at integer',
  'made_by integer',
];

/** As schema.sql has them. */
const reportColumns = [
  `channels text not null default '[]' check (json_valid(channels))`,
  `parts text not null default '[]' check (json_valid(parts))`,
  'csv integer not null default 0 check (csv in (0, 1))',
];

/** The one public page of a site is a link named public. Ids of sites that went stay unused. */
const convertShares = (db: Database): void => {
  db.exec('drop index site_digest; alter table site rename to old_site');
  makeMissingTables(db);
  const columns = db.prepare(`select name from pragma_table_info('site')`).pluck().all();
  db.exec(`
    insert into share (site_id, name, token, parts, created_at)
      select id, 'public', share_token, public_parts, created_at from old_site where share_token is not null;
    insert into site (${columns}) select ${columns} from old_site;
    delete from sqlite_sequence where name = 'site';
    update sqlite_sequence set name = 'site' where name = 'old_site';
    drop table old_site`);
};

/** Who invited is known by their id. Those of whom nobody knows who made them are no more. */
const convertInvitations = (db: Database): void => {
  addColumn(db, 'invitation', 'made_by integer');
  db.exec(`
    update invitation set made_by = (select id from person where email = invited_by);
    delete from invitation where made_by is null and invited_by <> 'cli'`);
};

const addColumn = (db: Database, table: string, column: string): void => {
  const name = column.split(' ')[0];
  const has = db.prepare('select 1 from pragma_table_info(?) where name = ?').get(table, name) !== undefined;
  if (!has) db.exec(`alter table ${table} add column ${column}`);
};

const makeMissingTables = (db: Database): void => {
  const isThere = db.prepare('select 1 from sqlite_schema where name = ?').pluck();
  const schema = readShipped('schema.sql').toString().replace(/--.*$/gm, '');
  for (const statement of schema.split(';')) {
    const name = /^\s*create (?:unique )?(?:table|index) (\w+)/.exec(statement)?.[1];
    if (name !== undefined && isThere.get(name) === undefined) db.exec(statement);
  }
};
