import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { dayMs, hourMs } from '../../src/model/time.ts';
import { createEngine } from '../../src/query/engine.ts';
import { alone } from '../../src/query/pace.ts';
import type { Query, Question } from '../../src/query/query.ts';
import { headline, topValues } from '../../src/query/usual-questions.ts';
import { type Database, lockDataDir, lockImports, openDatabase, openReader } from '../../src/store/database.ts';
import { sealAll } from '../../src/store/day/seal.ts';
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

test('a rule is about no import that had begun, and ends after it was made', async () => {
  const { dir, db } = filled();
  const file = join(dir, 'past.ndjson');
  const lines = days.map(day => ({ at: new Date(day * dayMs).toISOString(), hit: { u: 'https://x.example/wp-x' } }));
  writeFileSync(file, lines.map(line => `${JSON.stringify({ ...line, visitor: 'v' })}\n`).join(''));
  const ran = await runCommand(dir, ['import', file, '--site', 'site1.example', '--all']);
  assert.is(ran.code, 0, ran.stderr);
  // As if it was still under way.
  const finish = db.prepare('update import set finished_at = ?');
  finish.run(null);
  assert.is((await prune(dir, [...scanners, '--json'])).json().hits, 8);
  finish.run(testNow);
  const found = await runCommand(dir, ['export', '-', '--site', 'site1.example']);
  assert.is(found.stdout.match(/\/wp-x/g)?.length, days.length);
  assert.is((await prune(dir, ['--list', '--json'])).json()[0].hits, 8);
  // Made again, it is about what is there now.
  assert.is((await prune(dir, [...scanners, '--json'])).json().hits, 8 + days.length);
  db.close();
});

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
});

test('hits go from one site alone, and come back', async () => {
  const { dir, db } = filled();
  const [before, other] = [await numbersOf(dir), await numbersOf(dir, 2)];
  const { hits, rule } = (await prune(dir, [...scanners, '--json'])).json();
  assert.equal([hits, rule], [8, 1]);
  const without = await numbersOf(dir);
  assert.match(
    JSON.stringify(without),
    /"values":\[\d+,16,.*\[{"name":"\/","hits":12,"values":\[12\],"otherRevenue":{}},{"name":"\/about"/,
  );
  assert.equal(await numbersOf(dir, 2), other);
  const [again, none] = [
    ['--where', 'path^=/wp-'],
    ['--where', 'path=/nothing'],
  ];
  assert.is((await prune(dir, ['--site', 'site1.example', ...again, '--dry-run', '--json'])).json().hits, 0);
  assert.equal((await prune(dir, ['--site', 'site1.example', ...none, '--json'])).json().rule, null);
  // Texts stay that hits of a rule refer to.
  await prune(dir, ['--older-than', '400']);
  assert.is(db.prepare(`select count(*) from text where site_id = 1 and value like '%wp-%'`).pluck().get(), 10);
  sealAll(db, today + 1, 0);
  assert.equal(await numbersOf(dir), without);
  const undone = await prune(dir, ['--undo', '1']);
  assert.is(undone.stdout, 'Put back 8 hits of site1.example.\n');
  assert.equal(await numbersOf(dir), before);
  const twice = await prune(dir, ['--undo', '1']);
  assert.equal(
    [twice.code, twice.stderr],
    [1, 'daybook: There is no rule 1: daybook prune --list shows those there are.\n'],
  );
  assert.equal((await runCommand(dir, ['check', '--json'])).json().problems, []);
});

test('the list says who made a rule, when, why, and how many hits it leaves out', async () => {
  const { dir } = filled();
  const list = async (...flags: string[]) => (await prune(dir, ['--list', '--json', ...flags])).json();
  assert.equal(await list(), []);
  assert.match((await prune(dir, ['--list'])).stdout, /^No rule leaves hits out/);
  await prune(dir, [...scanners, '--why', 'a scanner']);
  await prune(dir, ['--site', 'site2.example', '--where', 'path=/about', '--from', '2026-11-18', '--to', '2026-11-18']);
  const made = { createdAt: new Date(testNow).toISOString(), by: null };
  const first = {
    ...{ id: 1, site: 'site1.example', filters: 'path^=/wp-', period: 'all', hits: 8 },
    ...{ ...made, why: 'a scanner' },
  };
  const second = {
    ...{ id: 2, site: 'site2.example', filters: 'path=/about', period: '2026-11-18_2026-11-18', hits: 1 },
    ...{ ...made, why: null },
  };
  assert.equal(await list(), [first, second]);
  assert.equal(await list('--site', 'site2.example'), [second]);
  assert.match((await prune(dir, ['--list'])).stdout, /1 +site1\.example +path\^=\/wp- +all +8 .* a scanner\n/);
});

test('an export leaves out what rules do', async () => {
  const { dir, db } = filled();
  const exported = async (): Promise<string> =>
    (await runCommand(dir, ['export', '-', '--site', 'site1.example'])).stdout;
  const hitsIn = (text: string): number => text.match(/"t":"pageview"/g)?.length ?? 0;
  const before = await exported();
  assert.is(hitsIn(before), 24);
  await prune(dir, [...scanners, '--to', '2026-11-19', '--from', '2026-11-19']);
  const without = await exported();
  assert.is(hitsIn(without), 22);
  sealAll(db, today + 1, 0);
  assert.equal(await exported(), without);
  await prune(dir, ['--undo', '1']);
  assert.equal(await exported(), before);
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

test('what was deleted for good is not put back', async () => {
  const { dir } = filled();
  await prune(dir, scanners);
  await prune(dir, ['--older-than', '10']);
  assert.is((await prune(dir, ['--undo', '1', '--json'])).json().hits, 6);
  await prune(dir, scanners);
  sites(openDatabase(dir)).reset(1);
  const undone = await prune(dir, ['--undo', '2']);
  assert.equal(
    [undone.code, undone.stderr],
    [1, 'daybook: There is no rule 2: daybook prune --list shows those there are.\n'],
  );
});

test('a rule needs no lock, beside a server and an import', async () => {
  const { dir } = filled();
  const unlocks = [lockDataDir(dir), lockImports(dir)];
  assert.is((await prune(dir, scanners)).code, 0);
  assert.is((await prune(dir, ['--undo', '1'])).code, 0);
  const imported = await runCommand(dir, ['import', '--site', 'site1.example', '-'], { stdin: '' });
  assert.equal(
    [imported.code, imported.stderr],
    [1, 'daybook: Hits are being imported or put back: wait until that is done.\n'],
  );
  for (const unlock of unlocks) unlock();
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
  const { hits, rule } = await prunedBy('network=AS24940 Hetzner Online GmbH');
  assert.is(hits, 2);
  const hosting = ['--site', 'site1.example', '--where', 'networkKind=hosting', '--dry-run', '--json'];
  assert.is((await prune(dir, hosting)).json().hits, 0, 'they are gone');
  assert.is((await prune(dir, ['--undo', String(rule)])).code, 0);
  assert.equal(await numbersOf(dir), before);
  assert.is((await prunedBy('networkKind=hosting')).hits, 2, 'and came back with their network');
});

for (const [args, sentence] of [
  [[], 'prune needs one of --older-than DAYS, --where FILTER, --list and --undo ID.'],
  [
    ['--older-than', '3', '--where', 'path=/'],
    'prune needs one of --older-than DAYS, --where FILTER, --list and --undo ID.',
  ],
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
});

test.run();
