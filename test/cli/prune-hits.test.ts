import { existsSync, readdirSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { dayMs, hourMs } from '../../src/model/time.ts';
import { createEngine } from '../../src/query/engine.ts';
import { alone } from '../../src/query/pace.ts';
import type { Query, Question } from '../../src/query/query.ts';
import { headline, topValues } from '../../src/query/usual-questions.ts';
import { type Database, lockDataDir, lockRemovals, openDatabase, openReader } from '../../src/store/database.ts';
import { sealAll } from '../../src/store/day/seal.ts';
import { checkDatabase } from '../../src/store/maintenance/check.ts';
import { putBack } from '../../src/store/removal/put-back.ts';
import { removals } from '../../src/store/removal/removals.ts';
import { sites } from '../../src/store/sites.ts';
import { recorder } from '../../src/store/write/recorder.ts';
import { addSite, hitRecord, recordedEntry, temporaryDir, visitRecord } from '../helpers.ts';
import { type Ran, runCommand, testNow, type World } from './helpers.ts';

/** 2026-11-20, the day of the tests' clock. */
const today = testNow / dayMs - 0.5;
const days = [today - 30, today - 2, today - 1, today];

/** Two sites. On each day of each, three visitors look at `/` and then at a page that is asked for by scanners, or not. */
const filled = (): { dir: string; db: Database } => {
  const dir = temporaryDir();
  const db = openDatabase(dir);
  const record = recorder(db);
  let id = 1;
  for (const { id: siteId } of [addSite(db), addSite(db, { timezone: 'America/New_York' })]) {
    for (const day of days) {
      for (const [i, second] of ['/wp-login.php', '/wp-admin', '/about'].entries()) {
        const at = day * dayMs + (2 + i) * hourMs;
        const visitor = Buffer.alloc(8, i + 1);
        const of = { siteId, day, visitId: id };
        record.write([
          recordedEntry(hitRecord({ ...of, at, path: '/' }), visitRecord({ siteId, day, id, visitor, country: 'DE' })),
          recordedEntry(hitRecord({ ...of, at: at + 60_000, path: second, title: `${day}`.padEnd(100, '.') + second })),
        ]);
        id++;
      }
    }
  }
  sealAll(db, today, 0);
  return { dir, db };
};

const prune = (dir: string, args: string[], world?: World): Promise<Ran> => runCommand(dir, ['prune', ...args], world);
const scanners = ['--site', 'site1.example', '--where', 'path^=/wp-'];

/** Hits by path, the visitors and the visits of a site. */
const numbersOf = async (dir: string, siteId = 1): Promise<unknown> => {
  const slice = { from: 0, to: (today + 1) * dayMs, filters: [] };
  const questions: Question[] = [headline, topValues('path', 10), topValues('title', 100)];
  const query: Query = {
    siteId,
    currency: 'EUR',
    minorRates: {},
    slices: [{ ...slice, questions }],
  };
  return (await createEngine(openReader(dir), 0).answer(query, alone))[0];
};
const filesIn = (dir: string): string[] => (existsSync(join(dir, 'removed')) ? readdirSync(join(dir, 'removed')) : []);

test('a dry run shows what would go, and changes nothing', async () => {
  const { dir } = filled();
  const before = await numbersOf(dir);
  const ran = await prune(dir, [...scanners, '--dry-run', '--json']);
  assert.is(ran.stderr, '');
  assert.equal(ran.json(), {
    site: 'site1.example',
    filters: 'path^=/wp-',
    period: 'all',
    dryRun: true,
    hits: 8,
    visits: 8,
    visitors: 8,
    pages: [
      { name: '/wp-admin', hits: 4 },
      { name: '/wp-login.php', hits: 4 },
    ],
  });
  assert.match(
    (await prune(dir, [...scanners, '--dry-run'])).stdout,
    /Would remove 8 hits, of 8 visits and 8 visitors of site1\.example\.\n$/,
  );
  assert.equal(await numbersOf(dir), before);
  assert.equal(filesIn(dir), []);
});

test('hits go from one site alone, and come back', async () => {
  const { dir, db } = filled();
  const [before, other] = [await numbersOf(dir), await numbersOf(dir, 2)];
  const ran = await prune(dir, [...scanners, '--json']);
  const { hits, file } = ran.json();
  assert.is(hits, 8);
  assert.is(file, join(dir, 'removed', '1.db'));
  assert.is(statSync(file).mode & 0o777, 0o600);
  assert.match(
    JSON.stringify(await numbersOf(dir)),
    /"values":\[\d+,16,.*\[{"name":"\/","hits":12,"values":\[12\],"otherRevenue":{}},{"name":"\/about"/,
  );
  assert.equal(await numbersOf(dir, 2), other);
  assert.is((await prune(dir, [...scanners, '--json'])).json().hits, 0);
  // Texts that nothing refers to any more are deleted; the file has them.
  await prune(dir, ['--older-than', '400']);
  assert.is(db.prepare(`select count(*) from text where site_id = 1 and value like '%wp-%'`).pluck().get(), 4);
  const undone = await prune(dir, ['--undo', file]);
  assert.is(undone.stdout, 'Put back 8 hits of site1.example.\n');
  assert.equal(await numbersOf(dir), before);
  assert.equal(filesIn(dir), []);
  assert.equal((await runCommand(dir, ['check', '--json'])).json().problems, []);
});

test('--save names the file, and an open day’s hits follow it when the day is sealed', async () => {
  const { dir, db } = filled();
  const before = await numbersOf(dir);
  const file = join(temporaryDir(), 'wp.db');
  const ran = await prune(dir, [...scanners, '--save', file]);
  assert.is(ran.stdout, `Removed 8 hits from site1.example.\nTo put them back: daybook prune --undo ${file}\n`);
  assert.is(statSync(file).mode & 0o777, 0o600);
  const without = await numbersOf(dir);
  sealAll(db, today + 1, 0);
  assert.equal(await numbersOf(dir), without);
  assert.equal(filesIn(dir), ['1.db']);
  assert.is((await prune(dir, ['--undo', file, '--json'])).json().hits, 8);
  assert.equal(await numbersOf(dir), before);
  const again = await prune(dir, ['--undo', file]);
  assert.equal(
    [again.code, again.stderr],
    [1, 'daybook: There is no such removal: its hits may have been put back.\n'],
  );
});

test('days are local days of the site, as in the API', async () => {
  const { dir } = filled();
  const hitsOn = async (...flags: string[]): Promise<number> =>
    (await prune(dir, ['--site', 'site2.example', '--where', 'path^=/wp-', '--dry-run', '--json', ...flags])).json()
      .hits;
  // In New York they come in the evening of the day before.
  assert.is(await hitsOn('--from', '2026-11-20'), 0);
  assert.is(await hitsOn('--from', '2026-11-19'), 2);
  assert.is(await hitsOn('--to', '2026-11-18'), 2);
  assert.is(await hitsOn('--from', '2026-10-20', '--to', '2026-11-18'), 6);
});

test('a file of another removal is not touched', async () => {
  const { dir } = filled();
  const [older, other] = [filled().dir, join(temporaryDir(), 'other.db')];
  await prune(older, [...scanners, '--save', other], { now: () => testNow - 1 });
  const refused = await prune(dir, [...scanners, '--save', other]);
  assert.equal(
    [refused.code, refused.stderr],
    [1, `daybook: ${other} holds the hits of another removal: move it elsewhere.\n`],
  );
  assert.is((await prune(dir, [...scanners, '--json'])).json().file, join(dir, 'removed', '2.db'));
  // Its id is taken here, by another removal.
  const third = filled().dir;
  await prune(third, scanners);
  const undone = await prune(third, ['--undo', other]);
  assert.equal([undone.code, undone.stderr], [1, `daybook: ${other} belongs to no removal of this database.\n`]);
});

test('several filters must all match', async () => {
  const { dir } = filled();
  const counted = async (...where: string[]): Promise<number> =>
    (
      await prune(dir, ['--site', 'site1.example', ...where.flatMap(one => ['--where', one]), '--dry-run', '--json'])
    ).json().hits;
  assert.is(await counted('path^=/wp-', 'path$=.php'), 4);
  assert.is(await counted('path^=/wp-&country=DE'), 8);
  assert.is(await counted('path=%2Fabout', 'path=/wp-admin'), 8);
  assert.is(await counted('exitPath=/about'), 8);
});

test('an interrupted removal is finished by the same command, and its file has all of it', async () => {
  const { dir } = filled();
  const before = await numbersOf(dir);
  const want = filled();
  await prune(want.dir, scanners);
  const stop = new AbortController();
  const world: World = { terminal: true, signal: stop.signal, onStderr: () => stop.abort() };
  const stopped = await prune(dir, scanners, world);
  assert.is(stopped.code, 130);
  assert.match(stopped.stderr, /daybook: Interrupted: run the same command again to go on\.\n$/);
  assert.is.not(JSON.stringify(await numbersOf(dir)), JSON.stringify(await numbersOf(want.dir)));
  const { hits, file } = (await prune(dir, [...scanners, '--json'])).json();
  assert.is(hits, 8);
  assert.equal(await numbersOf(dir), await numbersOf(want.dir));
  assert.equal(filesIn(dir), ['1.db']);
  await prune(dir, ['--undo', file]);
  assert.equal(await numbersOf(dir), before);
});

test('what was deleted for good is not put back', async () => {
  const { dir } = filled();
  const { file } = (await prune(dir, [...scanners, '--json'])).json();
  await prune(dir, ['--older-than', '10']);
  assert.is((await prune(dir, ['--undo', file, '--json'])).json().hits, 6);
  const again = (await prune(dir, [...scanners, '--json'])).json();
  sites(openDatabase(dir)).reset(1);
  const undone = await prune(dir, ['--undo', again.file]);
  assert.equal([undone.code, undone.stderr], [1, 'daybook: The site of these hits was reset or removed.\n']);
});

test('a removal beside a server needs no lock but its own', async () => {
  const { dir } = filled();
  const unlock = lockDataDir(dir);
  assert.is((await prune(dir, scanners)).code, 0);
  unlock();
  const unlockRemovals = lockRemovals(dir);
  const ran = await prune(dir, scanners);
  assert.equal(
    [ran.code, ran.stderr],
    [1, 'daybook: Hits are being removed, put back or imported: wait until that is done.\n'],
  );
  // An import sorts the hits of an open day, which removals name by their place.
  const imported = await runCommand(dir, ['import', '--site', 'site1.example', '-'], { stdin: '' });
  assert.equal([imported.code, imported.stderr], [1, ran.stderr]);
  unlockRemovals();
});

test('a removal stays on record until all of its hits are back, wherever its files are', async () => {
  const { dir, db } = filled();
  const before = await numbersOf(dir);
  const file = join(temporaryDir(), 'wp.db');
  await prune(dir, [...scanners, '--save', file]);
  sealAll(db, today + 1, 0);
  const without = await numbersOf(dir);
  renameSync(file, `${file}.moved`);
  const [removal] = removals(db).ofSite(1);
  assert.throws(() => [...putBack(db, removal!)], `There is no file ${file}.`);
  const usual = join(dir, 'removed', '1.db');
  assert.is((await prune(dir, ['--undo', usual])).stderr, `daybook: There is no file ${file}.\n`);
  assert.equal(await numbersOf(dir), without);
  assert.is((await prune(dir, ['--undo', `${file}.moved`, '--json'])).json().hits, 8);
  assert.equal(await numbersOf(dir), before);
});

test('hits of a network can be taken out, and put back', async () => {
  const { dir, db } = filled();
  const record = recorder(db);
  const at = today * dayMs + hourMs;
  let id = record.nextVisitId();
  for (const [i, network] of [
    'AS24940 Hetzner Online GmbH',
    'AS24940 Hetzner Online GmbH',
    'AS3320 Telekom',
  ].entries()) {
    const of = { siteId: 1, day: today, visitId: id };
    const visit = visitRecord({ siteId: 1, day: today, id: id++, visitor: Buffer.alloc(8, 100 + i), network });
    record.write([recordedEntry(hitRecord({ ...of, at, path: `/${i}` }), visit)]);
  }
  sealAll(db, today + 1, 0);
  const before = await numbersOf(dir);
  const prunedBy = async (filter: string) =>
    (await prune(dir, ['--site', 'site1.example', '--where', filter, '--json'])).json();
  const { hits, file } = await prunedBy('network=AS24940 Hetzner Online GmbH');
  assert.is(hits, 2);
  assert.is((await prunedBy('networkKind=hosting')).hits, 0, 'they are gone');
  assert.is((await prune(dir, ['--undo', file])).code, 0);
  assert.equal(await numbersOf(dir), before);
  assert.is((await prunedBy('networkKind=hosting')).hits, 2, 'and came back with their network');
});

test('hits are put back once, though that was interrupted and others were removed in between', async () => {
  const { dir, db } = filled();
  const before = await numbersOf(dir);
  const first = (await prune(dir, [...scanners, '--json'])).json();
  const stop = new AbortController();
  const world: World = { terminal: true, signal: stop.signal, onStderr: () => stop.abort() };
  assert.is((await prune(dir, ['--undo', first.file], world)).code, 130);
  const second = (await prune(dir, ['--site', 'site1.example', '--where', 'path=/wp-admin', '--json'])).json();
  assert.ok(second.hits > 0 && second.hits < 4);
  for (const { file } of [first, second]) {
    assert.is((await prune(dir, ['--undo', file])).code, 0);
    assert.equal(
      [...checkDatabase(db)].flatMap(({ problems }) => problems),
      [],
    );
  }
  assert.equal(await numbersOf(dir), before);
});

for (const [args, sentence] of [
  [[], 'prune needs one of --older-than DAYS, --where FILTER and --undo FILE.'],
  [['--older-than', '3', '--where', 'path=/'], 'prune needs one of --older-than DAYS, --where FILTER and --undo FILE.'],
  [['--where', 'path=/'], '--where needs --site DOMAIN.'],
  [['--older-than', '3', '--from', '2026-11-01'], '--from needs --where FILTER.'],
  [['--site', 'site1.example', '--where', 'pth^=/wp-'], 'There is no filter pth^. Did you mean path?'],
  [['--site', 'site1.example', '--where', 'range=7d'], '--where takes filters, and range is none.'],
  [['--site', 'site1.example', '--where', ''], '--where needs a filter, such as path^=/wp-.'],
  [[...scanners, '--from', '2026-11-31'], '--from needs a date such as 2026-10-01, and --from none after --to.'],
] as const) {
  test(`wrong usage: ${args.join(' ')}`, async () => {
    const { dir } = filled();
    const ran = await prune(dir, [...args]);
    assert.equal([ran.code, ran.stderr], [2, `daybook: ${sentence}\n`]);
  });
}

test('a file of something else is refused', async () => {
  const { dir } = filled();
  const missing = await prune(dir, ['--undo', join(dir, 'nothing.db')]);
  assert.equal([missing.code, missing.stderr], [1, `daybook: There is no file ${join(dir, 'nothing.db')}.\n`]);
  const wrong = await prune(dir, ['--undo', join(dir, 'daybook.db')]);
  assert.equal(
    [wrong.code, wrong.stderr],
    [1, `daybook: ${join(dir, 'daybook.db')} holds no hits that were taken out.\n`],
  );
  const { file } = (await prune(dir, [...scanners, '--json'])).json();
  const other = await prune(filled().dir, ['--undo', file]);
  assert.is(other.code, 1);
});

test.run();
