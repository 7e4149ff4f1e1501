import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { HitType } from '../../src/model/hit.ts';
import { dayMs, utcDayName } from '../../src/model/time.ts';
import { type Database, lockDataDir, openDatabase } from '../../src/store/database.ts';
import { dayReader } from '../../src/store/day/day-reader.ts';
import { sealAll, sealDay, sealer } from '../../src/store/day/seal.ts';
import { pruner } from '../../src/store/maintenance/prune.ts';
import { type Entry, recorder } from '../../src/store/write/recorder.ts';
import { addSite, hitRecord, recordedEntry, temporaryDir, visitRecord } from '../helpers.ts';
import { runCommand, testNow, type World } from './helpers.ts';

/** 2026-11-20, the day of the tests' clock. */
const today = testNow / dayMs - 0.5;

const visitors = { ada: 'aa00000000000001', bob: 'bb00000000000002', eve: 'ee00000000000003' };

/** What one day of one site holds: its own texts, a cookie visitor, marks, a crawl and a vital. */
const entriesOf = (siteId: number, day: number, visitor: keyof typeof visitors, firstId: number): Entry[] => {
  const at = day * dayMs;
  const hit = (type: HitType, fields = {}) =>
    recordedEntry(
      hitRecord({ siteId, day, visitId: firstId, at, type, path: `/${day}`, title: `Title ${day}`, ...fields }),
    );
  return [
    {
      ...hit('pageview'),
      cookieVisitor: Buffer.from(visitors[visitor], 'hex'),
      visit: visitRecord({
        siteId,
        day,
        id: firstId,
        visitor: Buffer.from(visitors[visitor], 'hex'),
        persistent: true,
        city: `City ${day}`,
      }),
    },
    hit('custom', {
      event: 'Signup',
      properties: [
        { key: `key ${day}`, type: 'string', value: `value ${day}` },
        { key: 'n', type: 'number', value: 3 },
        { key: 'due', type: 'date', value: utcDayName(day) },
      ],
    }),
    hit('identify', { path: null, title: null, identity: { name: `Name ${day}`, traits: `{"day":${day}}` } }),
    { siteId, at, outcome: 'crawler', crawl: { siteId, at, name: `Bot ${day}`, path: '/', status: 200 } },
    {
      siteId,
      at,
      outcome: 'recorded',
      vital: {
        siteId,
        at,
        path: `/vital ${day}`,
        device: 'desktop',
        lcp: 1,
        inp: null,
        cls: null,
        fcp: null,
        ttfb: null,
      },
    },
    { siteId: 0, at, outcome: 'unknown-site' },
  ];
};

interface Plan {
  age: number;
  visitor: keyof typeof visitors;
}
/** Ada comes on an old day and today, Bob on old days only, Eve on a kept day. */
const plan: Plan[] = [
  { age: 40, visitor: 'ada' },
  { age: 31, visitor: 'bob' },
  { age: 30, visitor: 'eve' },
  { age: 1, visitor: 'eve' },
  { age: 0, visitor: 'ada' },
];

/** A data directory with two sites and those days; `seal` says how many of the days are sealed. */
const filled = (days: readonly Plan[], seal = true): { dir: string; db: Database } => {
  const dir = temporaryDir();
  const db = openDatabase(dir);
  const siteIds = [addSite(db).id, addSite(db).id];
  const record = recorder(db);
  let id = 1;
  for (const { age, visitor } of days)
    for (const siteId of siteIds) record.write(entriesOf(siteId, today - age, visitor, id++));
  if (seal) sealAll(db, today, 0);
  return { dir, db };
};

const tables = ['day_part', 'sealed_column', 'visit', 'hit', 'vital', 'crawl', 'outcome', 'cookie_visitor', 'text'];
const rowCounts = (db: Database): Record<string, number> =>
  Object.fromEntries(tables.map(name => [name, db.prepare(`select count(*) from ${name}`).pluck().get() as number]));

const texts = (db: Database): string[] =>
  db.prepare('select distinct value from text order by value').pluck().all() as string[];
const daysOf = (db: Database): number[] => Array.from(dayReader(db, 0).days(1, 0, 4e12), ({ day }) => day);
const knownVisitors = (db: Database): string[] =>
  db.prepare('select distinct lower(hex(visitor)) from cookie_visitor order by 1').pluck().all() as string[];

const prune = (dir: string, ...flags: string[]) => runCommand(dir, ['prune', '--older-than', '30', '--json', ...flags]);

test('prune leaves what there would be without the old days, except who came before', async () => {
  const { dir, db } = filled(plan);
  const want = filled(plan.filter(({ age }) => age <= 30)).db;
  const ran = await prune(dir);
  assert.is(ran.code, 0);
  assert.equal(
    ran
      .json()
      .sites.map(({ domain, days, hits, first, last }: Record<string, unknown>) => [domain, days, hits, first, last]),
    [
      ['site1.example', 2, 4, '2026-10-11', '2026-10-20'],
      ['site2.example', 2, 4, '2026-10-11', '2026-10-20'],
    ],
  );
  assert.equal([ran.json().before, ran.json().dryRun, ran.json().swept], ['2026-10-21', false, true]);
  assert.equal(daysOf(db), [today - 30, today - 1, today]);
  assert.equal(rowCounts(db), rowCounts(want));
  assert.equal(texts(db), texts(want));
  assert.equal(knownVisitors(db), [visitors.ada, visitors.eve]);
  assert.equal((await runCommand(dir, ['check', '--json'])).json().problems, []);
  const again = await prune(dir);
  assert.equal(again.json().sites, []);
  assert.equal(rowCounts(db), rowCounts(want));
});

test('a dry run shows the same and deletes nothing', async () => {
  for (const seal of [true, false]) {
    const { dir, db } = filled(plan, seal);
    const before = rowCounts(db);
    const dry = (await prune(dir, '--dry-run')).json();
    assert.equal(rowCounts(db), before);
    const { sites } = (await prune(dir)).json();
    const facts = (all: Record<string, unknown>[]) => all.map(({ bytes: _, ...rest }) => rest);
    assert.equal(facts(dry.sites), facts(sites));
    assert.is(dry.dryRun, true);
    assert.equal(daysOf(db), [today - 30, today - 1, today]);
  }
});

test('beside a running server texts stay, since it remembers their ids', async () => {
  const { dir, db } = filled(plan);
  const unlock = lockDataDir(dir);
  const before = texts(db);
  const ran = await prune(dir);
  assert.equal([ran.code, ran.json().swept], [0, false]);
  assert.equal(daysOf(db), [today - 30, today - 1, today]);
  assert.equal(texts(db), before);
  unlock();
  assert.is((await prune(dir)).json().swept, true);
  assert.ok(texts(db).length < before.length);
});

test('new texts get no ids in use after a sweep', async () => {
  const { dir, db } = filled(plan);
  await prune(dir);
  const record = recorder(db);
  record.write(entriesOf(1, today, 'bob', 100).slice(0, 2));
  record.write([
    recordedEntry(hitRecord({ siteId: 1, day: today, visitId: 100, at: today * dayMs, path: '/brand new' })),
  ]);
  assert.equal((await runCommand(dir, ['check', '--json'])).json().problems, []);
});

test('days of one site are deleted as if it was the only one, and all of the other stays', async () => {
  for (const siteId of [1, 2]) {
    const { db } = filled(plan);
    const want = filled(plan);
    const { hasOld, drop } = pruner(db);
    assert.equal([hasOld(siteId, today - 30), hasOld(siteId, today - 50)], [true, false]);
    for (const _ of drop(today - 30, { siteId }));
    assert.equal([hasOld(siteId, today - 30), hasOld(3 - siteId, today - 30)], [false, true]);
    for (const _ of pruner(want.db).drop(today - 30));
    const untouched = filled(plan).db;
    for (const table of ['day_part', 'vital', 'crawl', 'outcome', 'cookie_visitor']) {
      const of = (from: Database, site: number): unknown =>
        from.prepare(`select * from ${table} where site_id = ? order by 1, 2, 3`).all(site);
      assert.equal(of(db, siteId), of(want.db, siteId), table);
      assert.equal(of(db, 3 - siteId), of(untouched, 3 - siteId), table);
    }
  }
});

test('what is left of an interruption is found, and sums that are older than all days', () => {
  const { db } = filled(plan);
  for (const table of ['vital', 'crawl', 'outcome', 'other_text']) db.exec(`delete from ${table}`);
  const { hasOld, drop } = pruner(db);
  const rest = (): number =>
    db.prepare('select count(*) from day_part where sealed_at is null').pluck().get() as number;
  for (const { unit } of drop(today - 30, { siteId: 1 })) if (unit === 'part') break;
  assert.ok(rest() > 0);
  assert.is(hasOld(1, today - 30), true);
  for (const _ of drop(today - 30, { siteId: 1 }));
  assert.equal([rest(), hasOld(1, today - 30)], [0, false]);

  const { id } = db
    .prepare(
      `insert into import (site_id, kind, format, source, digest, lines, outcomes, totals, first_at, last_at, created_at, finished_at)
       values (1, 'sums', 'ga4', '', zeroblob(32), 1, '{}', '{}', 0, 0, 0, 0) returning id`,
    )
    .get() as { id: number };
  db.prepare(
    `insert into imported_sum (site_id, import_id, dimension, from_at, value, to_at) values (1, ?, '', ?, '', ?)`,
  ).run(id, (today - 40) * dayMs, (today - 39) * dayMs);
  const sums = (): unknown => db.prepare('select count(*) from imported_sum').pluck().get();
  assert.equal([sums(), hasOld(1, today - 30), hasOld(2, today - 60), hasOld(1, today - 40)], [1, true, false, false]);
  for (const _ of drop(today - 30, { siteId: 1 }));
  assert.equal([sums(), hasOld(1, today - 30)], [0, false]);
});

test('an interrupted prune is finished by the next one', async () => {
  const want = filled(plan);
  await prune(want.dir);
  const { dir, db } = filled(plan);
  const stop = new AbortController();
  const world: World = { terminal: true, signal: stop.signal, onStderr: () => stop.abort() };
  const stopped = await runCommand(dir, ['prune', '--older-than', '30'], world);
  assert.is(stopped.code, 130);
  assert.match(stopped.stderr, /daybook: Interrupted: the next prune deletes the rest\.\n$/);
  assert.is.not(rowCounts(db).sealed_column, rowCounts(want.db).sealed_column);
  await prune(dir);
  assert.equal(rowCounts(db), rowCounts(want.db));
});

test('columns being written are left alone', async () => {
  const { dir, db } = filled(plan, false);
  const old = { siteId: 1, day: today - 40 };
  const writing = sealDay(db, sealer(db), old, 0);
  for (let i = 0; i < 10; i++) writing.next();
  // The days before it are sealed by now, this one by prune itself.
  await prune(dir);
  for (const _ of writing);
  assert.equal(daysOf(db).slice(-3), [today - 30, today - 1, today]);
  await prune(dir);
  assert.equal(daysOf(db), [today - 30, today - 1, today]);
  assert.equal((await runCommand(dir, ['check', '--json'])).json().problems, []);
});

test('people get a table', async () => {
  const { dir } = filled(plan);
  const dry = await runCommand(dir, ['prune', '--older-than', '30', '--dry-run']);
  assert.match(
    dry.stdout,
    /^DOMAIN {9}DAYS {2}HITS {2}SIZE {5}FIRST {7}LAST\nsite1\.example {5}2 {5}4 {2}[\d.]+ KiB {2}2026-10-11 {2}2026-10-20\n.*\n\nWould delete 8 hits before 2026-10-21 \(UTC\)\.\n$/,
  );
  assert.match(
    (await runCommand(dir, ['prune', '--older-than', '30'])).stdout,
    /\n\nDeleted 8 hits before 2026-10-21 \(UTC\)\.\n$/,
  );
});

test('prune needs a number of days', async () => {
  const { dir, db } = filled(plan);
  const before = rowCounts(db);
  for (const days of ['0', '-1', 'x', '1.5', ''])
    assert.is((await runCommand(dir, ['prune', '--older-than', days])).code, 2);
  assert.is(
    (await runCommand(dir, ['prune'])).stderr,
    'daybook: prune needs one of --older-than DAYS, --where FILTER, --list and --undo ID.\n',
  );
  assert.equal(rowCounts(db), before);
});

test.run();
