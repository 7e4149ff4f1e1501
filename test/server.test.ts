import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { dayMs, hourMs } from '../src/model/time.ts';
import { accounts, apiKeys } from '../src/store/accounts/accounts.ts';
import { type Database, lockDataDir } from '../src/store/database.ts';
import { sealer } from '../src/store/day/seal.ts';
import { notes } from '../src/store/notes.ts';
import { sites } from '../src/store/sites.ts';
import { runCommand } from './cli/helpers.ts';
import { addSite, temporaryDir } from './helpers.ts';
import { startTestServer, type TestServer } from './start-server.ts';
import { until } from './tools/conditions.ts';

const chrome = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36';

const postHit = (server: TestServer, hit: object, address = '203.0.113.1'): Promise<Response> =>
  fetch(`${server.collectorUrl}/e`, {
    method: 'POST',
    body: JSON.stringify(hit),
    headers: { 'user-agent': chrome, 'x-forwarded-for': address, 'content-type': 'text/plain' },
  });

const addKey = (db: Database): string => {
  const key = `tk_live_${'k'.repeat(32)}`;
  apiKeys(db).add(accounts(db).named('default', 0).id, 'test', key, 0);
  return key;
};

// biome-ignore lint/suspicious/noExplicitAny: what an endpoint answers is for its test to know
const ask = async (server: TestServer, key: string, path: string): Promise<{ status: number; body: any }> => {
  const response = await fetch(`${server.url}${path}`, { headers: { authorization: `Bearer ${key}` } });
  return { status: response.status, body: await response.json() };
};

test('an acknowledged hit is in the next answer, before and after midnight', async () => {
  let now = 20_000 * dayMs + dayMs - 5000;
  const server = await startTestServer({ now: () => now });
  const { publicKey } = addSite(server.db);
  const key = addKey(server.db);
  const stats = async (range: string) =>
    (await ask(server, key, `/api/v1/sites/${publicKey}/stats?range=${range}`)).body;

  const first = await postHit(server, { s: publicKey, u: 'https://site1.example/a' });
  assert.equal([first.status, await first.text(), first.headers.get('x-daybook')], [202, '{"m":"hash"}', 'recorded']);
  assert.is((await stats('today')).pageviews, 1);

  now += 10_000;
  await postHit(server, { s: publicKey, u: 'https://site1.example/b' });
  const both = await stats('7d');
  assert.equal(
    [both.pageviews, both.visitors, both.visits],
    [2, 2, 2],
    'a visitor and a visit each, since the salt is new',
  );
  assert.is((await stats('today')).pageviews, 1);
  await server.close();
});

test('hits removed beside a server go from every answer, and visits that they were of are counted on', async () => {
  let now = 20_000 * dayMs + 23 * hourMs;
  const server = await startTestServer({ now: () => now });
  const { publicKey } = addSite(server.db);
  const key = addKey(server.db);
  const view = (path: string, address?: string) =>
    postHit(server, { s: publicKey, u: `https://site1.example${path}`, r: 'https://news.example/' }, address);
  const prune = (...args: string[]) => runCommand(server.dataDir, ['prune', ...args], { now: () => now });
  const numbers = async (): Promise<number[]> => {
    const { body } = await ask(server, key, `/api/v1/sites/${publicKey}/stats?range=7d`);
    return [body.visitors, body.visits, body.pageviews, body.avgVisitSeconds];
  };
  await view('/wp-login', '203.0.113.7');
  await view('/');
  now += 10_000;
  await view('/wp-admin');
  assert.equal(await numbers(), [2, 2, 3, 5]);
  const { rule } = (await prune('--site', 'site1.example', '--where', 'path^=/wp-', '--json')).json();
  assert.equal(await numbers(), [1, 1, 1, 0]);
  now += 10_000;
  await view('/contact');
  await view('/', '203.0.113.7');
  assert.equal(await numbers(), [2, 2, 3, 10]);

  // After midnight the maintenance seals the day without them.
  now += 2 * hourMs;
  await view('/tomorrow');
  await until('the day is sealed', () => sealer(server.db).newest() === 20_000);
  assert.equal(
    await numbers(),
    [3, 3, 4, 20 / 3].map(value => Math.round(value * 100) / 100),
  );
  assert.is((await prune('--undo', String(rule))).stderr, '');
  const all = await numbers();
  assert.equal(all.slice(0, 3), [3, 3, 6]);
  assert.is(all[3], Math.round((40 / 3) * 100) / 100);
  await server.close();
});

test('a command’s change applies from the next hit and request on', async () => {
  const server = await startTestServer();
  const site = addSite(server.db);
  const post = async (path: string, address?: string) => {
    const response = await postHit(server, { s: site.publicKey, u: `https://site1.example${path}` }, address);
    return `${await response.text()} ${response.headers.get('x-daybook')}`;
  };
  assert.is(await post('/'), '{"m":"hash"} recorded');
  sites(server.db).set(site.id, {
    ...site,
    identityMode: 'cookie',
    excludedPaths: ['/admin/**'],
    excludedIps: ['198.51.100.0/24'],
  });
  assert.is(await post('/'), '{"m":"cookie"} recorded');
  assert.is(await post('/admin/users'), ' ignored; reason=excluded-path');
  assert.is(await post('/', '198.51.100.7'), ' ignored; reason=excluded-ip');

  const path = '/api/v1/sites';
  assert.is((await ask(server, 'tk_live_none', path)).status, 401);
  const key = addKey(server.db);
  assert.is((await ask(server, key, path)).body.data.length, 1);
  addSite(server.db);
  assert.is((await ask(server, key, path)).body.data.length, 2);
  apiKeys(server.db).revoke(apiKeys(server.db).list()[0]!.id);
  assert.is((await ask(server, key, path)).status, 401);
  await server.close();
});

test('a restart in the middle of a visit keeps visitor and visit', async () => {
  const dataDir = temporaryDir();
  let now = 20_000 * dayMs + dayMs / 2;
  const before = await startTestServer({ dataDir, now: () => now });
  const { publicKey } = addSite(before.db);
  const key = addKey(before.db);
  await postHit(before, { s: publicKey, u: 'https://site1.example/a' });
  await before.close();

  now += 20 * 60_000;
  const after = await startTestServer({ dataDir, now: () => now });
  await postHit(after, { s: publicKey, u: 'https://site1.example/b' });
  const { body } = await ask(after, key, `/api/v1/sites/${publicKey}/stats?range=today`);
  assert.equal([body.visitors, body.visits, body.pageviews, body.avgVisitSeconds], [1, 1, 2, 1200]);
  await after.close();
});

test('a server that was down for some minutes notes so on all sites, and after a restart it does not', async () => {
  const dataDir = temporaryDir();
  let now = 20_000 * dayMs + dayMs / 2;
  const restarted = async (downMs: number): Promise<string[]> => {
    now += downMs;
    const server = await startTestServer({ dataDir, now: () => now });
    if (sites(server.db).list().length === 0) addSite(server.db);
    const texts = notes(server.db).list(sites(server.db).list()[0]!.id);
    await server.close();
    return texts.map(({ date, kind, text }) => `${date} ${kind} ${text}`);
  };
  assert.equal(await restarted(0), []);
  assert.equal(await restarted(60_000), []);
  assert.equal(await restarted(20 * 60_000), ['2024-10-04 outage 12:01 – 12:21']);
  assert.is((await restarted(0)).length, 1);
});

test('only one server can hold a data directory', async () => {
  const dataDir = temporaryDir();
  const server = await startTestServer({ dataDir });
  try {
    await startTestServer({ dataDir });
    assert.unreachable('a second server started');
  } catch (error) {
    assert.match((error as Error).message, /in use by a running Daybook/);
  }
  await server.close();
  lockDataDir(dataDir)();
});

test('a collector with its own port answers nothing else there, and goes on taking hits on the other', async () => {
  const server = await startTestServer({ flags: { 'collector-port': '0' } });
  const { publicKey } = addSite(server.db);
  assert.is.not(server.url, server.collectorUrl);
  const statusOf = async (url: string, method = 'GET'): Promise<number> =>
    (await fetch(url, { method, ...(method === 'POST' && { body: '{}' }) })).status;
  assert.is(await statusOf(`${server.collectorUrl}/c/${publicKey}`), 200);
  assert.is(await statusOf(`${server.collectorUrl}/health`), 200);
  assert.is(await statusOf(`${server.collectorUrl}/api/v1/sites`), 404);
  for (const [path, method] of [
    ['/', 'GET'],
    ['/e/', 'POST'],
    ['/crawl/x', 'OPTIONS'],
  ] as const) {
    const { status, headers } = await fetch(server.collectorUrl + path, { method });
    assert.equal([status, headers.get('access-control-allow-origin')], [404, '*'], `${method} ${path}`);
  }
  for (const url of [server.url, server.collectorUrl]) {
    assert.is(await statusOf(`${url}/c/${publicKey}`), 200);
    assert.is(await statusOf(`${url}/t.js`), 200);
    const body = JSON.stringify({ s: publicKey, u: 'https://site1.example/' });
    const headers = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:132.0) Gecko/20100101 Firefox/132.0' };
    const hit = await fetch(`${url}/e`, { method: 'POST', headers, body });
    assert.equal([hit.status, hit.headers.get('x-daybook')], [202, 'recorded']);
  }
  assert.is(await statusOf(`${server.url}/health`), 200);
  await server.close();
});

test('an unknown path is 404', async () => {
  const server = await startTestServer();
  assert.is((await fetch(`${server.url}/nowhere`)).status, 404);
  await server.close();
});

test.run();
