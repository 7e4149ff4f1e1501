/**
 * Changes to the schema since its first version, in order. Each brings a file from the version
 * before it to the next one and is never edited once released; schema.sql always shows their sum,
 * and test/store/database.test.ts proves that the two agree.
 */

export interface Migration {
  /** What it changes and why, in a sentence. */
  purpose: string;
  sql: string;
}

export const migrations: readonly Migration[] = [
  {
    purpose: 'A site may bound what one sender sends by numbers of its own.',
    sql: `
      alter table site add column sender_hits integer check (sender_hits > 0);
      alter table site add column sender_burst integer check (sender_burst > 0);`,
  },
  {
    purpose: 'A public page shows numbers alone, and more only where its owner says so.',
    sql: `alter table site add column public_parts text not null default '[]' check (json_valid(public_parts));`,
  },
  {
    purpose: 'Hits can be taken out of days after the fact, and put back.',
    sql: `
      alter table sealed_day add column version integer not null default 0;
      create table removal (
        id          integer primary key autoincrement,
        site_id     integer not null,
        filters     text    not null,
        period      text    not null,
        file        text    not null,
        hits        integer not null,
        created_at  integer not null,
        finished_at integer
      ) strict;
      create table removed_hits (
        site_id    integer not null,
        day        integer not null,
        removal_id integer not null,
        hits       blob    not null,
        primary key (site_id, day, removal_id)
      ) strict, without rowid;`,
  },
  {
    purpose: 'Days of many hits are sealed in parts, so that one part at a time fits in memory.',
    sql: `create table sealed_part (
  site_id     integer not null,
  day         integer not null,
  number      integer not null,  -- from 0
  visits      integer not null,
  hash_visits integer not null,
  hits        integer not null,
  first_at    integer not null,
  last_at     integer not null,
  primary key (site_id, day, number)
) strict, without rowid;`,
  },
  {
    purpose: 'Long texts stand in the file once, and texts that became (other) are counted.',
    sql: `
      alter table text add column digest blob not null default x'';
      update text set digest = text_digest(value) where text_digest(value) <> x'';
      drop index text_value;
      create unique index text_start on text (site_id, substr(value, 1, 64), digest);
      create table other_text (
        site_id integer not null,
        hour    integer not null,
        kind    text    not null,
        bound   text    not null,
        texts   integer not null,
        primary key (site_id, hour, kind, bound)
      ) strict, without rowid;`,
  },
  {
    purpose:
      'Hashes of visitors with a cookie hold a secret, so that nobody can choose them. Where there are some already, visitors stay who they are.',
    sql: `
      alter table site add column visitor_key text not null default '';
      update site set visitor_key = lower(hex(randomblob(32)))
      where not exists (select 1 from cookie_visitor c where c.site_id = site.id);`,
  },
  {
    purpose: 'How much of a page was seen is kept.',
    sql: 'alter table hit add column scroll integer check (scroll between 0 and 100);',
  },
  {
    purpose: 'Visits keep the kind of an ad’s click and the network they came from.',
    sql: `
      alter table visit add column click_id integer not null default 0;
      alter table visit add column network integer not null default 0;`,
  },
  {
    purpose: 'A site can leave suspect visits out of its numbers.',
    sql: `alter table site add column left_out text not null default '[]' check (json_valid(left_out));`,
  },
  {
    purpose: 'A site has goals, segments and funnels under names.',
    sql: `
      create table definition (
        site_id    integer not null,
        kind       text    not null check (kind in ('goal', 'segment', 'funnel')),
        name       text    not null,
        body       text    not null check (json_valid(body)),
        created_at integer not null,
        primary key (site_id, kind, name)
      ) strict, without rowid;`,
  },
  {
    purpose: 'A site may be known by other names, such as those that another product gave it.',
    sql: `
      create table site_alias (
        alias   text    primary key,
        site_id integer not null
      ) strict, without rowid;`,
  },
  {
    purpose: 'What earlier identifies of a visit said is found without a look at its other hits.',
    sql: 'create index hit_identity on hit (site_id, day, visit_id) where type = 5;',
  },
  {
    purpose: 'An account chooses the language and the formats of its dashboard.',
    sql: `alter table account add column locale text not null default '{}' check (json_valid(locale));`,
  },
  {
    purpose: 'An import is a thing: it is listed, taken back as a whole, and resumed.',
    sql: `
      create table import (
        id          integer primary key autoincrement,
        site_id     integer not null,
        kind        text    not null check (kind in ('hits', 'sums')),
        format      text    not null,
        source      text    not null,
        digest      blob    not null check (length(digest) = 32),
        lines       integer not null,
        outcomes    text    not null check (json_valid(outcomes)),
        totals      text    not null check (json_valid(totals)),
        first_at    integer not null,
        last_at     integer not null,
        created_at  integer not null,
        finished_at integer
      ) strict;

      create table import_day (
        site_id     integer not null,
        day         integer not null,
        import_id   integer not null,
        number      integer not null,
        parts       integer not null,
        visits      integer not null,
        hash_visits integer not null,
        hits        integer not null,
        first_at    integer not null,
        last_at     integer not null,
        bytes       integer not null,
        version     integer not null default 0,
        visitors    integer not null,
        pageviews   integer not null,
        events      integer not null,
        records     text    not null check (json_valid(records)),
        primary key (site_id, day, import_id, number)
      ) strict, without rowid;
      alter table vital add column import_id integer not null default 0;`,
  },
  {
    purpose: 'A site says which hosts may show its public page in a frame.',
    sql: `alter table site add column embed_hosts text not null default '[]' check (json_valid(embed_hosts));`,
  },
  {
    purpose: 'Days of a site have notes, by people and by the server itself.',
    sql: `
      create table note (
        id         integer primary key autoincrement,
        site_id    integer not null,
        date       text    not null,
        kind       text    not null check (kind in ('person', 'outage', 'zone', 'import')),
        text       text    not null,
        created_at integer not null
      ) strict;
      create index note_site on note (site_id, date);`,
  },
  {
    purpose: 'Other products’ sums of days belong to a site, before its own first hit.',
    sql: `
      create table imported_sum (
        site_id   integer not null,
        import_id integer not null,
        dimension text    not null,
        from_at   integer not null,
        value     text    not null,
        to_at     integer not null,
        visitors  integer,
        visits    integer,
        bounces   integer,
        visit_ms  integer,
        pageviews integer,
        events    integer,
        primary key (site_id, import_id, dimension, from_at, value)
      ) strict, without rowid;`,
  },
  {
    purpose: 'A rollup reads several sites as one.',
    sql: `alter table site add column members text check (json_valid(members));`,
  },
  {
    purpose: 'A server follows a primary: who it is, its number, and the salt of the next day.',
    sql: `
      create table next_salt (
        one  integer primary key check (one = 1),
        day  integer not null,
        salt blob    not null
      ) strict;
      create table node (
        number     integer primary key autoincrement check (number between 1 and 65535),
        identity   text    not null unique,
        created_at integer not null
      ) strict;
      create table follower (
        one         integer primary key check (one = 1),
        identity    text    not null,
        number      integer,
        old_number  integer,
        primary_url text    not null,
        clickhouse  text
      ) strict;
      create table forwarded (
        one      integer primary key check (one = 1),
        node     integer not null,
        hit_id   integer not null,
        revision integer not null,
        removed  text    not null
      ) strict;`,
  },
  {
    purpose: 'Programs that sign in and browsers that have signed in before keep random tokens, too.',
    sql: `
      alter table login add column kind text not null default 'browser' check (kind in ('browser', 'program', 'known'));
      drop index login_account;
      create index login_account on login (account_id, kind, used_at);`,
  },
  {
    purpose: 'Of the sites only those that changed are read again, and no key gets the number of one that was revoked.',
    sql: `
      alter table site add column digest text not null default '';
      update site set digest = lower(hex(randomblob(16)));
      create index site_digest on site (digest);
      create index site_alias_site on site_alias (site_id);
      alter table api_key rename to old_api_key;
      create table api_key (
        id           integer primary key autoincrement,
        account_id   integer not null references account (id),
        name         text    not null,
        digest       blob    not null unique check (length(digest) = 32),
        last_four    text    not null,
        created_at   integer not null,
        last_used_at integer
      ) strict;
      insert into api_key select id, account_id, name, digest, last_four, created_at, last_used_at from old_api_key;
      drop table old_api_key;`,
  },
];
