/** Imports by the built program that are killed, and beside a server that collects and answers. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { lockDataDir, openDatabase } from '../../src/store/database.ts';
import { runCommand } from '../cli/helpers.ts';
import { temporaryDir } from '../helpers.ts';
import { startTestServer } from '../start-server.ts';
import { builtProgram } from '../tools/build.ts';
import { endChild, hasEnded } from '../tools/children.ts';
import { until } from '../tools/conditions.ts';

const days = 5;
const linesPerDay = 1500;
const chrome = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36';

/** So large that threads of their own read it. */
const writeHits = (): string => {
  const file = join(temporaryDir(), 'past.ndjson');
  const lines = Array.from({ length: days * linesPerDay }, (_, i) => {
    const at = new Date(Date.UTC(2024, 9, 1) + i * (86_400_000 / linesPerDay)).toISOString();
    const ti = `Page ${i % 300}`.padEnd(450, '.');
    const hit = { u: `https://example.com/page/${i % 300}`, ti, r: 'https://news.example/' };
    return `${JSON.stringify({ at, visitor: `v${i % 700}`, browser: 'Firefox', country: 'DE', hit })}\n`;
  });
  writeFileSync(file, lines.join(''));
  assert.ok(statSync(file).size > 4 * 1024 * 1024);
  return file;
};
const file = writeHits();

const withSite = async (): Promise<string> => {
  const dir = temporaryDir();
  await runCommand(dir, ['site', 'add', 'example.com']);
  return dir;
};

const startImport = (dir: string): ChildProcess =>
  spawn(process.execPath, [builtProgram, 'import', file, '--site', 'example.com', '--data', dir], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });

/** All hits that there are, but for the names of visitors, which are each directory's own. */
const exported = async (dir: string): Promise<string[]> => {
  const { stdout } = await runCommand(dir, ['export', '-', '--site', 'example.com']);
  return stdout
    .split('\n')
    .map(line => line.replace(/"(visitor|proof)":"[^"]*",?/g, ''))
    .filter(line => line.includes('"hit":'))
    .sort();
};

const rowsIn = (dir: string, table: string): number => {
  const db = openDatabase(dir);
  const count = db.prepare(`select count(*) from ${table}`).pluck().get() as number;
  db.close();
  return count;
};

type Moment = [name: string, isReached: (dir: string) => boolean];
const moments: Moment[] = [
  ['it reads', dir => existsSync(join(dir, 'import.lock'))],
  ['a column is written', dir => rowsIn(dir, 'sealed_column') > 0],
  ['most days are written', dir => rowsIn(dir, 'day_part') >= days - 1],
];

test('an import that is killed leaves nothing that anybody sees, and a second try does the rest', async () => {
  const whole = await withSite();
  assert.is((await runCommand(whole, ['import', file, '--site', 'example.com'])).code, 0);
  const want = await exported(whole);
  assert.is(want.length, days * linesPerDay);
  let killed = 0;
  for (const [name, isReached] of moments) {
    const dir = await withSite();
    // As beside a server, which makes it write with rests: so the moments are far enough apart.
    const unlock = lockDataDir(dir);
    const child = startImport(dir);
    await until(name, () => hasEnded(child) || isReached(dir));
    const ended = hasEnded(child) || once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
    unlock();
    // At the last moment all of it may have come.
    if ((await exported(dir)).length === 0) {
      killed++;
      assert.is((await runCommand(dir, ['import', file, '--site', 'example.com'])).code, 0, name);
    }
    assert.equal(await exported(dir), want, name);
    const listed = (await runCommand(dir, ['import', 'list', '--json'])).json();
    assert.equal([listed.length, listed[0].lines], [1, want.length], name);
    assert.is((await runCommand(dir, ['check'])).code, 0, name);
  }
  assert.ok(killed > 0, 'None was killed in the middle.');
});

test('a server takes every hit and answers as before while an import runs, and then has all of it at once', async () => {
  const dir = await withSite();
  const key = (await runCommand(dir, ['key', 'add', 'test', '--json'])).json().key as string;
  const [{ id, publicKey }] = (await runCommand(dir, ['site', 'list', '--json'])).json();
  const server = await startTestServer({ dataDir: dir, flags: { 'trust-proxy': 'private' } });
  const child = startImport(dir);
  const ask = async (question: string): Promise<string> => {
    const url = `${server.url}/api/v1/sites/${id}/${question}`;
    const response = await fetch(url, { headers: { authorization: `Bearer ${key}` } });
    const text = await response.text();
    assert.is(response.status, 200, text);
    return text;
  };
  const past = 'from=2024-10-01&to=2024-10-05';
  const whole = [{ name: 'DE', value: days * 700, events: days * linesPerDay }];
  const pageviews = (answer: string): number => JSON.parse(answer).pageviews;
  try {
    const before = await ask(`breakdown?dimension=country&${past}`);
    assert.equal(JSON.parse(before).data, []);
    let sent = 0;
    let isThere = false;
    for (; !hasEnded(child) || sent < 3; sent++) {
      const body = JSON.stringify({ s: publicKey, u: 'https://example.com/today', x: 1 });
      // From many networks, each of which has a budget.
      const headers = { 'user-agent': chrome, 'x-forwarded-for': `198.51.${sent % 250}.9` };
      const response = await fetch(`${server.url}/e`, { method: 'POST', headers, body });
      assert.equal([response.status, response.headers.get('x-daybook')], [202, 'recorded']);
      await response.arrayBuffer();
      assert.is(pageviews(await ask('stats?range=7d')), sent + 1);
      const countries = await ask(`breakdown?dimension=country&${past}`);
      const found = pageviews(await ask(`stats?${past}`));
      assert.ok(found === days * linesPerDay || (found === 0 && !isThere), `${found} page views`);
      // It may have come in between.
      if (countries !== before) assert.equal([JSON.parse(countries).data, found], [whole, days * linesPerDay]);
      isThere = found > 0;
    }
    assert.is(child.exitCode, 0);
    assert.is(pageviews(await ask(`stats?${past}`)), days * linesPerDay);
    assert.equal(JSON.parse(await ask(`breakdown?dimension=country&${past}`)).data, whole);
  } finally {
    await endChild(child);
    await server.close();
  }
});

test.run();
