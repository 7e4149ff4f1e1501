-- The schema, applied to a new file. An older file is brought to it by src/store/conversion.ts, and a test proves that both ways give
-- the same. Times are UTC milliseconds, days are UTC day numbers,
-- `site_id` is site.id and text columns of visits and hits are ids of `text`; 0 stands for null in them.

-- Owner of sites and keys, with a plan. People see it as their team.
create table account (
  id            integer primary key,
  uuid          text    not null unique default (lower(hex(randomblob(16)))),
  name          text    not null unique,
  plan          text    not null default 'unlimited' check (plan in ('hobby', 'pro', 'business', 'unlimited')),
  second_factor integer not null default 0 check (second_factor in (0, 1)), -- 1: its members need a second factor
  created_at    integer not null
) strict;

-- Who signs in. autoincrement: the id of a person who was removed is never that of another.
create table person (
  id          integer primary key autoincrement,
  uuid        text    not null unique default (lower(hex(randomblob(16)))),
  email       text    not null unique, -- in lower case, as emailOf of src/model/values.ts
  name        text    not null default '',
  password    text,                    -- src/dashboard/passwords.ts; null for somebody who signs in otherwise, or not yet
  locale      text    not null default '{}' check (json_valid(locale)), -- language and formats of the dashboard, src/model/locale.ts
  handle      blob    not null unique default (randomblob(32)) check (length(handle) = 32), -- by which passkeys know the person
  totp        blob    check (length(totp) = 20), -- the secret of one-time codes (RFC 6238)
  totp_step   integer,                 -- the newest time step whose code was used
  is_operator integer not null default 0 check (is_operator in (0, 1)), -- may make teams and sees the servers
  disabled_at integer,
  created_at  integer not null
) strict;

-- A person in a team.
create table member (
  account_id integer not null references account (id) on delete cascade,
  person_id  integer not null references person (id) on delete cascade,
  role       text    not null check (role in ('owner', 'admin', 'editor', 'viewer')), -- src/model/rights.ts
  sites      text    check (json_valid(sites)),                          -- UUIDs; null: all, those to come too
  hidden     text    not null default '[]' check (json_valid(hidden)),   -- parts of src/model/public-parts.ts that they do not see
  created_at integer not null,
  primary key (account_id, person_id)
) strict, without rowid;
create index member_person on member (person_id);

-- One open invitation for an e-mail and team: `digest` is the SHA-256 of the token in its link.
create table invitation (
  id         integer primary key autoincrement,
  account_id integer not null references account (id) on delete cascade,
  email      text    not null,
  role       text    not null check (role in ('owner', 'admin', 'editor', 'viewer')),
  sites      text    check (json_valid(sites)),
  hidden     text    not null default '[]' check (json_valid(hidden)),
  digest     blob    not null unique check (length(digest) = 32),
  invited_by text    not null, -- e-mail, or cli
  created_at integer not null,
  expires_at integer not null,
  made_by    integer, -- the person, whose right to invite it takes; null for a command
  unique (account_id, email)
) strict;

-- What people did. `chain` is the SHA-256 of that of the row before and of this row, so that a row that is missing or changed shows
-- (src/store/accounts/audit.ts).
create table audit (
  id         integer primary key autoincrement,
  at         integer not null,
  account_id integer,
  person_id  integer,
  actor      text    not null, -- e-mail at the time, cli, server, or a key's name and last characters
  action     text    not null, -- src/model/audit.ts
  subject    text    not null,
  details    text    not null check (json_valid(details)),
  network    text    not null, -- of the address, /24 or /48; never the address
  chain      blob    not null check (length(chain) = 32)
) strict;
create index audit_account on audit (account_id, id);

-- Passkeys of people (WebAuthn).
create table passkey (
  credential_id blob    primary key,
  person_id     integer not null references person (id) on delete cascade,
  public_key    blob    not null,
  counter       integer not null,
  transports    text    not null check (json_valid(transports)),
  backed_up     integer not null check (backed_up in (0, 1)),
  name          text    not null,
  created_at    integer not null,
  last_used_at  integer
) strict, without rowid;
create index passkey_person on passkey (person_id);

-- Who a person is at a provider of sign-in (OpenID Connect).
create table identity (
  issuer     text    not null,
  subject    text    not null,
  person_id  integer not null references person (id) on delete cascade,
  created_at integer not null,
  primary key (issuer, subject)
) strict, without rowid;
create index identity_person on identity (person_id);

-- Codes for who lost their second factor, each once: `digest` is the SHA-256 of a code.
create table recovery_code (
  digest    blob    primary key check (length(digest) = 32),
  person_id integer not null references person (id) on delete cascade
) strict, without rowid;
create index recovery_code_person on recovery_code (person_id);

-- What a sign-in gave: `digest` is the SHA-256 of a random token that a browser or a program keeps. Of `kind` browser it is signed in to
-- the dashboard, of kind program to Umami's API; a known browser has signed in before (src/store/accounts/logins.ts).
create table login (
  digest       blob    primary key check (length(digest) = 32),
  person_id    integer not null references person (id) on delete cascade,
  used_at      integer not null,
  kind         text    not null default 'browser' check (kind in ('browser', 'program', 'known')),
  begun_at     integer not null default 0,
  confirmed_at integer not null default 0, -- when the person last proved who they are
  method       text    not null default 'password' check (method in ('password', 'passkey', 'oidc', 'link')),
  label        text    not null default '', -- Firefox on Linux
  sid          text    -- of the session at a provider of sign-in
) strict, without rowid;
create index login_person on login (person_id, kind, used_at);

-- One link a time to set a person's e-mail and password without knowing any, or to become the owner of an account that has none:
-- `digest` is the SHA-256 of its token.
create table sign_in_link (
  digest     blob    primary key check (length(digest) = 32),
  person_id  integer unique references person (id) on delete cascade,
  account_id integer unique references account (id) on delete cascade,
  expires_at integer not null,
  check ((person_id is null) <> (account_id is null))
) strict, without rowid;

-- autoincrement: the id of a removed or reset site is never used again, so nothing cached under it can come back.
create table site (
  id             integer primary key autoincrement,
  account_id     integer not null references account (id),
  uuid           text    not null unique,
  public_key     text    not null unique,
  domain         text    not null,
  timezone       text    not null,
  currency       text    not null,
  identity_mode  text    not null default 'hash' check (identity_mode in ('hash', 'cookie')),
  excluded_ips   text    not null default '[]' check (json_valid(excluded_ips)),
  excluded_paths text    not null default '[]' check (json_valid(excluded_paths)),
  created_at     integer not null,
  sender_hits    integer check (sender_hits > 0),  -- hits a second from one sender; null for the usual number
  sender_burst   integer check (sender_burst > 0), -- and hits at once
  visitor_key    text    not null default '', -- secret in the hashes of visitors with a cookie: nobody can choose these
  left_out       text    not null default '[]' check (json_valid(left_out)), -- suspect visits for these reasons are left out of its numbers
  embed_hosts    text    not null default '[]' check (json_valid(embed_hosts)), -- whose pages may show its public pages in a frame
  members        text    check (json_valid(members)), -- of a rollup: the UUIDs of the sites that it reads as one; null for a site
  digest         text    not null default '', -- of its settings: who knows it need not read the row again; empty: none is known
  allowed_hosts  text    not null default '[]' check (json_valid(allowed_hosts)), -- whose hits count; empty: of all
  excluded_countries text not null default '[]' check (json_valid(excluded_countries)), -- ISO 3166 codes, whose hits do not
  keep_days      integer check (keep_days > 0), -- older days are deleted; null: as KEEP_HITS_DAYS says
  unique (account_id, domain)
) strict;
create index site_digest on site (digest);

-- Messages that leave this server, such as mail: each once by its key, whatever restarts (src/outbox/).
create table outbox (
  id         integer primary key autoincrement,
  key        text    not null unique, -- what it is about and for whom, such as report:12:2026-11-16:ada@example.com
  kind       text    not null,        -- how it leaves: a row of src/roles/outbox.ts
  account_id integer,                 -- null for one that no team sends
  target     text    not null,        -- an e-mail, or what else its kind sends to
  body       text    not null check (json_valid(body)), -- {} once it has ended
  created_at integer not null,
  next_at    integer not null,        -- when it is tried next
  tries      integer not null default 0, -- that failed
  ended_at   integer,                 -- when it was sent or given up; null while it waits
  error      text                     -- of the last try; null for one that was sent
) strict;
create index outbox_next on outbox (kind, next_at) where ended_at is null;
create index outbox_ended on outbox (ended_at) where ended_at is not null;

-- Files that mails have attached. Several mails may name one by its digest.
create table outbox_file (
  digest     text    primary key,
  kept_until integer not null, -- before the content, which is long to read over
  content    text    not null
) strict;

-- Where a team wants to be told (src/model/alerts/channel-kinds.ts). What is secret is never shown again.
create table channel (
  id            integer primary key autoincrement,
  account_id    integer not null references account (id) on delete cascade,
  kind          text    not null,
  name          text    not null,
  target        text    not null,
  secret        text,
  old_secret    text,              -- signs beside the other until old_until
  old_until     integer,
  verified_at   integer,           -- when a message first arrived
  failing_since integer,
  disabled_at   integer,
  last_error    text,
  made_by       text    not null,  -- e-mail, cli, or a key
  created_at    integer not null,
  unique (account_id, name)
) strict;

-- Alerts of sites (src/model/alerts/kinds.ts).
create table alert (
  id          integer primary key autoincrement,
  site_id     integer not null,
  name        text    not null,
  kind        text    not null,
  filters     text    not null default '',  -- as people type them: path^=/shop; country=DE
  params      text    not null check (json_valid(params)),
  channel_ids text    not null default '[]' check (json_valid(channel_ids)),
  mail_owners integer not null default 0 check (mail_owners in (0, 1)), -- 1: owners of the team get mail
  enabled     integer not null default 1 check (enabled in (0, 1)),
  muted_until integer,
  mute_token  text    not null unique,      -- in messages: it can mute this alert, and nothing else
  made_by     text    not null,             -- e-mail, cli, a key, or server
  created_at  integer not null
) strict;
create index alert_site on alert (site_id);

-- What an alert last saw.
create table alert_state (
  alert_id     integer primary key references alert (id) on delete cascade,
  state        text    not null check (state in ('calm', 'firing', 'blind')),
  since        integer not null,
  value        real,
  expected     real,
  low          real,
  high         real,
  evaluated_at integer not null, -- the end of what was judged
  fired_at     integer,          -- the beginning of the newest episode that was told
  memory       text    not null check (json_valid(memory)) -- src/alerts/memory.ts
) strict;

-- Numbers of a site that are mailed after each day, week, month or quarter (src/reports/).
create table report (
  id         integer primary key autoincrement,
  account_id integer not null,
  site_id    integer not null,
  name       text    not null,
  cadence    text    not null check (cadence in ('day', 'week', 'month', 'quarter')),
  weekday    integer not null check (weekday between 1 and 7), -- that weeks begin with, 1 for Monday
  hour       integer not null check (hour between 0 and 23),   -- of the site's zone, at which it is sent
  language   text    not null,                                 -- for who has not chosen one
  filters    text    not null,                                 -- as in an address
  blocks     text    not null check (json_valid(blocks)),      -- what is in it: names of src/model/reports.ts
  skip_empty integer not null check (skip_empty in (0, 1)),    -- not sent for a period without visitors
  paused     text    check (paused in ('person', 'filters')),  -- who stopped it: somebody, or filters that no longer are
  timezone   text    not null,                                 -- of the site when next_at was worked out
  next_at    integer not null,
  period     text,                                             -- the newest one that was made: 2026-11-16_2026-11-22
  made_at    integer,
  skipped    integer not null default 0,                       -- periods before it that nobody made in time
  made_by    integer,                                          -- the person
  created_at integer not null,
  channels   text    not null default '[]' check (json_valid(channels)), -- ids of those that are told the headline figures
  parts      text    not null default '[]' check (json_valid(parts)),    -- what others get besides what the public page shows
  csv        integer not null default 0 check (csv in (0, 1))            -- attached to the mail
) strict;
create index report_site on report (site_id);
create index report_next on report (next_at) where paused is null;

-- Who gets a report. The token is in the links of the mail and kept as it is, since each mail has it.
create table report_recipient (
  token        text    primary key,
  report_id    integer not null references report (id) on delete cascade,
  person_id    integer references person (id) on delete cascade, -- a member of the team; null for anybody else
  email        text    not null,
  asked_at     integer,
  confirmed_at integer,
  ended_at     integer,
  ended        text    check (ended in ('unsubscribed', 'no-access')),
  unique (report_id, email)
) strict, without rowid;
create index report_recipient_person on report_recipient (person_id);

-- Other names that hits and questions may know a site by: a domain, a UUID, `matomo:1` or `goatcounter:code`.
create table site_alias (
  alias   text    primary key,
  site_id integer not null
) strict, without rowid;
create index site_alias_site on site_alias (site_id);

-- Links to public pages of sites. The token is kept as it is, since who made the link must be able to see its address again.
create table share (
  id           integer primary key autoincrement,
  site_id      integer not null,
  name         text    not null,
  token        text    not null unique,
  parts        text    not null default '[]' check (json_valid(parts)), -- what it shows besides numbers, src/model/public-parts.ts
  segment      text,    -- name of the segment that all its numbers are of; null for all hits
  password     text,    -- src/dashboard/passwords.ts; null for none
  expires_at   integer, -- null: never
  created_at   integer not null,
  last_used_at integer,
  unique (site_id, name)
) strict;

-- Ids of sites that were removed or reset, while rows of theirs may still be there.
create table dropped_site (
  id integer primary key
) strict;

-- `digest` is the SHA-256 of the key; the key itself is shown once and kept nowhere.
create table api_key (
  id           integer primary key autoincrement,
  account_id   integer not null references account (id),
  name         text    not null,
  digest       blob    not null unique check (length(digest) = 32),
  last_four    text    not null,
  created_at   integer not null,
  last_used_at integer,
  scopes       text    not null default '["read","notes","ingest"]' check (json_valid(scopes)), -- src/model/scopes.ts
  sites        text    check (json_valid(sites)), -- UUIDs; null: all of the account, those to come too
  expires_at   integer, -- null: never
  made_by      integer  -- the person
) strict;

-- Programs that registered to ask people for access (src/oauth/); others are known by an address.
create table oauth_client (
  id         text    primary key,
  name       text    not null, -- as it calls itself
  redirects  text    not null check (json_valid(redirects)), -- where it may be sent a code
  created_at integer not null
) strict, without rowid;

-- Access that a person gave to a program.
create table oauth_grant (
  id           integer primary key autoincrement,
  person_id    integer not null references person (id) on delete cascade,
  client_id    text    not null, -- of oauth_client, or an address
  client_name  text    not null,
  redirect     text    not null, -- where the code was sent
  challenge    text    not null, -- SHA-256 of what the program shows for tokens
  scopes       text    not null check (json_valid(scopes)),
  sites        text    check (json_valid(sites)), -- UUIDs; null: all that the person may read, those to come too
  created_at   integer not null,
  last_used_at integer
) strict;
create index oauth_grant_person on oauth_grant (person_id);
create index oauth_grant_client on oauth_grant (client_id);

-- The codes and tokens of a grant, as SHA-256. One that is spent stays, so that its thief is noticed.
create table oauth_secret (
  digest     blob    primary key check (length(digest) = 32),
  grant_id   integer not null references oauth_grant (id) on delete cascade,
  kind       text    not null check (kind in ('code', 'spent-code', 'access', 'refresh', 'spent-refresh')),
  expires_at integer not null
) strict, without rowid;
create index oauth_secret_grant on oauth_secret (grant_id);

-- How many major units of `target` one major unit of `source` is worth.
create table rate (
  source text not null,
  target text not null,
  rate   real not null check (rate > 0),
  primary key (source, target)
) strict, without rowid;

-- What a file of settings named when it was applied last (src/provision/): `owner` is the id of the site or team that it is in, `key` the
-- values that name it, `fields` those that the file sets.
create table provisioned (
  kind    text    not null,
  owner   text    not null,
  key     text    not null check (json_valid(key)),
  fields  text    not null check (json_valid(fields)),
  is_made integer not null check (is_made in (0, 1)), -- 1: the file made it
  file    text    not null, -- its name
  primary key (kind, owner, key)
) strict, without rowid;

-- Goals, segments and funnels of sites, by name: `body` is JSON (src/model/definitions.ts).
create table definition (
  site_id    integer not null,
  kind       text    not null check (kind in ('goal', 'segment', 'funnel')),
  name       text    not null,
  body       text    not null check (json_valid(body)),
  created_at integer not null,
  primary key (site_id, kind, name)
) strict, without rowid;

-- Notes on days of sites (src/model/notes.ts). autoincrement: the id of a removed note is never that of another.
create table note (
  id         integer primary key autoincrement,
  site_id    integer not null,
  date       text    not null,  -- a local day of the site: 2026-11-20
  kind       text    not null check (kind in ('person', 'outage', 'zone', 'import', 'alert')),
  text       text    not null,
  created_at integer not null
) strict;
create index note_site on note (site_id, date);

-- One row: the salt of the newest UTC day. Yesterday's is overwritten, so yesterday's visitors can't be recomputed.
create table salt (
  one  integer primary key check (one = 1),
  day  integer not null,
  salt blob    not null
) strict;

-- One row: the salt of the UTC day after it, which a primary hands out before that day begins. It is zeros once it is in `salt`.
create table next_salt (
  one  integer primary key check (one = 1),
  day  integer not null,
  salt blob    not null
) strict;

-- One row, of a server of a cluster: the cluster that it belongs to, as each shard on ClickHouse says it (src/cluster/placement.ts).
create table cluster (
  one integer primary key check (one = 1),
  id  text    not null -- 32 hexadecimal digits
) strict;

-- The control states of a cluster, by their tags: those that a primary handed out, and of others those that its followers showed
-- and it did not know (src/store/control-tags.ts).
create table control_tag (
  tag    text    primary key,
  role   text    not null,
  digest text    not null, -- of what was handed out; empty for one that is not this primary's
  known  integer not null check (known in (0, 1)),
  at     integer not null
) strict;

-- Of a primary: the tokens of other servers by the names that they were given; `digest` is the SHA-256 of a token.
create table node_token (
  name       text    primary key,
  role       text    not null check (role in ('collect', 'answer')),
  digest     blob    not null unique check (length(digest) = 32),
  created_at integer not null
) strict;

-- Of a primary: the collectors that follow it. autoincrement: a number is given once and never again. The primary itself is 0.
create table node (
  number     integer primary key autoincrement check (number between 1 and 65535),
  identity   text    not null unique,
  created_at integer not null
) strict;

-- One row, of a server that follows a primary: who it is, and what it goes on with while that is away.
create table follower (
  one         integer primary key check (one = 1),
  identity    text    not null,
  number      integer,           -- null until the primary gave it one
  primary_url text    not null,
  clickhouse  text,              -- where the primary says that it is
  tag         text               -- of the control state that it has; null for one without a tag
) strict;

-- Of a collector: a row for each start that took hits that are still here, with a name that no other start has (src/store/epochs.ts).
create table epoch (
  first_hit integer primary key, -- the lowest id of its hits
  id        integer not null     -- random, from 0 to below 2^63
) strict;

-- One row, of a server that brings its hits to a cluster (src/store/forwarded.ts).
create table forwarded (
  one      integer primary key check (one = 1),
  node     integer not null,
  hit_id   integer not null,
  revision integer not null,
  removed  text    not null
) strict;

-- Of a cluster: visitors that were erased, so that hits which a server still has, or brings later, go as well (src/store/erased.ts).
create table erased_visitor (
  site_id integer not null,
  visitor blob    not null check (length(visitor) = 8),
  day     integer not null,           -- UTC; 0 for all days
  before  integer not null,           -- visits that began earlier go, UTC milliseconds
  done    integer not null default 0, -- by this server: 1 when its rows and those on ClickHouse were, 2 when its file was
  primary key (site_id, visitor, day)
) strict, without rowid;

-- Every text a site's visits, hits and records refer to, once. Ids are dense per site and begin at 1. The index holds the beginning
-- of a text and a digest (src/store/texts.ts), so that long ones do not stand in the file twice.
create table text (
  site_id integer not null,
  id      integer not null check (id > 0),
  value   text    not null,
  digest  blob    not null default x'', -- empty for a text that the index holds whole
  primary key (site_id, id)
) strict, without rowid;
create unique index text_start on text (site_id, substr(value, 1, 64), digest);

-- Open days: a server only inserts rows, and drops them when their day is sealed. What changes during a visit (its end, exit page,
-- number of pageviews) is folded from its hits when it is read. Clustered by site and day, so that one site's day is read,
-- and later dropped, without touching another's; ids ascend in the order of arrival over all sites.
create table visit (
  site_id       integer not null,
  day           integer not null,
  id            integer not null,
  visitor       blob    not null check (length(visitor) = 8),
  persistent    integer not null check (persistent in (0, 1)),  -- 1: the visitor id outlives the day (cookie mode)
  seen_before   integer not null check (seen_before in (0, 1)), -- 1: and it was seen on an earlier day
  referrer      integer not null,
  utm_source    integer not null,
  utm_medium    integer not null,
  utm_campaign  integer not null,
  utm_term      integer not null,
  utm_content   integer not null,
  country       integer not null,
  region        integer not null,
  city          integer not null,
  language      integer not null,
  browser       integer not null,
  os            integer not null,
  device        integer not null,
  screen        integer not null,                               -- width * 65536 + height, not a text
  click_id      integer not null default 0,
  network       integer not null default 0,
  primary key (site_id, day, id)
) strict, without rowid;

-- `type` is a code of src/model/hit.ts; `identify` and `duration` do not count as hits and only extend or name their visit.
create table hit (
  site_id    integer not null,
  day        integer not null,
  id         integer not null,
  visit_id   integer not null,
  at         integer not null,
  type       integer not null check (type between 1 and 6),
  path       integer not null,
  hostname   integer not null,
  title      integer not null,
  query      integer not null,
  event      integer not null,
  duration   integer not null check (duration between 0 and 1800000), -- of the page before, or of the flushed page
  amount     real,              -- revenue in minor units of `currency`
  currency   integer not null,
  properties text,              -- JSON [key, type, value, ...] with text ids for keys, strings and dates; of an identify: [identified, traits]
  scroll     integer check (scroll between 0 and 100), -- percent of the page before, or of the flushed page, that was seen; null when not told
  primary key (site_id, day, id),
  check ((amount is null) = (type <> 4))
) strict, without rowid;
-- The identifies of a visit, so that a new one is added to what earlier ones said.
create index hit_identity on hit (site_id, day, visit_id) where type = 5;

-- The first day on which a visitor of cookie mode had a counting hit, so that a later visit knows it is not the first.
create table cookie_visitor (
  site_id integer not null,
  visitor blob    not null,
  day     integer not null,
  primary key (site_id, visitor)
) strict, without rowid;

-- Days as columns. A part of a day holds the visitors of some hashes, and what an import brought of a day is parts of its own. A part is
-- written first, column by column, and counts from the moment that `sealed_at` says; parts of an import count once that is finished,
-- too. Parts without it are being written, or on their way out. All parts that came together are of one version, which the next ones that
-- take their place do not have: readers name by it what they keep. autoincrement: an id is never that of another part.
create table day_part (
  id          integer primary key autoincrement,
  site_id     integer not null,
  day         integer not null,
  import_id   integer not null,  -- 0: it was collected
  number      integer not null,  -- from 0
  parts       integer not null,  -- a power of two
  version     integer not null default 0,
  sealed_at   integer,
  visits      integer not null,
  hash_visits integer not null,  -- visits of hash mode, which come first
  hits        integer not null,
  first_at    integer not null,
  last_at     integer not null,
  bytes       integer not null   -- of its columns
) strict;
create unique index day_part_sealed on day_part (site_id, day, import_id, number) where sealed_at is not null;
create index day_part_unsealed on day_part (site_id, day) where sealed_at is null;

create table sealed_column (
  id      integer primary key,
  part_id integer not null references day_part (id) deferrable initially deferred,
  name    text    not null,      -- of src/model/columns.ts, or one of those beside them (src/store/day/part.ts)
  data    blob    not null,      -- src/store/day/column-codec.ts
  unique (part_id, name)
) strict;

-- What whole sealed days add up to (src/store/day/day-sums.ts): `version` names the hits of the day that were summed, and the sum of the
-- name '' says that a day was looked at. Clustered by name, so that a question about a year reads one range.
create table day_sum (
  site_id integer not null,
  name    text    not null,
  day     integer not null,
  version text    not null,
  data    blob    not null,
  primary key (site_id, name, day)
) strict, without rowid;
create index day_sum_day on day_sum (site_id, day);

-- Days that earlier versions brought from a cluster (src/store/day/brought-days.ts).
create table brought_day (
  site_id  integer not null,
  day      integer not null,
  sources  text    check (json_valid(sources)), -- by node, the version of its hits that came; null where none came
  with_own integer check (with_own in (0, 1)),  -- 1: with the hits that were here
  version  integer,                             -- of the day as it came: with another one it was changed here
  records  text    not null default '[]' check (json_valid(records)), -- the epochs whose records an earlier version brought
  primary key (site_id, day)
) strict, without rowid;

-- Imports. What one brought belongs to the site as soon as it is finished, all at once (src/store/imports/). autoincrement: the id
-- is never that of another import.
create table import (
  id          integer primary key autoincrement,
  site_id     integer not null,
  kind        text    not null check (kind in ('hits', 'sums')),
  format      text    not null,  -- src/import/formats.ts
  source      text    not null,  -- name of the file
  digest      blob    not null check (length(digest) = 32), -- SHA-256 of what was read
  lines       integer not null,
  outcomes    text    not null check (json_valid(outcomes)), -- how many lines ended in which way
  totals      text    not null check (json_valid(totals)),   -- what the source counts; {} where it does not tell
  first_at    integer not null,
  last_at     integer not null,
  created_at  integer not null,
  finished_at integer,           -- null while it is under way, and where it was interrupted
  visitors    integer not null default 0, -- what Daybook counted of it as it came, like the next three
  visits      integer not null default 0,
  pageviews   integer not null default 0,
  events      integer not null default 0
) strict;

-- What an import counted beside hits, in pieces, so that it can be taken back (src/store/imports/import-counts.ts).
create table import_count (
  site_id   integer not null,
  import_id integer not null,
  day       integer not null,
  number    integer not null,
  counted   text    not null check (json_valid(counted)),
  primary key (site_id, import_id, day, number)
) strict, without rowid;

-- What other products counted on a day, in all (dimension '') and by value; null where they do not tell. Their days are from_at <=
-- at < to_at. Days on which the site has hits of its own, or had earlier ones, do not count (src/query/imported-days.ts).
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
) strict, without rowid;

-- Rules: each leaves the hits that some filters select out of all that is read (src/query/removal-rules/). autoincrement: the id names
-- what was kept of days under the rule.
create table rule (
  id         integer primary key autoincrement,
  site_id    integer not null,
  filters    text    not null,  -- as people type them: path^=/wp-; country=DE
  selects    text    not null check (json_valid(selects)), -- the same as a question has them (src/query/query.ts)
  period     text    not null,  -- as a file name of the API has it: 2026-10-01_2026-10-07, or all
  from_at    integer not null,  -- it is about hits at from_at <= at < to_at, none of which came after it was made
  to_at      integer not null,
  imports    text    not null check (json_valid(imports)), -- and about what imports brought up to {"newest": id} but not {"unfinished": [id]}
  made_by    text,              -- name of the account; null for a command
  reason     text,
  created_at integer not null
) strict;

-- Removals by earlier versions: each took hits out of days, into a file, to be put back from there (src/store/moved-hits/).
create table removal (
  id          integer primary key autoincrement,
  site_id     integer not null,
  filters     text    not null,  -- as people type them: path^=/wp-; country=DE
  period      text    not null,  -- as a file name of the API has it: 2026-10-01_2026-10-07, or all
  file        text    not null,
  hits        integer not null,
  created_at  integer not null,
  finished_at integer            -- null while it is under way, and where it was interrupted
) strict;

-- Web vitals, one row per report; a metric that was not reported is null. Milliseconds, cls without unit.
create table vital (
  id      integer primary key,
  site_id integer not null,
  at      integer not null,
  path    integer not null,
  device  integer not null,
  lcp     real,
  inp     real,
  cls     real,
  fcp     real,
  ttfb    real,
  import_id integer not null default 0, -- that brought it
  epoch   integer not null default 0    -- as of crawl
) strict;
create index vital_at on vital (site_id, at);

-- Crawlers and automated browsers, counted per quarter hour (every time zone's days begin on one). A counter belongs to the epoch that
-- counts, so that a cluster can add up what copies of a collector's directory count; 0 on all other servers.
create table crawl (
  site_id integer not null,
  quarter integer not null,      -- UTC milliseconds / 900000
  name    integer not null,
  path    integer not null,
  status  integer not null,      -- HTTP status where a server reported it, else 0
  epoch   integer not null default 0,
  crawls  integer not null,
  primary key (site_id, quarter, name, path, status, epoch)
) strict, without rowid;

-- How every hit ended. site_id 0: no site could be told.
create table outcome (
  site_id integer not null,
  hour    integer not null,      -- UTC milliseconds / 3600000
  outcome text    not null,
  epoch   integer not null default 0,
  hits    integer not null,
  primary key (site_id, hour, outcome, epoch)
) strict, without rowid;

-- How many texts became (other), because the allowance of their kind was used up: the site's for the day, or one sender's part of it.
create table other_text (
  site_id integer not null,
  hour    integer not null,      -- UTC milliseconds / 3600000
  kind    text    not null,      -- src/model/text-kinds.ts
  bound   text    not null,      -- site or sender
  epoch   integer not null default 0,
  texts   integer not null,
  primary key (site_id, hour, kind, bound, epoch)
) strict, without rowid;
