import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { dayMs, utcDayName, utcDayOf } from '../../src/model/time.ts';
import { packageRoot } from '../../src/package-root.ts';
import { lockDataDir, openDatabase } from '../../src/store/database.ts';
import { dayReader } from '../../src/store/day/day-reader.ts';
import { unitedDays } from '../../src/store/day/united-days.ts';
import { nodes } from '../../src/store/nodes.ts';
import { salts } from '../../src/store/salts.ts';
import { sites } from '../../src/store/sites.ts';
import { startCollector } from '../collect/start-collector.ts';
import { temporaryDir } from '../helpers.ts';
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
  const { site, lines, outcomes, days } = ran.json();
  assert.equal(
    { site, lines, outcomes, days },
    {
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
    },
  );
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
    recorded: 5,
    'bad-payload': 1,
    'bad-url': 1,
    automation: 1,
    'import-malformed': 2,
  });
  // What another product's hit would hold says nothing beside ours.
  assert.equal(stored(dir), ['2026-10-01 sealed /a@720 /a@721 /a@723']);
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

test('days may come in any order, beside days that are there, and lines to come are left out', async () => {
  const { dir, run } = await prepared();
  const first = await run(hitLine('2026-10-02T12:00:00Z', '/b') + hitLine('2026-10-03T12:00:00Z', '/c'));
  assert.equal(first.json().days, ['2026-10-02', '2026-10-03']);
  const second = await run(
    [
      hitLine('2026-10-03T13:00:00Z', '/f'),
      hitLine('2026-10-04T12:00:00Z', '/d'),
      hitLine('2026-10-01T12:00:00Z', '/a'),
      hitLine('2026-11-20T12:00:00.001Z', '/to come'),
    ].join(''),
  );
  assert.equal(second.json().outcomes, { recorded: 3, 'import-future': 1 });
  assert.equal(second.json().days, ['2026-10-01', '2026-10-03', '2026-10-04']);
  assert.equal(stored(dir), [
    '2026-10-01 sealed /a@720',
    '2026-10-02 sealed /b@720',
    '2026-10-03 sealed /c@720',
    '2026-10-03 sealed /f@780',
    '2026-10-04 sealed /d@720',
  ]);
});

test('the same content is imported once', async () => {
  const { dir, run } = await prepared();
  const log = logLine('17/May/2015:10:08:00', 'GET /a HTTP/1.1', { ua: googlebot });
  await run(log);
  const again = await run(log);
  assert.equal(
    [again.code, again.stderr],
    [1, 'daybook: stdin is imported already: it is import 1 of 2026-11-20. Nothing is imported.\n'],
  );
  assert.equal(crawls(dir), ['Googlebot /a 200 1']);
});

test('what is imported of today is there beside what is collected, and stays when the day is sealed', async () => {
  const noon = Date.UTC(2026, 10, 20, 12);
  const { dir, run } = await prepared();
  const collect = async (minute: number): Promise<void> => {
    const server = await startCollector({ dataDir: dir, now: noon + minute * 60_000 });
    const body = { s: server.site.publicKey, u: 'https://example.com/own' };
    assert.is((await server.post(body, { address: '203.0.113.9', userAgent: firefox })).outcome, 'recorded');
    await server.close();
  };
  await collect(-60);
  assert.is((await run(hitLine('2026-11-20T09:00:00Z', '/a'))).stderr, '');
  await collect(-50);
  const want = (kind: string) => ['2026-11-20 sealed /a@540', `2026-11-20 ${kind} /own@660 /own@670`].sort();
  assert.equal(stored(dir), want('open'));
  assert.is((await runCommand(dir, ['seal'], { now: () => testNow + dayMs })).code, 0);
  assert.equal(stored(dir), want('sealed'));
  assert.is((await runCommand(dir, ['check'])).code, 0);
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

/** Visits as `hits, seconds, language`, in the order of their beginning. */
const visitsOf = (dir: string): string[] => {
  const db = openDatabase(dir);
  const reader = unitedDays(dayReader(db, 1e6));
  const siteId = sites(db).list()[0]!.id;
  const days = reader.outline(siteId, 0, 4e12).flatMap(of => reader.day(siteId, of));
  const found = days.flatMap(day => {
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

test('a visit of today goes on from one import to the next, whichever comes first', async () => {
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
  }
});

test('a visit goes on from a server to an import and on to the next server, also when the day is sealed', async () => {
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
  // It lies between hits of the server, which took others at that time.
  await run(hitLine(at(40), '/', { l: 'l40' }), { now }, '--all');
  assert.equal(visitsOf(dir), ['3, 2400, l0']);
  const early = Array.from({ length: 200 }, (_, i) =>
    hitLine(at(-600 + i), `/${i}`, { ip: '203.0.113.8', l: 'early' }),
  );
  await run(early.join(''), { now });
  await serve(60);
  const want = ['200, 11940, early', '4, 3600, l0'];
  assert.equal(visitsOf(dir), want);
  assert.is((await runCommand(dir, ['seal'], { now: () => testNow + dayMs })).code, 0);
  assert.equal(visitsOf(dir), want);
});

test('the salt of today is kept, that of an earlier day is not', async () => {
  const { dir, run } = await prepared();
  const salt = () => {
    const db = openDatabase(dir);
    const newest = salts(db).newest();
    db.close();
    return newest;
  };
  const today = utcDayOf(testNow);
  await run(hitLine('2026-11-20T09:00:00Z', '/a'), {}, '--dry-run');
  assert.is(salt(), undefined, 'a try stores none');
  await run(hitLine('2026-10-01T09:00:00Z', '/a'));
  const before = salt();
  assert.is(before?.day, today);
  await run(hitLine('2026-10-02T09:00:00Z', '/a') + hitLine('2026-11-20T09:00:00Z', '/a'));
  assert.equal(salt(), before);
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

test('the primary of a cluster is told that it brings there what is imported', async () => {
  const { dir, run } = await prepared();
  const db = openDatabase(dir);
  const file = '{"at":"2026-11-01T10:00:00Z","visitor":"ada","hit":{"u":"https://example.com/"}}\n';
  const said = async (env: Record<string, string>): Promise<boolean> =>
    /counts? twice/.test((await run(file, { env }, '--all')).stderr);
  const env = { CLICKHOUSE: 'http://127.0.0.1:1/daybook' };
  assert.not.ok(await said(env), 'nobody collects for it');
  nodes(db).note('a'.repeat(32), testNow);
  db.close();
  assert.not.ok(await said({}));
  assert.ok(await said(env));
});

test('an empty file imports nothing', async () => {
  const { run } = await prepared();
  const { lines, outcomes, days, id } = (await run('')).json();
  assert.equal([lines, outcomes, days, id], [0, {}, [], null]);
  assert.equal((await run('', {}, '--format', 'combined')).json().lines, 0);
});

test('people are told that an empty file holds nothing', async () => {
  const { dir } = await prepared();
  const file = join(dir, 'lines');
  writeFileSync(file, '');
  const { stdout } = await runCommand(dir, ['import', file, '--site', 'example.com']);
  assert.is(stdout, 'Read 0 lines. There is nothing to import.\n');
});

test('a table that is not of the format named is told with the columns that it lacks', async () => {
  const { run } = await prepared();
  const wrong: [content: string, format: string, told: string][] = [
    ['datetime,hostname,path_name,pageviews\n', 'fathom', 'other names (pathname).'],
    ['1Path,Title,Date\n', 'goatcounter', 'other names (Session).'],
    ['', 'umami', 'the file is empty.'],
  ];
  for (const [content, format, told] of wrong) {
    const { stderr } = await run(content, {}, '--from', format);
    assert.ok(stderr.includes(told), stderr);
  }
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

TOTAL      SOURCE  DAYBOOK
visitors        -        2
visits          -        2
pageviews       2        2
events          0        0

Read 3 lines, 2 days from 2026-10-01 to 2026-10-02. To take it back: daybook import undo 1
`,
  );
  assert.is(ran.stderr, '\r3 lines read (100 %)\x1b[K\r\x1b[K');
});

test('refused: a missing file, site or database, a directory, a format that is none', async () => {
  const { dir } = await prepared();
  const errorOf = async (...args: string[]) => {
    const { code, stdout, stderr } = await runCommand(dir, ['import', ...args]);
    assert.is(stdout, '');
    return `${code} ${stderr}`;
  };
  const file = join(dir, 'daybook.lock');
  mkdirSync(join(dir, 'folder'));
  assert.is(
    await errorOf('/no/such/file', '--site', 'example.com'),
    '1 daybook: There is no file /no/such/file. Nothing is imported.\n',
  );
  assert.match(
    await errorOf(join(dir, 'folder'), '--site', 'example.com'),
    /^1 daybook: .* is a directory: name a file, or - for stdin\. Nothing is imported\.\n$/,
  );
  assert.is(
    await errorOf(file, '--site', 'exmple.com'),
    '1 daybook: There is no site exmple.com. Did you mean example.com?\n',
  );
  assert.is(await errorOf(file), '2 daybook: import needs --site DOMAIN.\n');
  assert.match(
    await errorOf(file, '--site', 'example.com', '--format', 'csv'),
    /^2 daybook: There is no format csv: it is umami, /,
  );
  assert.match(
    (await runCommand(temporaryDir(), ['import', file, '--site', 'example.com'])).stderr,
    /^daybook: There is no database in /,
  );
});

const threeDays = (): string => {
  let text = '';
  for (let i = 0; i < 3000; i++) {
    text += hitLine(new Date(Date.UTC(2026, 9, 1) + i * 86_400).toISOString(), `/${i}`, { ip: `203.0.113.${i % 250}` });
  }
  return text;
};

test('an interrupted import leaves nothing that anybody sees, and a second run does the rest', async () => {
  const whole = await prepared();
  const text = threeDays();
  await whole.run(text);
  const want = stored(whole.dir);
  /** Progress is told after each piece that is read and each step that is written: one of them stops it. */
  const stoppedAt = async (pieces: number) => {
    const { dir, run } = await prepared();
    const stop = new AbortController();
    let told = 0;
    const ran = await run(text, {
      signal: stop.signal,
      terminal: true,
      now: () => testNow + 1000 * told,
      onStderr: () => {
        if (++told === pieces) stop.abort();
      },
    });
    return { dir, run, ran, told };
  };
  const { told: all } = await stoppedAt(Number.POSITIVE_INFINITY);
  assert.ok(all > 20);
  for (const pieces of [1, 2, 5, Math.floor(all / 2), Math.floor(all * 0.9), all + 1]) {
    const { dir, run, ran } = await stoppedAt(pieces);
    const end = ran.stderr.slice(ran.stderr.lastIndexOf('daybook: '));
    assert.is(ran.code === 0, pieces > all);
    if (ran.code === 0) continue;
    assert.is(end, 'daybook: Interrupted. Nothing is imported.\n');
    assert.equal(stored(dir), []);
    assert.is((await run(text)).code, 0);
    assert.equal(stored(dir), want);
    assert.equal((await runCommand(dir, ['import', 'list', '--json'])).json().length, 1);
    assert.is((await runCommand(dir, ['check'])).code, 0);
  }
});

test('a file that breaks off is an error that names it, and leaves the site as it was', async () => {
  const { dir, run } = await prepared();
  const bytes = gzipSync(threeDays());
  const ran = await run(Readable.from([bytes.subarray(0, Math.floor(bytes.length * 0.9))], { objectMode: false }));
  assert.equal(
    [ran.code, ran.stderr],
    [1, 'daybook: stdin cannot be read: unexpected end of file. Nothing is imported.\n'],
  );
  assert.equal(stored(dir), []);
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
  await until('it holds the lock', () => existsSync(join(dir, 'import.lock')));
  child.kill('SIGINT');
  const [code] = await once(child, 'exit');
  assert.equal([code, stderr], [130, 'daybook: Interrupted. Nothing is imported.\n']);
  assert.equal(stored(dir), []);
});

/** All rows that an import may touch. */
const everything = (dir: string): unknown => {
  const db = openDatabase(dir);
  const tables = ['crawl', 'outcome', 'vital', 'cookie_visitor', 'import', 'import_count', 'hit', 'visit'];
  const rows = tables.map(table => [table, db.prepare(`select * from ${table}`).all()]);
  const columns = db
    .prepare(
      `select site_id, day, import_id, number, version, hits, bytes, name, data
       from day_part p left join sealed_column c on c.part_id = p.id order by site_id, day, import_id, number, name`,
    )
    .all();
  db.close();
  return [...rows, columns];
};

test('an import is taken back as a whole, and nothing else changes', async () => {
  for (const mode of ['hash', 'cookie']) {
    const { dir, run } = await prepared();
    await runCommand(dir, ['site', 'set', 'example.com', '--identity-mode', mode]);
    const line = (at: string, i: string, more: object = {}) => hitLine(at, '/', { i, ...more });
    const log = logLine('02/Oct/2026:10:08:00', 'GET /a HTTP/1.1', { ua: googlebot });
    await run(line('2026-10-02T12:00:00Z', 'a') + line('2026-10-03T12:00:00Z', 'b'));
    await run(log);
    const before = everything(dir);
    const third = await run(
      line('2026-10-01T12:00:00Z', 'a') +
        line('2026-10-02T13:00:00Z', 'c') +
        line('2026-10-02T13:00:00Z', 'c', { t: 'vitals', p: { lcp: 900 } }) +
        line('2026-10-02T13:00:00Z', 'x', { b: 1 }) +
        'junk\n',
    );
    const fourth = await run(log + log, {}, '--all');
    assert.equal([third.json().id, fourth.json().id], [3, 4]);
    assert.is(stored(dir).length, 4);
    assert.ok(crawls(dir).includes('Googlebot /a 200 3'));
    for (const id of ['3', '4']) {
      const undone = await runCommand(dir, ['import', 'undo', id]);
      assert.equal([undone.code, undone.stdout], [0, `Took import ${id} back (stdin).\n`]);
    }
    assert.equal(everything(dir), before);
    assert.is((await runCommand(dir, ['check'])).code, 0);
    assert.is((await runCommand(dir, ['import', 'undo', '3'])).code, 1);
  }
});

test('hits of an import are left out and put back like any others', async () => {
  const { dir, run } = await prepared();
  await run(hitLine('2026-10-02T12:00:00Z', '/a') + hitLine('2026-10-02T12:01:00Z', '/b'));
  await run(hitLine('2026-10-02T12:00:00Z', '/b', { ip: '203.0.113.7' }));
  const leaveOut = async () =>
    (await runCommand(dir, ['prune', '--where', 'path=/b', '--site', 'example.com', '--json'])).json();
  const putBack = async ({ rule }: { rule: number }) =>
    (await runCommand(dir, ['prune', '--undo', String(rule), '--json'])).json().hits;
  const paths = async (): Promise<string[]> => {
    const { stdout } = await runCommand(dir, ['export', '-', '--site', 'example.com']);
    const lines = stdout.split('\n').filter(line => line.includes('"hit":'));
    return lines.map(line => new URL(JSON.parse(line).hit.u).pathname).sort();
  };
  const before = stored(dir);
  assert.equal(await paths(), ['/a', '/b', '/b']);
  const first = await leaveOut();
  assert.is(first.hits, 2);
  assert.equal(await paths(), ['/a']);
  assert.equal(stored(dir), before);
  assert.is(await putBack(first), 2);
  assert.equal(await paths(), ['/a', '/b', '/b']);
  const second = await leaveOut();
  await runCommand(dir, ['import', 'undo', '2']);
  assert.equal(await paths(), ['/a']);
  assert.is(await putBack(second), 1, 'what was taken back as an import stays away');
  assert.equal(await paths(), ['/a', '/b']);
});

test('imports are listed with what the source and Daybook count', async () => {
  const { dir, run } = await prepared();
  assert.is((await runCommand(dir, ['import', 'list'])).stdout, 'There are no imports.\n');
  const hit = (visitor: string, day: string) =>
    `${JSON.stringify({ at: `2026-10-${day}T12:00:00Z`, visitor, country: 'DE', hit: { u: 'https://example.com/' } })}\n`;
  const lines = hit('a', '01') + hit('a', '02') + hit('b', '02');
  const tried = (await run(lines, {}, '--dry-run')).json();
  assert.equal([tried.id, tried.counted.visitors, stored(dir)], [null, 3, []]);
  assert.is((await runCommand(dir, ['import', 'list'])).stdout, 'There are no imports.\n');
  await run(lines);
  const [listed] = (await runCommand(dir, ['import', 'list', '--json'])).json();
  assert.equal(listed.source, { visitors: 2, visits: null, pageviews: 3, events: 0 });
  assert.equal(listed.counted, { visitors: 3, visits: 3, pageviews: 3, events: 0 });
  assert.equal([listed.id, listed.days, listed.lines], [1, { first: '2026-10-01', last: '2026-10-02' }, 3]);
});

test('an import runs while a server holds the data directory', async () => {
  const { dir, run } = await prepared();
  const unlock = lockDataDir(dir);
  assert.is((await run(hitLine('2026-10-01T12:00:00Z', '/a'))).code, 0);
  unlock();
  assert.equal(stored(dir), ['2026-10-01 sealed /a@720']);
});

test.run();
