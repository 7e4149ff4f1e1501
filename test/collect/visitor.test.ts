/** Who is a visitor and what is a visit, in both identity modes, over midnights and restarts. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { dayMs, minuteMs } from '../../src/model/time.ts';
import { databaseFile, openDatabase } from '../../src/store/database.ts';
import { sealAll } from '../../src/store/day/seal.ts';
import { salts } from '../../src/store/salts.ts';
import { addSite } from '../helpers.ts';
import { noon, startCollector, type TestCollector } from './start-collector.ts';
import { storedHits, storedVisits } from './stored.ts';

const u = 'https://site1.example/';
const midnight = noon + dayMs / 2;

const visit = async (
  { post, site }: TestCollector,
  hit: object = {},
  from: { address?: string; userAgent?: string } = {},
) => {
  const answer = await post({ s: site.publicKey, u, ...hit }, from);
  assert.is(answer.outcome, 'recorded');
};
const visitors = ({ db }: TestCollector): unknown[] => storedVisits(db).map(({ visitor }) => visitor);
const distinct = (values: unknown[]): number => new Set(values).size;

test('in hash mode address, user agent and site alone tell visitors apart', async () => {
  const collector = await startCollector();
  const other = addSite(collector.db);
  await visit(collector);
  await visit(collector, { i: 'browser-1', l: 'de', w: 100, r: 'https://example.net/' });
  assert.is(storedVisits(collector.db).length, 1);
  await visit(collector, {}, { address: '203.0.113.2' });
  await visit(collector, {}, { userAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0' });
  assert.is(distinct(visitors(collector)), 3);
  await collector.stop();
  const again = await startCollector({ dataDir: collector.dataDir });
  await visit(again, { s: other.publicKey });
  assert.is(distinct(visitors(again)), 4);
  assert.is(storedVisits(again.db).filter(({ persistent }) => persistent === 1).length, 0);
  await again.close();
  await collector.close();
});

test('in cookie mode the browser’s id is the visitor, on every day and from every address', async () => {
  const collector = await startCollector({ site: { identityMode: 'cookie' } });
  await visit(collector, { i: 'browser-1' });
  await visit(collector, { i: 'browser-1' }, { address: '203.0.113.2' });
  await visit(collector, { i: 'browser-2' });
  collector.clock.now += dayMs;
  await visit(collector, { i: 'browser-1' }, { address: '203.0.113.3' });
  for (const i of [undefined, '', null, 5, {}]) await visit(collector, { i });
  const rows = storedVisits(collector.db);
  const [first, second, nextDay, hashed, ...more] = rows;
  assert.is(more.length, 0);
  assert.is(first!.visitor, nextDay!.visitor);
  assert.is.not(first!.visitor, second!.visitor);
  assert.equal(
    rows.map(({ persistent, seen_before }) => [persistent, seen_before]),
    [
      [1, 0],
      [1, 0],
      [1, 1],
      [0, 0],
    ],
  );
  assert.is(distinct([first, second, hashed].map(row => row!.visitor)), 3);
  await collector.close();
});

test('nobody can choose the hash of a visitor with a cookie: a secret of the site is in it', async () => {
  const visitorWith = async (visitorKey: string) => {
    const collector = await startCollector({ site: { identityMode: 'cookie', visitorKey } });
    await visit(collector, { i: 'browser-1' });
    await collector.stop();
    const [{ visitor } = {}] = storedVisits(collector.db);
    await collector.close();
    return visitor;
  };
  assert.is.not(await visitorWith('one'), await visitorWith('another'));
  // As a site without a secret has named its visitors from the first version on.
  assert.is(await visitorWith(''), createHash('sha256').update('cookie\n1\nbrowser-1').digest('hex').slice(0, 16));
});

test('in cookie mode a day of non-counting hits alone makes no later visit returning', async () => {
  const collector = await startCollector({ site: { identityMode: 'cookie' } });
  const send = (i: string, t: string) => visit(collector, { i, t, n: 'Signup', d: 5000, p: { id: i } });
  await send('marks', 'identify');
  await send('marks', 'duration');
  await send('mixed', 'duration');
  await send('mixed', 'custom');
  collector.clock.now += dayMs;
  for (const i of ['marks', 'mixed']) await send(i, 'pageview');
  collector.clock.now += dayMs;
  await send('marks', 'pageview');
  assert.equal(
    storedVisits(collector.db).map(({ seen_before }) => seen_before),
    [0, 0, 0, 1, 1],
  );
  await collector.close();
});

test('a visit goes on for 30 minutes after its last hit, not a millisecond longer', async () => {
  const collector = await startCollector();
  for (const wait of [0, 30 * minuteMs, 29 * minuteMs, 30 * minuteMs + 1]) {
    collector.clock.now += wait;
    await visit(collector);
  }
  assert.equal(
    storedHits(collector.db).map(hit => hit.visit_id),
    [1, 1, 1, 2],
  );
  assert.is(distinct(visitors(collector)), 1);
  await collector.close();
});

test('duration and identify extend a visit or begin one; vitals do neither', async () => {
  const collector = await startCollector();
  for (const t of ['pageview', 'duration', 'identify', 'pageview']) {
    await visit(collector, { t, p: { email: 'ann@example.com' } });
    collector.clock.now += 25 * minuteMs;
  }
  await visit(collector, { t: 'vitals', p: { lcp: 1 } });
  collector.clock.now += 10 * minuteMs;
  await visit(collector, { t: 'duration', d: 1000 });
  assert.equal(
    storedHits(collector.db).map(({ type, visit_id, path }) => [type, visit_id, path]),
    [
      ['pageview', 1, '/'],
      ['duration', 1, null],
      ['identify', 1, null],
      ['pageview', 1, '/'],
      ['duration', 2, null],
    ],
  );
  await collector.close();
});

test('the attributes of a visit are those of its first hit', async () => {
  const collector = await startCollector();
  await visit(collector, {
    u: `${u}?utm_source=a&utm_medium=b`,
    r: 'https://www.example.net/x',
    l: 'de-DE',
    w: 100,
    h: 50,
  });
  await visit(collector, { u: `${u}?utm_source=z`, r: 'https://example.org/', l: 'en', w: 1, h: 1 });
  const [row, ...more] = storedVisits(collector.db);
  assert.is(more.length, 0);
  const { referrer, utm_source, utm_medium, utm_campaign, language, browser, os, device, screen } = row!;
  assert.equal(
    { referrer, utm_source, utm_medium, utm_campaign, language, browser, os, device, screen },
    {
      referrer: 'example.net',
      utm_source: 'a',
      utm_medium: 'b',
      utm_campaign: null,
      language: 'de-DE',
      browser: 'Chrome',
      os: 'Linux',
      device: 'desktop',
      screen: 100 * 65_536 + 50,
    },
  );
  await collector.close();
});

test('midnight UTC makes a new visitor and a new visit, in hash mode', async () => {
  const collector = await startCollector({ now: midnight - 1 });
  await visit(collector);
  collector.clock.now += 1;
  await visit(collector);
  const rows = storedVisits(collector.db);
  assert.equal(
    rows.map(({ day }) => day),
    [20_000, 20_001],
  );
  assert.is(distinct(visitors(collector)), 2);
  await collector.close();
});

test('midnight UTC makes a new visit of the same visitor, in cookie mode', async () => {
  const collector = await startCollector({ now: midnight - 1, site: { identityMode: 'cookie' } });
  await visit(collector, { i: 'browser-1' });
  collector.clock.now += 1;
  await visit(collector, { i: 'browser-1' });
  assert.equal(
    storedVisits(collector.db).map(({ day }) => day),
    [20_000, 20_001],
  );
  assert.is(distinct(visitors(collector)), 1);
  await collector.close();
});

test('at midnight the old salt is gone from the database and its file', async () => {
  const collector = await startCollector({ now: midnight - 1 });
  const store = salts(collector.db);
  await visit(collector);
  const old = store.newest()!;
  assert.equal([old.day, old.salt.length], [20_000, 16]);
  collector.clock.now = midnight;
  collector.collector.rotateSalt();
  const young = store.newest()!;
  assert.is(young.day, 20_001);
  assert.is.not(young.salt.toString('hex'), old.salt.toString('hex'));
  collector.db.pragma('wal_checkpoint(truncate)');
  for (const file of ['', '-wal']) {
    const bytes = readFileSync(databaseFile(collector.dataDir) + file);
    assert.is(bytes.indexOf(old.salt), -1, `daybook.db${file}`);
  }
  collector.collector.rotateSalt();
  assert.equal(store.newest(), young, 'once a day');
  await collector.close();
});

test('a restart in the middle of a visit keeps visitor and visit, in both modes', async () => {
  for (const identityMode of ['hash', 'cookie'] as const) {
    const before = await startCollector({ site: { identityMode } });
    await visit(before, { i: 'browser-1' });
    await visit(before, { i: 'browser-2' }, { address: '203.0.113.2' });
    before.clock.now += 10 * minuteMs;
    await visit(before, { i: 'browser-1', t: 'duration', d: 5 });
    await before.close();
    const after = await startCollector({ dataDir: before.dataDir, now: noon + 40 * minuteMs });
    await visit(after, { i: 'browser-1' });
    await visit(after, { i: 'browser-2' }, { address: '203.0.113.2' });
    assert.equal(
      storedHits(after.db).map(hit => hit.visit_id),
      [1, 2, 1, 1, 3],
      identityMode,
    );
    assert.is(distinct(visitors(after)), 2, identityMode);
    await after.close();
  }
});

test('traits of a visit add up over a restart, and another visit begins with none', async () => {
  const before = await startCollector();
  await visit(before);
  await visit(before, { t: 'identify', p: { email: 'ada@example.com', plan: 'free' } });
  await visit(before, { t: 'identify', p: { plan: 'free' } }, { address: '203.0.113.2' });
  await before.close();
  const after = await startCollector({ dataDir: before.dataDir, now: noon + 10 * minuteMs });
  await visit(after, { t: 'identify', p: { plan: 'pro' } });
  after.clock.now += 31 * minuteMs;
  await visit(after, { t: 'identify', p: { seats: 3 } });
  const said = storedHits(after.db).filter(({ type }) => type === 'identify');
  assert.equal(
    said.map(({ properties }) => properties),
    [
      ['ada@example.com', '{"email":"ada@example.com","plan":"free"}'],
      ['free', '{"plan":"free"}'],
      ['ada@example.com', '{"email":"ada@example.com","plan":"pro"}'],
      ['3', '{"seats":3}'],
    ],
  );
  await after.close();
});

test('a restart after midnight does not continue yesterday’s visits', async () => {
  const before = await startCollector({ now: midnight - 1, site: { identityMode: 'cookie' } });
  await visit(before, { i: 'browser-1' });
  await before.close();
  const after = await startCollector({ dataDir: before.dataDir, now: midnight });
  await visit(after, { i: 'browser-1' });
  assert.equal(
    storedHits(after.db).map(({ visit_id, day }) => [visit_id, day]),
    [
      [1, 20_000],
      [2, 20_001],
    ],
  );
  await after.close();
});

test('a clock set back stays within the day and out of sealed days', async () => {
  const collector = await startCollector({ now: midnight + 5 });
  await visit(collector);
  collector.clock.now = midnight - 5000;
  await visit(collector);
  assert.equal(
    storedHits(collector.db).map(({ at, visit_id }) => [at, visit_id]),
    [
      [midnight + 5, 1],
      [midnight, 1],
    ],
  );
  sealAll(collector.db, 20_002, midnight);
  await collector.close();
  const after = await startCollector({ dataDir: collector.dataDir, now: midnight + 10_000 });
  await visit(after);
  assert.equal(
    storedHits(after.db).map(({ at, day }) => [at, day]),
    [[midnight + dayMs, 20_002]],
  );
  await after.close();
});

test('a reset site begins with no visit', async () => {
  const collector = await startCollector({ site: { identityMode: 'cookie' } });
  await visit(collector, { i: 'browser-1' });
  const command = openDatabase(collector.dataDir);
  const { sites } = await import('../../src/store/sites.ts');
  sites(command).reset(collector.site.id);
  command.close();
  await visit(collector, { i: 'browser-1' });
  const rows = storedVisits(collector.db).filter(({ site_id }) => site_id !== collector.site.id);
  assert.is(rows.length, 1);
  await collector.close();
});

test('a hit is refused while the new day’s salt cannot be stored', async () => {
  const collector = await startCollector();
  const { db, site, post, clock } = collector;
  await visit(collector);
  clock.now += dayMs;
  db.exec(`create temp trigger no_salt before update on salt begin select raise(abort, 'disk I/O error'); end`);
  collector.collector.rotateSalt();
  assert.is((await post({ s: site.publicKey, u })).status, 503);
  db.exec('drop trigger no_salt');
  await visit(collector);
  assert.equal(
    storedVisits(db).map(({ day }) => day),
    [20_000, 20_001],
  );
  assert.equal(collector.logged, ['salt-not-rotated', 'hit-failed']);
  await collector.close();
});

test.run();
