/** `daybook export`: what is in the files, read by other programs than the one that wrote them. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { parquetReadObjects } from 'hyparquet';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { noon, startCollector } from '../collect/start-collector.ts';
import { temporaryDir } from '../helpers.ts';
import { runCommand } from './helpers.ts';

const second = 1000;

/** Two visitors and every kind of hit. The first visit begins and ends with what is no hit. */
const dataWithHits = async (): Promise<string> => {
  const { post, clock, site, dataDir, close } = await startCollector();
  const send = async (afterSeconds: number, hit: object, address = '203.0.113.9'): Promise<void> => {
    clock.now += afterSeconds * second;
    const body = { s: site.publicKey, ...hit };
    assert.is((await post(body, { address })).outcome, 'recorded');
  };
  const pricing = {
    u: 'https://site1.example/pricing?plan=pro&utm_source=news',
    r: 'https://www.google.com/',
    w: 1400,
    h: 900,
  };
  await send(0, { t: 'duration', ...pricing, d: 0 });
  await send(1, { ...pricing, ti: 'Pricing, "all" of it', l: 'de-DE' });
  await send(30, { t: 'duration', ...pricing, d: 30_000, sc: 80 });
  await send(0, { u: 'https://site1.example/app#/start', d: 1 });
  await send(5, {
    t: 'revenue',
    n: 'Buy',
    u: 'https://site1.example/app#/start',
    v: 4900,
    c: 'EUR',
    p: { plan: 'pro', seats: 3, trial: false },
  });
  await send(1, { t: 'identify', u: 'https://site1.example/app', p: { email: 'ann@example.com' } });
  await send(9, { t: 'duration', u: 'https://site1.example/app#/start', d: 14_000 });
  await send(0, { t: 'custom', n: 'Grüße\n', u: 'https://site1.example/ä/🙂' }, '203.0.113.77');
  await close();
  return dataDir;
};

/** Of NDJSON, the lines of hits, or those of what else was recorded. */
const linesOf = (text: string | Buffer, isHit = true) =>
  String(text)
    .trimEnd()
    .split('\n')
    .flatMap(line => (line === '' ? [] : [JSON.parse(line)]))
    .filter(line => (line.record === undefined) === isHit);

const exported = async (dataDir: string, ...flags: string[]): Promise<Buffer> => {
  const file = join(temporaryDir(), 'hits');
  const ran = await runCommand(dataDir, ['export', file, '--site', 'site1.example', ...flags]);
  assert.is(ran.code, 0, ran.stderr);
  assert.match(ran.stdout, /^Wrote \d+ hits? of site1\.example to /);
  return readFileSync(file);
};

test('ndjson has a line for each hit, and lines for what was told besides', async () => {
  const dataDir = await dataWithHits();
  const text = (await exported(dataDir)).toString('utf8');
  const lines = linesOf(text);
  const of = (visitor: string) => lines.filter(line => line.visitor === visitor);
  const [ann] = lines.filter(({ hit }) => hit.t === 'revenue');
  const told = of(ann.visitor).map(({ at, hit }) => [
    (Date.parse(at) - noon) / second,
    hit.t,
    hit.d ?? null,
    hit.sc ?? null,
  ]);
  assert.equal(told, [
    [0, 'duration', 0, null],
    [1, 'pageview', null, null],
    [31, 'duration', 30_000, 80],
    [31, 'pageview', null, null],
    [36, 'revenue', null, null],
    [36, 'identify', null, null],
    [46, 'duration', 14_000, null],
  ]);
  assert.equal(
    [ann.referrer, ann.utmSource, ann.country, ann.hit.v, ann.hit.c],
    ['google.com', 'news', 'DE', 4900, 'EUR'],
  );
  assert.equal(ann.hit.p, { plan: 'pro', seats: 3, trial: false });
  assert.equal([ann.hit.u, ann.hit.w, ann.hit.h], ['https://site1.example/app#/start', 1400, 900]);
  assert.is(lines.filter(line => line.visitor !== ann.visitor).length, 1);
  assert.is((await runCommand(dataDir, ['export', '-', '--site', 'site1.example'])).stdout, text);
});

test('lines hold a visit together that hits held together which are not kept', async () => {
  const { post, clock, site, dataDir, close } = await startCollector();
  const hit = { s: site.publicKey, u: 'https://site1.example/long' };
  for (const [minutes, more] of [
    [0, {}],
    [25, { t: 'duration', d: 1000 }],
    [25, { t: 'duration', d: 1000 }],
    [25, { t: 'duration', d: 1000 }],
  ] as const) {
    clock.now += minutes * 60 * second;
    assert.is((await post({ ...hit, ...more })).outcome, 'recorded');
  }
  await close();
  const times = linesOf(await exported(dataDir)).map(({ at }) => (Date.parse(at) - noon) / (60 * second));
  assert.equal(times, [0, 30, 60, 75]);
});

const rowsOf = (file: Buffer) =>
  parquetReadObjects({
    file: file.buffer.slice(file.byteOffset, file.byteOffset + file.byteLength) as ArrayBuffer,
  });

test('parquet has a row for each hit', async () => {
  const rows = await rowsOf(await exported(await dataWithHits(), '--format', 'parquet'));
  const byType = rows.map(({ type }) => type).sort();
  assert.equal(byType, ['custom', 'pageview', 'pageview', 'revenue']);
  const paid = rows.find(({ type }) => type === 'revenue')!;
  assert.equal(
    [paid.amount, paid.currency, JSON.parse(paid.properties)],
    [4900, 'EUR', { plan: 'pro', seats: 3, trial: false }],
  );
  assert.equal(
    [paid.at.getTime() - noon, paid.visitStart.getTime() - noon, paid.visitEnd.getTime() - noon],
    [36_000, 0, 46_000],
  );
  assert.equal(
    [paid.path, paid.country, paid.width, paid.traits],
    ['/app#/start', 'DE', 1400, '{"email":"ann@example.com"}'],
  );
  const first = rows.find(({ path }) => path === '/pricing')!;
  assert.equal([first.secondsOnPage, first.scroll, first.query], [30, 80, 'plan=pro']);
});

test('umami has the rows of its table', async () => {
  const [heading, ...rows] = (await exported(await dataWithHits(), '--format', 'umami'))
    .toString('utf8')
    .split(/\n(?=[0-9a-f]{8}-)/);
  const names = heading!.split(',');
  const cellOf = (row: string, name: string): string => row.split(/,(?=(?:[^"]*"[^"]*")*[^"]*$)/)[names.indexOf(name)]!;
  assert.is(rows.length, 4);
  const pageview = rows.find(row => cellOf(row, 'url_path') === '/pricing')!;
  assert.equal(
    ['page_title', 'url_query', 'referrer_domain', 'event_type', 'created_at', 'screen'].map(name =>
      cellOf(pageview, name),
    ),
    ['"Pricing, ""all"" of it"', 'plan=pro', 'google.com', '1', '2024-10-04 12:00:01.000', '1400x900'],
  );
  assert.is(new Set(rows.map(row => cellOf(row, 'visit_id'))).size, 2);
  assert.is(new Set(rows.map(row => cellOf(row, 'event_id'))).size, 4);
});

test('only the days that are asked for are written', async () => {
  const dataDir = await dataWithHits();
  const count = async (...flags: string[]) => {
    const file = await exported(dataDir, ...flags);
    return [linesOf(file).length, linesOf(file, false).length];
  };
  assert.equal(
    [await count('--from', '2024-10-04', '--to', '2024-10-04'), await count('--from', '2024-10-05')],
    [
      [8, 1],
      [0, 0],
    ],
  );
  assert.equal(await count('--to', '2024-10-03'), [0, 0]);
});

test('what cannot be is said', async () => {
  const dataDir = await dataWithHits();
  for (const [args, problem] of [
    [['-', '--site', 'other.example'], /other\.example/],
    [['-', '--site', 'site1.example', '--format', 'xml'], /it must be ndjson, parquet, umami/],
    [['-', '--site', 'site1.example', '--from', '2026-02-30'], /it must be a day like/],
    [[join(temporaryDir(), 'no', 'such'), '--site', 'site1.example'], /cannot be written: ENOENT/],
  ] as const)
    assert.match((await runCommand(dataDir, ['export', ...args])).stderr, problem);
});

test('a time too short for a second is told, and nothing where nothing was', async () => {
  const { post, clock, site, dataDir, close } = await startCollector();
  const u = 'https://site1.example/brief';
  for (const [hit, address] of [
    [{ u }, '203.0.113.9'],
    [{ u }, '203.0.113.77'],
    [{ t: 'duration', u, d: 400 }, '203.0.113.9'],
  ] as const) {
    clock.now += second;
    assert.is((await post({ s: site.publicKey, ...hit }, { address })).outcome, 'recorded');
  }
  await close();
  const told = linesOf(await exported(dataDir))
    .map(line => line.hit)
    .filter(({ t }) => t === 'duration');
  assert.equal(
    told.map(({ d, sc }) => [d, sc]),
    [[1, undefined]],
  );
  const rows = await rowsOf(await exported(dataDir, '--format', 'parquet'));
  assert.equal(rows.map(row => row.secondsOnPage).sort(), [0, null]);
});

test('a file that is there stays, unless it is to be replaced, and none is left half', async () => {
  const dir = await dataWithHits();
  const file = join(temporaryDir(), 'hits.ndjson');
  writeFileSync(file, 'mine');
  const args = ['export', file, '--site', 'site1.example'];
  const refused = await runCommand(dir, args);
  assert.equal([refused.code, refused.stderr], [1, `daybook: ${file} is there already: --force replaces it.\n`]);
  assert.is(readFileSync(file, 'utf8'), 'mine');
  const stopped = await runCommand(dir, [...args, '--force'], { signal: AbortSignal.abort() });
  assert.equal([stopped.code, stopped.stderr], [130, 'daybook: Interrupted: no file was written.\n']);
  assert.is(readFileSync(file, 'utf8'), 'mine');
  const { hits } = (await runCommand(dir, [...args, '--force', '--json'])).json();
  assert.ok(hits > 3);
  assert.is(readFileSync(file, 'utf8').trim().split('\n').length > 3, true);
  assert.equal(readdirSync(dirname(file)), ['hits.ndjson']);
  // What is no file is written to as it is.
  assert.is((await runCommand(dir, ['export', '/dev/null', '--site', 'site1.example'])).code, 0);
  const full = await runCommand(dir, ['export', '/dev/full', '--site', 'site1.example']);
  assert.equal(
    [full.code, /^daybook: The file cannot be written: ENOSPC.*\n$/.test(full.stderr)],
    [1, true],
    full.stderr,
  );
});

test('an export that nobody reads ends when it is stopped', async () => {
  const dir = await dataWithHits();
  const fifo = join(temporaryDir(), 'pipe');
  execFileSync('mkfifo', [fifo]);
  const stop = new AbortController();
  setTimeout(() => stop.abort(), 100);
  const { code, stderr } = await runCommand(dir, ['export', fifo, '--site', 'site1.example'], { signal: stop.signal });
  assert.equal([code, stderr], [130, 'daybook: Interrupted: no file was written.\n']);
  // And it is written once somebody reads it.
  const running = runCommand(dir, ['export', fifo, '--site', 'site1.example']);
  assert.ok((await readFile(fifo, 'utf8')).split('\n').length > 3);
  assert.is((await running).code, 0);
});

test.run();
