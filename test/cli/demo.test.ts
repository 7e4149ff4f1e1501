import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { dayMs, utcDayOf } from '../../src/model/time.ts';
import { lockDataDir, openDatabase, openReader } from '../../src/store/database.ts';
import { dayReader } from '../../src/store/day/day-reader.ts';
import { rates } from '../../src/store/rates.ts';
import { sites } from '../../src/store/sites.ts';
import { siteTables } from '../../src/store/tables.ts';
import { temporaryDir } from '../helpers.ts';
import { runCommand, testNow } from './helpers.ts';

test('demo adds two sites with sample data: finished days sealed, today open', async () => {
  const dataDir = temporaryDir();
  const ran = await runCommand(dataDir, ['demo', '--days', '14', '--hits', '4000', '--json']);
  assert.is(ran.code, 0, ran.stderr);
  const { hits, sites: added } = ran.json();
  assert.ok(hits > 3000 && hits < 5000, String(hits));
  assert.equal(
    added.map((site: { domain: string }) => site.domain),
    ['marigold.example', 'papertrail.example'],
  );

  const db = openReader(dataDir);
  assert.is(rates(db).list().length, 2);
  const reader = dayReader(db, 1e6);
  let stored = 0;
  for (const { id: siteId } of sites(db).list()) {
    const days = reader.days(siteId, testNow - 20 * dayMs, testNow + dayMs);
    for (const { day, sealed, lastAt, hits: ofDay } of days) {
      stored += ofDay;
      assert.is(sealed, day < utcDayOf(testNow));
      assert.ok(lastAt <= testNow);
    }
  }
  assert.is(stored, hits);
  db.close();
});

test('demo is refused a second time and beside a running server', async () => {
  const dataDir = temporaryDir();
  await runCommand(dataDir, ['demo', '--days', '1', '--hits', '50']);
  const again = await runCommand(dataDir, ['demo', '--days', '1', '--hits', '50']);
  assert.is(again.code, 1);
  assert.match(again.stderr, /There is a demo already: to replace it, run daybook site remove marigold\.example first/);

  const unlock = lockDataDir(dataDir);
  const beside = await runCommand(dataDir, ['demo']);
  unlock();
  assert.match(beside.stderr, /in use by a running Daybook/);
});

test('an interrupted demo leaves nothing, however far it was', async () => {
  const dataDir = temporaryDir();
  for (const days of [0, 2, 5]) {
    const stop = new AbortController();
    let now = testNow;
    const world = {
      terminal: true,
      // Each look at the clock is a moment later, so that progress is shown each time.
      now: () => (now += 300),
      signal: stop.signal,
      onStderr: () => {
        const db = openReader(dataDir);
        if (Number(db.prepare('select count(distinct day) from day_part').pluck().get()) >= days) stop.abort();
        db.close();
      },
    };
    const ran = await runCommand(dataDir, ['demo', '--days', '8', '--hits', '2000'], world);
    assert.is(ran.code, 130, ran.stderr);
    assert.match(ran.stderr, /daybook: Interrupted: no demo was added\.\n$/);
    const db = openDatabase(dataDir);
    for (const table of [...siteTables(db), 'site', 'dropped_site', 'rate'])
      assert.is(db.prepare(`select count(*) from ${table}`).pluck().get(), 0, table);
    db.close();
  }
});

for (const [flag, value] of [
  ['--days', '0'],
  ['--days', 'x'],
  ['--hits', '0'],
] as const) {
  test(`refused: demo ${flag} ${value}`, async () => {
    const ran = await runCommand(temporaryDir(), ['demo', flag, value]);
    assert.is(ran.code, 2, ran.stderr);
  });
}

test.run();
