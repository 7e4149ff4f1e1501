/**
 * Brings a database of an older version to schema.sql, in one transaction: it has all of
 * it or none, whenever it is interrupted. Then, a day was kept in `sealed_day` and `sealed_part`,
 * what an import brought of it in `import_day`, and the names of columns told the rest:
 * `path 3 import 5`.
 */
import type Sqlite from 'better-sqlite3';
import type { WorkDone } from '../model/work-done.ts';
import { readShipped } from '../package-root.ts';

type Database = Sqlite.Database;

/** The first version with a change, and what a person should know of it. */
const changes = {
  dayParts: [23, 'All parts of days are in one table, and the names of their columns are names alone.'],
  ruleImports: [24, 'Rules know which imports were finished when they were made.'],
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
} as const satisfies Record<string, readonly [since: number, text: string]>;

/** The version of a file of schema.sql, and the oldest one that can be converted. */
export const [schemaVersion, convertedVersion] = [Math.max(...Object.values(changes).map(([since]) => since)), 21];

/** What a conversion changes of a file of a version. */
export const conversionOf = (version: number): string =>
  Object.values(changes)
    .filter(([since]) => version < since)
    .map(([, text]) => text)
    .join(' ');

const old = ['sealed_day', 'sealed_part', 'import_day', 'sealed_column'];

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
    if (isBefore('dayParts')) yield* convertDays(db, version);
    else if (isBefore('ruleImports')) convertRules(db);
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

function* convertDays(db: Database, version: number): Generator<WorkDone> {
  const isOldest = version === convertedVersion;
  for (const table of old) db.exec(`alter table ${table} rename to old_${table}`);
  if (isOldest) db.exec(digestsAndNumbers.before);
  makeMissingTables(db);
  if (isOldest) db.exec(digestsAndNumbers.after);
  countImports(db);
  const days = db
    .prepare(
      `select site_id as siteId, day from old_sealed_column union select site_id, day from old_sealed_day
       union select site_id, day from old_import_day order by site_id, day`,
    )
    .all() as SiteDay[];
  const convert = dayConverter(db);
  for (const [i, of] of days.entries()) {
    convert(of);
    yield { unit: 'day', verb: 'converted', count: i + 1, of: days.length };
  }
  for (const table of old) db.exec(`drop table old_${table}`);
}

/** A rule was about imports up to an id. Ids of rules that went stay unused. */
const convertRules = (db: Database): void => {
  const has = db.prepare(`select 1 from sqlite_schema where name = 'rule'`).get() !== undefined;
  if (has) db.exec('alter table rule rename to old_rule');
  makeMissingTables(db);
  if (!has) return;
  db.exec(`
    insert into rule (id, site_id, filters, selects, period, from_at, to_at, imports, made_by, reason, created_at)
      select id, site_id, filters, selects, period, from_at, to_at,
        json_object('newest', imports, 'unfinished', json('[]')), made_by, reason, created_at from old_rule;
    delete from sqlite_sequence where name = 'rule';
    update sqlite_sequence set name = 'rule' where name = 'old_rule';
    drop table old_rule`);
};

/** Sites have digests, so that only those that changed are read, and numbers of keys come once. */
const digestsAndNumbers = {
  before: `
    alter table site add column digest text not null default '';
    update site set digest = lower(hex(randomblob(16)));
    alter table api_key rename to old_api_key`,
  after: `
    insert into api_key (id, account_id, name, digest, last_four, created_at, last_used_at)
      select id, account_id, name, digest, last_four, created_at, last_used_at from old_api_key;
    drop table old_api_key`,
};

interface SiteDay {
  siteId: number;
  day: number;
}

const makeMissingTables = (db: Database): void => {
  const isThere = db.prepare('select 1 from sqlite_schema where name = ?').pluck();
  const schema = readShipped('schema.sql').toString().replace(/--.*$/gm, '');
  for (const statement of schema.split(';')) {
    const name = /^\s*create (?:unique )?(?:table|index) (\w+)/.exec(statement)?.[1];
    if (name !== undefined && isThere.get(name) === undefined) db.exec(statement);
  }
};

const counted = ['visitors', 'visits', 'pageviews', 'events'];

const countImports = (db: Database): void => {
  for (const name of counted) {
    db.exec(`alter table import add column ${name} integer not null default 0;
      update import set ${name} = coalesce(
        (select sum(${name}) from old_import_day d where d.import_id = import.id),
        (select sum(${name}) from imported_sum s
         where s.site_id = import.site_id and s.import_id = import.id and dimension = ''), 0)`);
  }
};

/** `path 3 import 5` is the column `path` of the part 3 of what the import 5 brought. */
const columnName = /^(\w+)(?: (\d+))?(?: import (\d+))?$/;

/**
 * Converts a day: its rows first, then the columns that belong to them. An interruption left what
 * belongs to no part.
 */
const dayConverter = (db: Database): ((of: SiteDay) => void) => {
  const facts = 'visits, hash_visits, hits, first_at, last_at';
  const ofDay = 'site_id = @siteId and day = @day';
  const insert = `insert into day_part (site_id, day, import_id, number, parts, version, sealed_at, ${facts}, bytes)`;
  const insertParts = [
    `${insert} select d.site_id, d.day, 0, p.number, count(*) over (), d.version, d.sealed_at,
       ${facts.replaceAll(/(\w+)/g, 'p.$1')}, 0
     from old_sealed_part p join old_sealed_day d using (site_id, day) where p.${ofDay.replace('and ', 'and p.')}`,
    `${insert} select site_id, day, 0, 0, 1, version, sealed_at, ${facts}, 0 from old_sealed_day
     where ${ofDay} and not exists (select 1 from day_part where ${ofDay})`,
    // All parts of an import are of one version now.
    `${insert} select d.site_id, d.day, d.import_id, d.number, d.parts, sum(d.version) over (partition by d.import_id),
       coalesce(i.finished_at, i.created_at, 0), ${facts.replaceAll(/(\w+)/g, 'd.$1')}, 0
     from old_import_day d left join import i on i.id = d.import_id where d.${ofDay.replace('and ', 'and d.')}`,
  ].map(sql => db.prepare(sql));
  const parts = db.prepare(`select id, import_id as importId, number from day_part where ${ofDay}`);
  const columns = db.prepare(`select id, name from old_sealed_column where ${ofDay}`);
  const dataOf = db.prepare('select data from old_sealed_column where id = ?').pluck();
  const move = db.prepare(
    'insert into sealed_column (part_id, name, data) select @part, @name, data from old_sealed_column where id = @id',
  );
  const countBytes = db.prepare(
    `update day_part set bytes = (select coalesce(sum(length(data)), 0) from sealed_column where part_id = day_part.id)
     where ${ofDay}`,
  );
  const dropOld = db.prepare(`delete from old_sealed_column where ${ofDay}`);
  const note = dayNoter(db);

  return of => {
    for (const statement of insertParts) statement.run(of);
    const ids = new Map(
      (parts.all(of) as { id: number; importId: number; number: number }[]).map(part => [
        `${part.importId} ${part.number}`,
        part.id,
      ]),
    );
    for (const { id, name: all } of columns.all(of) as { id: number; name: string }[]) {
      const text = (): string => (dataOf.get(id) as Buffer).toString();
      const [, name, number = '0', importId = '0'] = columnName.exec(all) ?? [];
      if (all === 'brought') note.hits(of, text());
      else if (all === 'brought records') note.records(of, text());
      else if (name === 'counts') note.counted(of, Number(importId), Number(number), text());
      else {
        const part = ids.get(`${importId} ${number}`);
        if (name !== undefined && part !== undefined) move.run({ id, part, name });
      }
    }
    note.older(of);
    countBytes.run(of);
    // The pages are used for the next day, so the file does not grow.
    dropOld.run(of);
  };
};

/** As many as an import counts in one transaction. */
const pieceRows = 500;

/** What is not of a part and stood among its columns. */
const dayNoter = (db: Database) => {
  const upsert = (columns: readonly string[]): string =>
    `insert into brought_day (site_id, day, ${columns}) values (@siteId, @day, ${columns.map(name => `@${name}`)})
     on conflict do update set ${columns.map(name => `${name} = excluded.${name}`)}`;
  const hits = db.prepare(upsert(['sources', 'with_own', 'version']));
  const records = db.prepare(upsert(['records']));
  const count = db.prepare(
    `insert into import_count (site_id, day, import_id, number, counted)
     values (@siteId, @day, @importId, @number, @counted)`,
  );
  const older = db.prepare(
    `select import_id as importId, records from old_import_day
     where site_id = @siteId and day = @day and number = 0 and records <> '{}'`,
  );
  return {
    hits(of: SiteDay, text: string): void {
      const { sources, withOwn, version } = JSON.parse(text);
      hits.run({ ...of, sources: JSON.stringify(sources), with_own: withOwn ? 1 : 0, version });
    },
    records: (of: SiteDay, text: string) => records.run({ ...of, records: text }),
    counted: (of: SiteDay, importId: number, number: number, text: string) =>
      count.run({ ...of, importId, number, counted: text }),
    /** What an import of long ago counted is one long piece, and becomes several. */
    older(of: SiteDay): void {
      for (const row of older.all(of) as { importId: number; records: string }[]) {
        const { crawls, outcomes } = JSON.parse(row.records) as Record<'crawls' | 'outcomes', unknown[]>;
        for (let number = 0; number === 0 || number * pieceRows < crawls.length; number++) {
          const some = crawls.slice(number * pieceRows, (number + 1) * pieceRows);
          const piece = JSON.stringify({ crawls: some, outcomes: number === 0 ? outcomes : [] });
          count.run({ ...of, importId: row.importId, number, counted: piece });
        }
      }
    },
  };
};
