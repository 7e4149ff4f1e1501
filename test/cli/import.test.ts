import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { dayMs, utcDayName } from '../../src/model/time.ts';
import { packageRoot } from '../../src/package-root.ts';
import { lockDataDir, openDatabase } from '../../src/store/database.ts';
import { dayReader } from '../../src/store/day/day-reader.ts';
import { salts } from '../../src/store/salts.ts';
import { sites } from '../../src/store/sites.ts';
import { startCollector } from '../collect/start-collector.ts';
import { temporaryDir } from '../helpers.ts';
import { randomFrom } from '../query/random-site.ts';
import { builtProgram } from '../tools/build.ts';
import { until } from '../tools/conditions.ts';
import { type Ran, runCommand, testNow, type World } from './helpers.ts';

const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0';
const googlebot = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)';

/** A data directory with the site example.com, and a way to import text into it. */
const prepared = async (...flags: string[]) => {
  const dir = temporaryDir();
  await runCommand(dir, ['site', 'add', 'example.com', ...flags]);
  const run = (text: string | Uint8Array | Readable, world: World = {}, ...more: string[]): Promise<Ran> =>
    runCommand(dir, ['import', '-', '--site', 'example.com', '--json', ...more], { stdin: text, ...world });
  return { dir, run };
};

/** What is in the database: a line for each visit, `day sealed|open visit: path@minute …`. */
const stored = (dir: string): string[] => {
  const db = openDatabase(dir);
  const reader = dayReader(db, 1e6);
  const siteId = sites(db).list()[0]!.id;
  const lines: string[] = [];
  for (const day of reader.days(siteId, 0, 4e12)) {
    const { codes, dictionary } = day.texts('path');
    const [started, time, hits] = [day.numbers('started'), day.numbers('time'), day.numbers('hits')];
    let hit = 0;
    for (let visit = 0; visit < day.visits; visit++) {
      const seen: string[] = [];
      for (const end = hit + hits[visit]!; hit < end; hit++) {
        seen.push(
          `${reader.texts.text(siteId, dictionary[codes[hit]!]!)}@${Math.floor((started[visit]! + time[hit]!) / 60_000)}`,
        );
      }
      lines.push(`${utcDayName(day.day)} ${day.sealed ? 'sealed' : 'open'} ${seen.join(' ')}`);
    }
  }
  db.close();
  return lines.sort();
};

/** Names, paths and statuses of the crawlers view. */
const crawls = (dir: string): string[] => {
  const db = openDatabase(dir);
  const rows = db
    .prepare(
      `select n.value as name, p.value as path, status, crawls from crawl c
       join text n on n.site_id = c.site_id and n.id = c.name join text p on p.site_id = c.site_id and p.id = c.path`,
    )
    .all() as { name: string; path: string; status: number; crawls: number }[];
  db.close();
  return rows.map(({ name, path, status, crawls }) => `${name} ${path} ${status} ${crawls}`).sort();
};

const logLine = (
  time: string,
  request: string,
  { host = '203.0.113.9', status = 200, referrer = '-', ua = firefox } = {},
): string => `${host} - - [${time} +0000] "${request}" ${status} 512 "${referrer}" "${ua}"\n`;

const hitLine = (at: string, path: string, { ip = '203.0.113.9', ...hit }: Record<string, unknown> = {}): string =>
  `${JSON.stringify({ at, ip, ua: firefox, hit: { u: `https://example.com${path}`, ...hit } })}\n`;

test('an access log gives pageviews and no crawlers, and every line is accounted for', async () => {
  const { dir, run } = await prepared('--exclude-path', '/admin/**', '--exclude-ip', '192.0.2.0/24');
  const log = [
    logLine('17/May/2015:10:00:00', 'GET /a HTTP/1.1', { referrer: 'https://www.google.de/search?q=x' }),
    logLine('17/May/2015:10:05:00', 'GET /b?id=1&utm_source=mail HTTP/1.1', { status: 304 }),
    logLine('17/May/2015:10:05:01', 'GET /b.css HTTP/1.1'),
    logLine('17/May/2015:10:06:00', 'GET /gone HTTP/1.1', { status: 404 }),
    logLine('17/May/2015:10:06:00', 'POST /a HTTP/1.1'),
    logLine('17/May/2015:10:07:00', 'GET /a HTTP/1.1', { host: 'pool-1.isp.example' }),
    logLine('17/May/2015:10:07:30', 'GET /b HTTP/1.1', { host: 'POOL-1.isp.example' }),
    logLine('17/May/2015:10:07:30', 'GET /b HTTP/1.1', { host: 'pool-2.isp.example' }),
    logLine('17/May/2015:10:08:00', 'GET /a HTTP/1.1', { ua: googlebot }),
    logLine('17/May/2015:10:09:00', 'GET /robots.txt HTTP/1.1', { ua: googlebot, status: 404 }),
    logLine('17/May/2015:10:10:00', 'GET /admin/x HTTP/1.1'),
    logLine('17/May/2015:10:10:00', 'GET /a HTTP/1.1', { host: '192.0.2.7' }),
    logLine('17/May/2015:10:11:00', 'GET http://other.example/ HTTP/1.1'),
    logLine('17/May/2015:10:11:00', '-', { status: 408, ua: '-' }),
    'garbage\n',
    '\n',
  ].join('');
  const ran = await run(log);
  assert.equal([ran.code, ran.stderr], [0, '']);
  assert.equal(ran.json(), {
    site: 'example.com',
    lines: 16,
    outcomes: {
      'import-malformed': 2,
      recorded: 5,
      'import-no-page': 5,
      crawler: 2,
      'excluded-path': 1,
      'excluded-ip': 1,
    },
    days: ['2015-05-17'],
  });
  assert.equal(stored(dir), [
    '2015-05-17 sealed /a@600 /b@605',
    '2015-05-17 sealed /a@607 /b@607',
    '2015-05-17 sealed /b@607',
  ]);
  assert.equal(crawls(dir), ['Googlebot /a 200 1', 'Googlebot /robots.txt 404 1']);
});

test('NDJSON with events, non-counting hits and vitals is handled as by the collector', async () => {
  const { dir, run } = await prepared();
  const ran = await run(
    [
      hitLine('2026-10-01T12:00:00Z', '/a', { s: 'pk_live_of_another_site', l: 'de' }),
      hitLine('2026-10-01T12:01:00Z', '/a', { t: 'custom', n: 'Signup', p: { plan: 'pro' } }),
      hitLine('2026-10-01T12:02:00Z', '/a', { t: 'duration', d: 5000 }),
      hitLine('2026-10-01T12:02:00Z', '/a', { t: 'vitals', p: { lcp: 900 } }),
      hitLine('2026-10-01T12:03:00Z', '/a', { t: 'dance' }),
      hitLine('2026-10-01T12:03:00Z', '/a', { u: 'mailto:a@example.com' }),
      hitLine('2026-10-01T12:03:00Z', '/a', { b: 1 }),
      hitLine('2026-10-01T12:03:00Z', '/a', {
        type: 'event',
        payload: { website: 'another', hostname: 'b.example', url: '/x' },
      }),
      hitLine('2026-10-01T12:03:00Z', '/a', { ip: 'localhost' }),
      '{"at":1}\n',
    ].join(''),
  );
  assert.equal(ran.json().outcomes, {
    recorded: 4,
    'bad-payload': 1,
    'bad-url': 1,
    automation: 1,
    'unknown-site': 1,
    'import-malformed': 2,
  });
  assert.equal(stored(dir), ['2026-10-01 sealed /a@720 /a@721']);
});

test('the order of lines within a day does not matter', async () => {
  const lines: string[] = [];
  for (let i = 0; i < 200; i++) {
    const minute = (i * 37) % 1440;
    const at = new Date(Date.UTC(2026, 9, 1 + (i >= 100 ? 1 : 0)) + minute * 60_000).toISOString();
    lines.push(hitLine(at, `/${i}`, { ip: `203.0.113.${i % 3}` }));
  }
  const ordered = [...lines].sort((a, b) => a.slice(0, 30).localeCompare(b.slice(0, 30)));
  const [mixed, sorted] = [await prepared(), await prepared()];
  assert.is((await mixed.run(lines.join(''))).json().outcomes.recorded, 200);
  await sorted.run(ordered.join(''));
  assert.ok(stored(mixed.dir).length > 10);
  assert.equal(stored(mixed.dir), stored(sorted.dir));
});

test('lines of days that are passed, sealed or to come are left out and counted', async () => {
  const { dir, run } = await prepared();
  const first = await run(hitLine('2026-10-02T12:00:00Z', '/b') + hitLine('2026-10-03T12:00:00Z', '/c'));
  assert.equal(first.json().days, ['2026-10-02', '2026-10-03']);
  const before = stored(dir);
  const second = await run(
    [
      hitLine('2026-10-03T13:00:00Z', '/sealed'),
      hitLine('2026-10-04T12:00:00Z', '/d'),
      hitLine('2026-10-01T12:00:00Z', '/passed'),
      hitLine('2026-10-02T12:00:00Z', '/sealed too'),
      hitLine('2026-10-04T13:00:00Z', '/e'),
      hitLine('2026-11-20T12:00:00.001Z', '/to come'),
    ].join(''),
  );
  assert.equal(second.json(), {
    site: 'example.com',
    lines: 6,
    outcomes: { recorded: 2, 'import-day-sealed': 2, 'import-day-passed': 1, 'import-future': 1 },
    days: ['2026-10-04'],
  });
  assert.equal(stored(dir), [...before, '2026-10-04 sealed /d@720', '2026-10-04 sealed /e@780']);
});

test('a day of crawlers alone is not counted twice', async () => {
  const { dir, run } = await prepared();
  const log = logLine('17/May/2015:10:08:00', 'GET /a HTTP/1.1', { ua: googlebot });
  await run(log);
  assert.equal((await run(log)).json().outcomes, { 'import-day-sealed': 1 });
  assert.equal(crawls(dir), ['Googlebot /a 200 1']);
});

test('today stays open and takes more; the next import seals it when it is over', async () => {
  const { dir, run } = await prepared();
  assert.is((await run(hitLine('2026-11-20T09:00:00Z', '/a'))).stderr, '');
  const again = await run(hitLine('2026-11-20T10:00:00Z', '/b'));
  assert.is(again.stderr, 'daybook: Today, 2026-11-20, had hits before; its lines were added to them.\n');
  assert.equal(stored(dir), ['2026-11-20 open /a@540', '2026-11-20 open /b@600']);
  const tomorrow = await run(hitLine('2026-11-20T11:00:00Z', '/c'), { now: () => testNow + 86_400_000 });
  assert.equal(tomorrow.json().outcomes, { 'import-day-sealed': 1 });
  assert.equal(stored(dir), ['2026-11-20 sealed /a@540', '2026-11-20 sealed /b@600']);
});

/** Visits as `hits, seconds, language`, in the order of their beginning. */
const visitsOf = (dir: string): string[] => {
  const db = openDatabase(dir);
  const reader = dayReader(db, 1e6);
  const siteId = sites(db).list()[0]!.id;
  const found = [...reader.days(siteId, 0, 4e12)].flatMap(day => {
    const [started, duration, hits] = [day.numbers('started'), day.numbers('duration'), day.numbers('hits')];
    const { codes, dictionary } = day.texts('language');
    return Array.from(started, (at, visit) => {
      const language = reader.texts.text(siteId, dictionary[codes[visit]!]!);
      return { at: day.day * dayMs + at, text: `${hits[visit]}, ${duration[visit]! / 1000}, ${language}` };
    });
  });
  db.close();
  return found.sort((a, b) => a.at - b.at || (a.text < b.text ? -1 : 1)).map(({ text }) => text);
};

test('a visit goes on from one import to the next, whichever comes first', async () => {
  const lines = ['09:00', '09:20', '09:40', '10:11'].map((time, i) =>
    hitLine(`2026-11-20T${time}:00Z`, '/', { l: `l${i}` }),
  );
  const want = ['3, 2400, l0', '1, 0, l3'];
  for (const parts of [
    [0, 1, 2, 3],
    [2, 0, 1, 3],
    [3, 2, 1, 0],
    [0, 2, 3, 1],
    [1, 3, 0, 2],
  ]) {
    const { dir, run } = await prepared();
    for (const part of parts) assert.is((await run(lines[part]!)).json().outcomes.recorded, 1);
    assert.equal(visitsOf(dir), want, String(parts));
    assert.is((await runCommand(dir, ['check'])).code, 0);
    // And so it stays when the day is sealed.
    await run('', { now: () => testNow + dayMs });
    assert.equal(visitsOf(dir), want, String(parts));
  }
});

test('visits of today are the same however its lines are split over imports', async () => {
  const random = randomFrom(15);
  const lines = Array.from({ length: 300 }, (_, i) =>
    hitLine(new Date(Date.UTC(2026, 10, 20) + random.below(11 * 60) * 60_000 + i).toISOString(), `/${i}`, {
      ip: `203.0.113.${random.below(12)}`,
      l: `l${i}`,
      ...(random.chance(0.2) && { t: 'duration', d: 1000 }),
    }),
  );
  const whole = await prepared();
  await whole.run(lines.join(''));
  for (const parts of [2, 5]) {
    const { dir, run } = await prepared();
    const of = lines.map(() => random.below(parts));
    for (let part = 0; part < parts; part++) await run(lines.filter((_, i) => of[i] === part).join(''));
    assert.equal(stored(dir), stored(whole.dir));
    assert.equal(visitsOf(dir), visitsOf(whole.dir));
  }
});

test('a visit goes on from a server to an import and on to the next server', async () => {
  const noon = Date.UTC(2026, 10, 20, 12);
  const { dir, run } = await prepared();
  const at = (minute: number): string => new Date(noon + minute * 60_000).toISOString();
  const serve = async (minute: number): Promise<void> => {
    const server = await startCollector({ dataDir: dir, now: noon + minute * 60_000 });
    const body = { s: server.site.publicKey, u: 'https://example.com/', l: `l${minute}` };
    const { outcome } = await server.post(body, { address: '203.0.113.9', userAgent: firefox });
    assert.is(outcome, 'recorded');
    await server.close();
  };
  const now = () => noon + 119 * 60_000;
  await serve(0);
  await serve(20);
  await run(hitLine(at(40), '/', { l: 'l40' }), { now });
  assert.equal(visitsOf(dir), ['3, 2400, l0']);
  // Hits from long before must not hide the newest from the next server.
  const early = Array.from({ length: 200 }, (_, i) =>
    hitLine(at(-600 + i), `/${i}`, { ip: '203.0.113.8', l: 'early' }),
  );
  await run(early.join(''), { now });
  await serve(60);
  assert.equal(visitsOf(dir), ['200, 11940, early', '4, 3600, l0']);
});

test('in cookie mode an earlier day counts as earlier though imported later', async () => {
  const { dir, run } = await prepared();
  await runCommand(dir, ['site', 'set', 'example.com', '--identity-mode', 'cookie']);
  const lines = (...days: string[]) => days.map(day => hitLine(`2026-11-${day}T09:00:00Z`, '/', { i: 'a' })).join('');
  await run(lines('10'));
  await run(lines('08', '09'));
  const db = openDatabase(dir);
  const days = [...dayReader(db, 1e6).days(sites(db).list()[0]!.id, 0, 4e12)];
  assert.equal(
    days.map(day => day.numbers('seenBefore')[0]),
    [0, 1, 0],
    'a day that is sealed already stays what it was',
  );
  db.close();
});

test('in cookie mode an earlier day makes the visits of today returning, though it is imported later', async () => {
  const { dir, run } = await prepared();
  await runCommand(dir, ['site', 'set', 'example.com', '--identity-mode', 'cookie']);
  const line = (day: string, i: string | undefined, more: object = {}) =>
    hitLine(`2026-11-${day}T09:00:00Z`, '/', { i, l: i ?? 'nobody', ...more });
  await run(['a', 'b', 'c', undefined].map(i => line('20', i)).join(''));
  const returning = (): (string | null)[] => {
    const db = openDatabase(dir);
    const reader = dayReader(db, 1e6);
    const siteId = sites(db).list()[0]!.id;
    const [today] = reader.days(siteId, Date.UTC(2026, 10, 20), 4e12);
    const { codes, dictionary } = today!.texts('language');
    const names = Array.from(today!.numbers('seenBefore'), (seen, visit) =>
      seen === 0 ? [] : [reader.texts.text(siteId, dictionary[codes[visit]!]!)],
    );
    db.close();
    return names.flat().sort();
  };
  assert.equal(returning(), []);
  await run(line('18', 'a') + line('18', undefined) + line('19', 'c', { t: 'duration', d: 1000 }));
  assert.equal(returning(), ['a']);
  // A day after which the import fails is written, and so counts.
  const failing = async function* () {
    yield Buffer.from(line('17', 'b') + line('20', 'b'));
    throw new Error('torn');
  };
  assert.is((await run(Readable.from(failing(), { objectMode: false }))).code, 1);
  assert.equal(returning(), ['a', 'b']);
});

test('the salt of today is kept, that of an earlier day is not', async () => {
  const { dir, run } = await prepared();
  const salt = () => {
    const db = openDatabase(dir);
    const newest = salts(db).newest();
    db.close();
    return newest;
  };
  await run(hitLine('2026-10-01T09:00:00Z', '/a'));
  assert.is(salt(), undefined);
  await run(hitLine('2026-10-02T09:00:00Z', '/a') + hitLine('2026-11-20T09:00:00Z', '/a'));
  const todays = salt();
  assert.is(utcDayName(todays!.day), '2026-11-20');
  await run(hitLine('2026-10-03T09:00:00Z', '/a') + hitLine('2026-11-20T10:00:00Z', '/a'));
  assert.equal(salt(), todays);
});

test('files may be compressed, and their format given or recognized', async () => {
  const text = hitLine('2026-10-01T12:00:00Z', '/a');
  const log = logLine('01/Oct/2026:12:00:00', 'GET /a HTTP/1.1');
  const variants: [content: string | Buffer, ...flags: string[]][] = [
    [text],
    [text, '--format', 'ndjson'],
    [log],
    [log, '--format', 'combined'],
    [gzipSync(text)],
    [gzipSync(log)],
  ];
  for (const [content, ...flags] of variants) {
    const { dir } = await prepared();
    const file = join(dir, 'lines');
    writeFileSync(file, content);
    const ran = await runCommand(dir, ['import', file, '--site', 'example.com', '--json', ...flags]);
    assert.equal(ran.json().outcomes, { recorded: 1 });
    assert.equal(stored(dir), ['2026-10-01 sealed /a@720']);
  }
});

test('an empty file imports nothing', async () => {
  const { run } = await prepared();
  assert.equal((await run('')).json(), { site: 'example.com', lines: 0, outcomes: {}, days: [] });
  assert.equal((await run('', {}, '--format', 'combined')).json().lines, 0);
});

test('people get a table, and on a terminal a line of progress', async () => {
  const { dir } = await prepared();
  const file = join(dir, 'lines');
  writeFileSync(file, [hitLine('2026-10-01T12:00:00Z', '/a'), hitLine('2026-10-02T12:00:00Z', '/a'), 'x\n'].join(''));
  const ran = await runCommand(dir, ['import', file, '--site', 'example.com'], { terminal: true });
  assert.is(
    ran.stdout,
    `OUTCOME           LINES  MEANING
recorded              2  stored and synced to disk
import-malformed      1  the line is not in the format

Read 3 lines, 2 days from 2026-10-01 to 2026-10-02.
`,
  );
  assert.is(ran.stderr, '\r2 lines read (100 %), 1 done, 2026-10-01\x1b[K\r\x1b[K');
});

test('refused: a running server, a missing file, site or database, a directory, a format that is none', async () => {
  const { dir, run } = await prepared();
  const errorOf = async (...args: string[]) => {
    const { code, stdout, stderr } = await runCommand(dir, ['import', ...args]);
    assert.is(stdout, '');
    return `${code} ${stderr}`;
  };
  const file = join(dir, 'daybook.lock');
  mkdirSync(join(dir, 'folder'));
  assert.is(await errorOf('/no/such/file', '--site', 'example.com'), '1 daybook: There is no file /no/such/file.\n');
  assert.match(
    await errorOf(join(dir, 'folder'), '--site', 'example.com'),
    /^1 daybook: .* is a directory: name a file, or - for stdin\.\n$/,
  );
  assert.is(
    await errorOf(file, '--site', 'exmple.com'),
    '1 daybook: There is no site exmple.com. Did you mean example.com?\n',
  );
  assert.is(await errorOf(file), '2 daybook: import needs --site DOMAIN.\n');
  assert.is(
    await errorOf(file, '--site', 'example.com', '--format', 'csv'),
    '2 daybook: There is no format csv: it is ndjson or combined.\n',
  );
  assert.match(
    (await runCommand(temporaryDir(), ['import', file, '--site', 'example.com'])).stderr,
    /^daybook: There is no database in /,
  );

  const unlock = lockDataDir(dir);
  const locked = await run(hitLine('2026-10-01T12:00:00Z', '/a'));
  assert.equal([locked.code, locked.stderr], [1, `daybook: ${dir} is in use by a running Daybook: stop it first.\n`]);
  unlock();
  assert.is((await run(hitLine('2026-10-01T12:00:00Z', '/a'))).code, 0);
});

const threeDays = (): string => {
  let text = '';
  for (let i = 0; i < 9000; i++) {
    text += hitLine(new Date(Date.UTC(2026, 9, 1) + i * 28_800).toISOString(), `/${i}`, { ip: `203.0.113.${i % 250}` });
  }
  return text;
};

test('an interrupted import leaves whole days, and a second run does the rest', async () => {
  const whole = await prepared();
  const text = threeDays();
  await whole.run(text);
  const want = stored(whole.dir);
  // The clock is looked at for every line that is read and for every day that is written: so the signal comes at a certain one.
  const endings = new Set<string>();
  for (const calls of [1000, 3003, 3005, 5000, 9012]) {
    const { dir, run } = await prepared();
    const stop = new AbortController();
    let left = calls;
    const now = (): number => {
      if (--left === 0) stop.abort();
      return testNow;
    };
    const ran = await run(text, { now, signal: stop.signal });
    endings.add(`${ran.code} ${ran.stderr}`);
    const days = new Map<string, number>();
    for (const line of stored(dir)) days.set(line.slice(0, 17), (days.get(line.slice(0, 17)) ?? 0) + 1);
    for (const [day, visits] of days) assert.is(visits, want.filter(line => line.startsWith(day)).length, day);
    const rest = await run(text);
    assert.is(rest.json().lines, 9000);
    assert.equal(stored(dir), want);
  }
  assert.equal(
    endings,
    new Set([
      '130 daybook: Interrupted. Nothing is imported.\n',
      '130 daybook: Interrupted. Days up to 2026-10-01 are imported, and nothing after that.\n',
      '0 ',
    ]),
  );
});

test('a file that breaks off is an error, with the days before it imported', async () => {
  const { dir, run } = await prepared();
  const bytes = gzipSync(threeDays());
  const ran = await run(Readable.from([bytes.subarray(0, Math.floor(bytes.length * 0.9))], { objectMode: false }));
  assert.is(ran.code, 1);
  assert.match(
    ran.stderr,
    /^daybook: stdin cannot be read: unexpected end of file\. Days up to 2026-10-02 are imported, and nothing after that\.\n$/,
  );
  assert.equal(
    new Set(stored(dir).map(line => line.slice(0, 17))),
    new Set(['2026-10-01 sealed', '2026-10-02 sealed']),
  );
});

test('Ctrl-C ends a process that waits for more input', async () => {
  const { dir } = await prepared();
  const child = spawn(process.execPath, [builtProgram, 'import', '-', '--site', 'example.com', '--data', dir], {
    cwd: packageRoot,
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  let stderr = '';
  child.stderr.on('data', text => (stderr += text));
  child.stdin.write(hitLine('2026-10-01T12:00:00Z', '/a') + hitLine('2026-10-02T12:00:00Z', '/b'));
  await until('the first day is stored', () => stored(dir).length > 0);
  child.kill('SIGINT');
  const [code] = await once(child, 'exit');
  assert.equal(
    [code, stderr],
    [130, 'daybook: Interrupted. Days up to 2026-10-01 are imported, and nothing after that.\n'],
  );
  assert.equal(stored(dir), ['2026-10-01 sealed /a@720']);
});

test.run();
