/** Exports that hold rows which are here already: they are told, left out or imported, as somebody says. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { openDatabase } from '../../src/store/database.ts';
import { dayReader } from '../../src/store/day/day-reader.ts';
import { unitedDays } from '../../src/store/day/united-days.ts';
import { startCollector } from '../collect/start-collector.ts';
import { temporaryDir } from '../helpers.ts';
import { type Ran, runCommand, testNow, type World } from './helpers.ts';

const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';

const prepared = async (...flags: string[]) => {
  const dir = temporaryDir();
  await runCommand(dir, ['site', 'add', 'example.com', ...flags]);
  let count = 0;
  return {
    dir,
    run(text: string, more: string[] = [], world: World = {}): Promise<Ran> {
      const file = join(dir, `file ${++count}`);
      writeFileSync(file, text);
      return runCommand(dir, ['import', file, '--site', 'example.com', ...more], world);
    },
  };
};

/** Hits and visits of the site. */
const counted = (dir: string): [hits: number, visits: number] => {
  const db = openDatabase(dir);
  const reader = unitedDays(dayReader(db, 0));
  let [hits, visits] = [0, 0];
  for (const of of reader.outline(1, 0, 4e12))
    for (const day of reader.day(1, of)) {
      hits += day.hits;
      visits += day.visits;
    }
  db.close();
  return [hits, visits];
};

const line = (at: string, visitor = 'ada', path = '/'): string =>
  `${JSON.stringify({ at, visitor, hit: { u: `https://example.com${path}` } })}\n`;
const days = ['2026-10-01', '2026-10-02', '2026-10-03', '2026-10-04'];
const lines = days.map(day => line(`${day}T12:00:00Z`));

test('a later export that holds the rows of the first is refused, and brings its others where that is asked for', async () => {
  const { dir, run } = await prepared();
  assert.is((await run(lines.slice(0, 2).join(''))).code, 0);
  const refused = await run(lines.join(''));
  assert.is(refused.code, 1);
  assert.match(
    refused.stderr,
    /Of the files 2 rows are here already by import 1 \(from 2026-10-01 to 2026-10-02\)\. To import them again would count them twice\. Nothing is imported\. --new-only/,
  );
  assert.equal(counted(dir), [2, 2]);
  const tried = (await run(lines.join(''), ['--dry-run', '--json'])).json();
  const known = [{ import: 1, rows: 2, first: '2026-10-01', last: '2026-10-02' }];
  assert.equal([tried.id, tried.known, tried.counted.pageviews], [null, known, 2]);
  const done = (await run(lines.join(''), ['--new-only', '--json'])).json();
  assert.equal([done.id, done.known, done.outcomes], [2, known, { recorded: 2, 'import-known': 2 }]);
  assert.equal(done.days, days.slice(2));
  assert.equal(counted(dir), [4, 4]);
  const text = await run(lines.join(''), ['--new-only']);
  assert.match(text.stdout, /Left out 2 rows from 2026-10-01 to 2026-10-02: import 1 brought them\./);
  assert.match(text.stdout, /Nothing is imported: all of it is here already\.$/m);
  // What went with the first comes back by the same command.
  await runCommand(dir, ['import', 'undo', '1']);
  assert.equal(counted(dir), [2, 2]);
  assert.is((await run(lines.join(''), ['--new-only'])).code, 0);
  assert.equal(counted(dir), [4, 4]);
  assert.is((await run(`${lines.join('')}\n`, ['--all'])).code, 0);
  assert.equal(counted(dir), [8, 4]);
});

test('a terminal is asked whether the rows that are here are left out', async () => {
  const { dir, run } = await prepared();
  await run(lines.slice(0, 2).join(''));
  const no = await run(lines.join(''), [], { terminal: true, stdin: '\n' });
  assert.is(no.code, 1);
  assert.match(no.stderr, /count them twice\. Import the other rows\? \[y\/N\] /);
  assert.equal(counted(dir), [2, 2]);
  const yes = await run(lines.join(''), [], { terminal: true, stdin: 'y\n' });
  assert.is(yes.code, 0, yes.stderr);
  assert.equal(counted(dir), [4, 4]);
});

test('rows of a time that the site collected itself are told, and those before it are imported', async () => {
  const { dir, run } = await prepared();
  const server = await startCollector({ dataDir: dir, now: Date.UTC(2026, 9, 3, 10) });
  for (const minute of [0, 60]) {
    server.clock.now = Date.UTC(2026, 9, 3, 10, minute);
    const sent = { s: server.site.publicKey, u: 'https://example.com/' };
    assert.is((await server.post(sent, { address: '203.0.113.9', userAgent: firefox })).outcome, 'recorded');
  }
  await server.close();
  // Between the two hits, and behind them on the day that is over, which no hit tells of.
  const file = ['09:59', '10:30', '11:01'].map(time => line(`2026-10-03T${time}:00Z`, time)).join('');
  const refused = await run(file);
  assert.match(refused.stderr, /1 row is here already, in the time that the site collected itself \(on 2026-10-03\)/);
  const { known } = (await run(file, ['--new-only', '--json'])).json();
  assert.equal(known, [{ import: null, rows: 1, first: '2026-10-03', last: '2026-10-03' }]);
  assert.equal(counted(dir)[0], 4);
});

test('while the site collects, rows up to now are known', async () => {
  const { dir, run } = await prepared();
  const server = await startCollector({ dataDir: dir, now: testNow - 3_600_000 });
  await server.post(
    { s: server.site.publicKey, u: 'https://example.com/' },
    { address: '203.0.113.9', userAgent: firefox },
  );
  await server.close();
  const refused = await run(line(new Date(testNow - 60_000).toISOString()));
  assert.match(refused.stderr, /1 row is here already, in the time that the site collected itself/);
});

test('--from and --to are days of the site’s zone, both included, and hits of other days are not imported', async () => {
  const { dir, run } = await prepared('--timezone', 'America/New_York');
  const file = ['2026-10-02T03:59:59Z', '2026-10-02T04:00:00Z', '2026-10-04T03:59:59Z', '2026-10-04T04:00:00Z']
    .map((at, i) => line(at, `v${i}`))
    .join('');
  const flags = ['--from', '2026-10-02', '--to', '2026-10-03', '--json'];
  const { outcomes, counted: own, source } = (await run(file, flags)).json();
  assert.equal(outcomes, { recorded: 2, 'import-other-day': 2 });
  assert.equal([own.pageviews, source.pageviews], [2, 2]);
  // Other days of the same file are another import.
  assert.is((await run(file, ['--to', '2026-10-01'])).code, 0);
  assert.is((await run(file, ['--from', '2026-10-04'])).code, 0);
  assert.equal(counted(dir)[0], 4);
  assert.match((await run(file, ['--to', '2026-10-01'])).stderr, /imported already: it is import 2/);
});

test('--from still takes a format, and tells it from a day', async () => {
  const { run } = await prepared();
  assert.is((await run(lines[0]!, ['--from', 'ndjson'])).code, 0);
  assert.is((await run(lines[1]!, ['--format', 'ndjson', '--from', '2026-10-02'])).code, 0);
  for (const [flags, want] of [
    [['--from', '2026-02-30'], /--from is "2026-02-30": it must be a day like 2026-10-01/],
    [['--from', 'umamy'], /There is no format umamy/],
    [['--from', '2026-10-02', '--to', '2026-10-01'], /--from is a later day than --to/],
    [['--all', '--new-only'], /not both/],
  ] as const) {
    const { code, stderr } = await run(lines[2]!, [...flags]);
    assert.is(code, 2);
    assert.match(stderr, want);
  }
});

const logLine = (minute: number, address: string, userAgent = firefox): string =>
  `${address} - - [01/Oct/2026:10:${String(minute).padStart(2, '0')}:00 +0000] "GET /a HTTP/1.1" 200 1 "-" "${userAgent}"\n`;
const bot = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)';

test('access logs that overlap count each request once, crawls too', async () => {
  const { dir, run } = await prepared();
  const log = Array.from({ length: 40 }, (_, i) => logLine(i, `203.0.113.${i % 5}`, i % 4 === 0 ? bot : firefox));
  // Two in the same second are two.
  const twins = [logLine(50, '198.51.100.1'), logLine(50, '198.51.100.2')];
  await run([...log.slice(0, 30), ...twins].join(''));
  const { known, outcomes } = (await run([...log.slice(15), ...twins].join(''), ['--new-only', '--json'])).json();
  assert.equal(known, [{ import: 1, rows: 17, first: '2026-10-01', last: '2026-10-01' }]);
  assert.equal(outcomes, { recorded: 8, crawler: 2, 'import-known': 17 });
  assert.is(counted(dir)[0], 32);
  const db = openDatabase(dir);
  assert.is(db.prepare('select sum(crawls) from crawl').pluck().get(), 10);
  db.close();
});

/** What is counted beside hits, each row with its names. */
const countedBeside = (dir: string): unknown => {
  const db = openDatabase(dir);
  const crawls = db.prepare(
    `select quarter, n.value as name, p.value as path, status, crawls from crawl c
     join text n on n.site_id = c.site_id and n.id = c.name join text p on p.site_id = c.site_id and p.id = c.path
     order by quarter, n.value, p.value, status`,
  );
  const outcomes = db.prepare('select hour, outcome, hits from outcome order by hour, outcome');
  const found = [crawls.all(), outcomes.all()];
  db.close();
  return found;
};

/** Imports two files, the second with --new-only, and in another place what they hold in one. */
const asOne = async (first: readonly string[], second: readonly string[], all: readonly string[]) => {
  const [apart, together] = [await prepared(), await prepared()];
  for (const { dir } of [apart, together])
    await runCommand(dir, ['site', 'set', 'example.com', '--exclude-path', '/excluded']);
  await apart.run(first.join(''));
  const report = (await apart.run(second.join(''), ['--new-only', '--json'])).json();
  await together.run(all.join(''));
  assert.equal(countedBeside(apart.dir), countedBeside(together.dir));
  assert.is(counted(apart.dir)[0], counted(together.dir)[0]);
  return report;
};

test('what lines without a row came to is not counted again', async () => {
  const request = (hour: number, target: string): string =>
    `203.0.113.7 - - [01/Oct/2026:${hour}:30:00 +0000] "GET ${target} HTTP/1.1" 200 1 "-" "${firefox}"\n`;
  const log = [10, 11, 12, 13].flatMap(hour =>
    ['/', '/style.css', '/excluded', '/a.js'].map(path => request(hour, path)),
  );
  const { known, outcomes } = await asOne(log.slice(0, 8), log, log);
  assert.is(known[0].rows, 8);
  assert.equal(outcomes, { recorded: 2, 'import-no-page': 4, 'excluded-path': 2, 'import-known': 8 });
});

test('crawls by automation that are known leave the number of crawlers as it is', async () => {
  const headless = firefox.replace('Firefox/140.0', 'HeadlessChrome/140.0');
  const of = (minute: number, ua: string): string =>
    `${JSON.stringify({ at: `2026-10-01T10:0${minute}:00Z`, ip: '203.0.113.9', ua, hit: { u: 'https://example.com/' } })}\n`;
  const rows = [of(0, headless), of(1, bot), of(2, firefox), of(3, bot), of(4, headless), of(5, firefox)];
  const { outcomes } = await asOne(rows.slice(0, 3), rows, rows);
  assert.equal(outcomes, { recorded: 1, crawler: 1, automation: 1, 'import-known': 3 });
});

test('a log of crawls alone is known, too', async () => {
  const log = Array.from({ length: 6 }, (_, i) => logLine(i, '203.0.113.1', bot));
  const { outcomes } = await asOne(log.slice(0, 4), log, log);
  assert.equal(outcomes, { crawler: 2, 'import-known': 4 });
});

test('what another format brought of the same time is told', async () => {
  const { dir, run } = await prepared();
  await run(lines.join(''));
  const log = `203.0.113.1 - - [02/Oct/2026:10:00:00 +0000] "GET /a HTTP/1.1" 200 1 "-" "${firefox}"\n`;
  assert.match((await run(log)).stderr, /1 row is here already by import 1 \(on 2026-10-02\)/);
  assert.equal(counted(dir), [4, 4]);
});

test('what is said of a row that is known is not imported again, and of a new one it is', async () => {
  const { dir, run } = await prepared();
  const of = (at: string, hit: object): string => `${JSON.stringify({ at, visitor: 'ada', hit })}\n`;
  const u = 'https://example.com/';
  const first = [of('2026-10-01T10:00:00Z', { u }), of('2026-10-01T10:05:00Z', { t: 'duration', u, d: 300_000 })];
  const more = [of('2026-10-01T10:06:00Z', { u }), of('2026-10-01T10:10:00Z', { t: 'duration', u, d: 240_000 })];
  await run(first.join(''));
  const { outcomes } = (await run([...first, ...more].join(''), ['--new-only', '--json'])).json();
  assert.equal(outcomes, { recorded: 2, 'import-known': 2 });
  assert.equal(counted(dir), [2, 1]);
});

const record = (hour: number, of: object): string => `${JSON.stringify({ at: `2026-10-01T${hour}:00:00Z`, ...of })}\n`;
const told = [10, 11].map(hour =>
  [
    { record: 'outcome', name: 'recorded', count: 210 },
    { record: 'outcome', name: 'crawler', count: 7 },
    { record: 'other_text', name: 'page', text: 'site', count: 5 },
    { record: 'crawl', name: 'GPTBot', text: '/a', status: 200, count: 3 },
    { record: 'vital', path: '/a', device: 'mobile', lcp: 1800 },
  ].map(of => record(hour, of)),
);

/** What is counted of the site beside hits. */
const countsOf = (dir: string): unknown[] => {
  const db = openDatabase(dir);
  const found = [
    ...db.prepare('select hour % 24, outcome, sum(hits) from outcome group by hour, outcome').raw().all(),
    ...db.prepare('select hour % 24, kind, sum(texts) from other_text group by hour, kind').raw().all(),
    ...db.prepare('select quarter % 96 / 4, status, sum(crawls) from crawl group by quarter, status').raw().all(),
  ];
  db.close();
  return found;
};
const countsAt = (...hours: number[]): unknown[] => [
  ...hours.flatMap(hour => [
    [hour, 'crawler', 7],
    [hour, 'recorded', 210],
  ]),
  ...hours.map(hour => [hour, 'page', 5]),
  ...hours.map(hour => [hour, 200, 3]),
];

test('counts that a file tells are refused where they are here, and left out only where that is asked for', async () => {
  const { dir, run } = await prepared();
  await run(told[0]!.join(''));
  for (const one of told[0]!)
    assert.match((await run(one + told[1]!.join(''))).stderr, /1 row is here already by import 1/);
  assert.equal(countsOf(dir), countsAt(10));
  const { outcomes, known } = (await run(told.flat().join(''), ['--new-only', '--json'])).json();
  assert.equal([outcomes, known[0].rows], [{ recorded: 5, 'import-known': 5 }, 5]);
  assert.equal(countsOf(dir), countsAt(10, 11));
});

test('of two counts that files tell the greater one counts', async () => {
  const { dir, run } = await prepared();
  await run(told[0]!.join(''));
  const more = told[0]!.map(line =>
    line.replace(/"count":(\d+)/, (_, count: string) => `"count":${2 * Number(count)}`),
  );
  const { outcomes } = (await run(more.join(''), ['--new-only', '--json'])).json();
  assert.equal(outcomes, { 'import-known': 5 });
  assert.equal(
    countsOf(dir).map(row => (row as number[])[2]),
    [14, 420, 10, 6],
  );
});

test('a line whose count two imports brought together is a row of the first', async () => {
  const { run } = await prepared();
  const crawls = (count: number): string => record(10, { record: 'crawl', name: 'GPTBot', text: '/a', count });
  for (const count of [4, 6]) await run(crawls(count), ['--all']);
  const { known } = (await run(crawls(10), ['--new-only', '--json'])).json() as { known: { import: number }[] };
  assert.equal(
    known.map(({ import: id }) => id),
    [1],
  );
});

test('counts of a time that the site collected itself are known', async () => {
  const { dir, run } = await prepared();
  const server = await startCollector({ dataDir: dir, now: Date.parse('2026-10-01T09:30:00Z') });
  for (const minutes of [0, 60]) {
    server.clock.now += minutes * 60_000;
    const sent = { s: server.site.publicKey, u: 'https://example.com/' };
    await server.post(sent, { address: '203.0.113.9', userAgent: firefox });
  }
  await server.close();
  for (const one of told[0]!.slice(0, 3))
    assert.match((await run(one)).stderr, /1 row is here already, in the time that the site collected itself/);
});

test.run();
