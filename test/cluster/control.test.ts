/** What followers learn of their primary, and what strangers learn: nothing. */

import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type ControlState, createControl } from '../../src/cluster/control-endpoint.ts';

import { dayMs, hourMs } from '../../src/model/time.ts';
import { accounts, apiKeys } from '../../src/store/accounts/accounts.ts';
import { followerStore } from '../../src/store/follower.ts';
import { checkDatabase } from '../../src/store/maintenance/check.ts';
import { nodeTokens } from '../../src/store/node-tokens.ts';
import { nodes } from '../../src/store/nodes.ts';
import { salts } from '../../src/store/salts.ts';
import { sites } from '../../src/store/sites.ts';
import { runCommand } from '../cli/helpers.ts';
import { addSite, temporaryDatabase } from '../helpers.ts';
import { primaryFlags, startTestCollector, startTestServer, type TestServer } from '../start-server.ts';
import { until } from '../tools/conditions.ts';

const chrome = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36';

/** What became of a hit from an address, sent with a key if one is given. */
const outcomeOf = async (
  server: TestServer,
  site: string,
  { key = '', address = '203.0.113.1' } = {},
): Promise<string> => {
  const response = await fetch(`${server.collectorUrl}/e`, {
    method: 'POST',
    body: JSON.stringify({ s: site, u: 'https://a.example/pricing' }),
    headers: {
      'user-agent': chrome,
      'x-forwarded-for': address,
      'content-type': 'text/plain',
      ...(key !== '' && { authorization: `Bearer ${key}` }),
    },
  });
  await response.text();
  return response.headers.get('x-daybook') ?? '';
};

const addKey = ({ db }: TestServer, letter: string) => {
  const key = `tk_live_${letter.repeat(32)}`;
  const { id } = apiKeys(db).add(accounts(db).named('default', 0).id, 'server', key, 0);
  return { key, id };
};

const visitorsOf = ({ db }: TestServer): string[] =>
  (db.prepare('select distinct visitor from visit order by visitor').pluck().all() as Buffer[]).map(visitor =>
    visitor.toString('hex'),
  );

test('a collector takes hits of the primary’s sites, keys and exclusions as they are now', async () => {
  const primary = await startTestServer({ flags: primaryFlags });
  const first = addSite(primary.db, { aliases: ['alias.example'] });
  const { key, id: keyId } = addKey(primary, 'k');

  const collector = await startTestCollector(primary.url);
  assert.is(await outcomeOf(collector, first.publicKey), 'recorded');
  assert.is(await outcomeOf(collector, 'alias.example', { key }), 'recorded');

  const second = addSite(primary.db);
  const isTold = (outcome: string, ...hit: Parameters<typeof outcomeOf>): Promise<void> =>
    until(outcome, async () => (await outcomeOf(...hit)) === outcome);
  await isTold('recorded', collector, second.publicKey);
  sites(primary.db).set(second.id, { ...second, excludedPaths: ['/pricing'] });
  await isTold('ignored; reason=excluded-path', collector, second.publicKey);
  sites(primary.db).set(second.id, { ...second, excludedIps: ['203.0.113.0/24'] });
  await isTold('ignored; reason=excluded-ip', collector, second.publicKey);
  // A name moves from one site to another at once.
  sites(primary.db).set(first.id, { ...first, aliases: [], domain: 'old.example' });
  sites(primary.db).set(second.id, { ...second, aliases: ['alias.example'], domain: first.domain });
  await isTold('recorded', collector, first.domain);
  sites(primary.db).remove(first.id);
  await isTold('rejected; reason=unknown-site', collector, first.publicKey);
  assert.is(await outcomeOf(collector, 'alias.example'), 'recorded');
  // No state deletes hits: the site may come back.
  assert.is.not(collector.db.prepare('select count(*) from hit where site_id = ?').pluck().get(first.id), 0);
  assert.equal(
    [...checkDatabase(collector.db)].flatMap(({ problems }) => problems),
    [],
  );
  // What the collector saw of the key is told the primary, which does not take it for a change.
  await until('the use is told', () => apiKeys(primary.db).list()[0]!.lastUsedAt !== null);
  apiKeys(primary.db).revoke(keyId);
  await isTold('rejected; reason=bad-key', collector, second.publicKey, { key });

  // Nothing that a collector has no use for has gone there.
  assert.is(collector.db.prepare('select count(*) from person').pluck().get(), 0);
  await collector.close();
  await primary.close();
});

test('visitors are the same on all collectors, from midnight on too, while the primary is away', async () => {
  let now = 20_000 * dayMs + 11 * hourMs;
  const clock = () => now;
  const primary = await startTestServer({ now: clock, flags: primaryFlags });
  const { publicKey } = addSite(primary.db);
  const collectors = await Promise.all([1, 2].map(() => startTestCollector(primary.url, { now: clock })));
  const sendAll = async (servers: readonly TestServer[]): Promise<void> => {
    for (const server of servers) assert.is(await outcomeOf(server, publicKey), 'recorded');
  };
  await sendAll([primary, ...collectors]);
  const [today] = visitorsOf(primary);
  for (const collector of collectors) assert.equal(visitorsOf(collector), [today]);
  for (const { db } of [primary, ...collectors]) assert.is(salts(db).of(20_001), undefined, 'not before noon');

  now += 2 * hourMs;
  for (const { db } of collectors) await until('tomorrow’s salt', () => salts(db).of(20_001) !== undefined);
  const yesterdays = salts(primary.db).of(20_000)!;
  const { dataDir } = primary;
  await primary.close();

  now = 20_001 * dayMs + 1000;
  await sendAll(collectors);
  const [first, second] = collectors.map(visitorsOf);
  assert.is(first!.length, 2);
  assert.equal(first, second);
  for (const collector of collectors) {
    await until('yesterday’s salt is gone', () => {
      const files = ['daybook.db', 'daybook.db-wal'].map(name => join(collector.dataDir, name));
      return files.every(file => !existsSync(file) || !readFileSync(file).includes(yesterdays));
    });
  }

  // The primary comes back on the next day, with the salt that it had handed out.
  const again = await startTestServer({ dataDir, now: clock, flags: primaryFlags });
  await sendAll([again]);
  assert.equal(visitorsOf(again), first);
  for (const server of [...collectors, again]) await server.close();
});

test('a collector that was away over midnight keeps no salt of the day before, and takes the new one', async () => {
  let now = 20_000 * dayMs + 10 * hourMs;
  const clock = () => now;
  const primary = await startTestServer({ now: clock, flags: primaryFlags });
  const { publicKey } = addSite(primary.db);
  const collector = await startTestCollector(primary.url, { now: clock });
  assert.is(await outcomeOf(collector, publicKey), 'recorded');
  const old = salts(collector.db).newest()!;
  const { dataDir } = collector;
  await collector.close();

  now += dayMs;
  await until('the primary has a new salt', () => salts(primary.db).newest()!.day === 20_001);
  const back = await startTestCollector(primary.url, { dataDir, now: clock });
  assert.equal(salts(back.db).newest(), salts(primary.db).newest());
  await until('the old one is gone', () =>
    ['daybook.db', 'daybook.db-wal'].every(name => {
      const file = join(dataDir, name);
      return !existsSync(file) || !readFileSync(file).includes(old.salt);
    }),
  );
  await back.close();
  await primary.close();
});

test('a collector that has followed once starts without the primary, one that has not waits for it', async () => {
  const { url, dataDir, db, close } = await startTestServer({ flags: primaryFlags });
  const port = new URL(url).port;
  const { publicKey } = addSite(db);
  const known = await startTestCollector(url);
  const { identity } = followerStore(known.db).get()!;
  await known.close();
  await close();

  const log: string[] = [];
  const again = await startTestCollector(url, { dataDir: known.dataDir, log: event => log.push(event) });
  assert.is(await outcomeOf(again, publicKey), 'recorded');
  assert.equal(
    log.filter(event => event.startsWith('primary')),
    ['primary-failed'],
  );

  const starting = startTestCollector(url);
  const primary = await startTestServer({ dataDir, flags: { ...primaryFlags, port } });
  const waited = await starting;
  assert.is(await outcomeOf(waited, publicKey), 'recorded');
  await until('the first hears the primary again', () => log.at(-1) === 'primary-answers');
  assert.is(followerStore(again.db).get()!.identity, identity);
  assert.is.not(followerStore(waited.db).get()!.identity, identity);
  for (const server of [again, waited, primary]) await server.close();
});

test('a collector takes no hits before its primary has noted it, and so answers from ClickHouse', async () => {
  const primary = await startTestServer({ flags: primaryFlags });
  let isRefused = true;
  const between = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { method, url = '/', headers } = request;
    if (isRefused && method === 'POST') return response.writeHead(500).end();
    const { authorization = '', 'content-type': type = '' } = headers;
    const answer = await fetch(`${primary.url}${url}`, {
      method: method!,
      headers: { authorization, 'content-type': type },
      ...(method === 'POST' && { body: Buffer.concat(chunks) }),
    });
    const etag = answer.headers.get('etag');
    response.writeHead(answer.status, { ...(etag !== null && { etag }) });
    response.end(Buffer.from(await answer.arrayBuffer()));
  }).listen(0, '127.0.0.1');
  await once(between, 'listening');
  const log: string[] = [];
  let isStarted = false;
  const starting = startTestCollector(`http://127.0.0.1:${(between.address() as AddressInfo).port}`, {
    log: event => log.push(event),
  }).then(collector => {
    isStarted = true;
    return collector;
  });
  await until('it is refused', () => isStarted || log.includes('primary-failed'));
  assert.equal([isStarted, nodes(primary.db).any()], [false, false]);
  isRefused = false;
  const collector = await starting;
  assert.ok(nodes(primary.db).any());
  await collector.close();
  between.closeAllConnections();
  between.close();
  await primary.close();
});

test('without the token nobody learns of the cluster, and nothing is written down', async () => {
  const log: string[] = [];
  const primary = await startTestServer({ flags: primaryFlags, log: event => log.push(event) });
  const without = await startTestServer({ flags: { clickhouse: primaryFlags.clickhouse } });
  addSite(primary.db);
  const answerOf = async (server: TestServer, path: string, init: RequestInit) => {
    const response = await fetch(`${server.url}${path}`, init);
    const { date: _, ...headers } = Object.fromEntries(response.headers);
    return { status: response.status, headers, body: await response.text() };
  };
  const plain = ({ status, body }: Awaited<ReturnType<typeof answerOf>>) => ({ status, body });
  const tokens = ['', 'Bearer', 'Bearer ', 'Bearer token of the cluste', `Bearer ${'x'.repeat(10_000)}`, 'Basic Og=='];
  for (const token of tokens) {
    const headers = token === '' ? {} : { authorization: token };
    for (const [method, path] of [
      ['GET', 'state?role=collect'],
      ['POST', 'node'],
      ['DELETE', 'state'],
    ]) {
      const init = { method: method!, headers, ...(method === 'POST' && { body: '{"identity":1}' }) };
      const unknown = await answerOf(primary, '/cluster/nothing', init);
      const told = await answerOf(primary, `/cluster/${path}`, init);
      const refused = { status: 401, body: '{"error":"unknown token"}' };
      assert.equal(plain(told), method === 'DELETE' ? plain(unknown) : refused, `${method} ${path} with ${token}`);
      assert.equal(
        plain(await answerOf(without, `/cluster/${path}`, init)),
        plain(told),
        'a primary that has no token',
      );
    }
  }
  // Its ClickHouse does not answer.
  assert.equal(
    log.filter(event => event !== 'clickhouse-failed'),
    [],
  );
  assert.not(nodes(primary.db).any());
  await Promise.all([primary.close(), without.close()]);
});

test('the state is sent zipped and once, and reports are bounded and checked', async () => {
  const primary = await startTestServer({ flags: primaryFlags });
  const site = addSite(primary.db);
  const headers = { authorization: `Bearer ${primaryFlags.token}` };
  const ask = (role: string, etag = ''): Promise<Response> =>
    fetch(`${primary.url}/cluster/state?role=${role}`, { headers: { ...headers, 'if-none-match': etag } });
  const response = await ask('answer');
  assert.is(response.headers.get('content-encoding'), 'gzip');
  const etag = response.headers.get('etag')!;
  const { tables, salts: given } = (await response.json()) as ControlState;
  assert.equal(given, [], 'who collects nothing gets no salt');
  assert.not(tables.site!.columns.includes('visitor_key'));
  assert.not(tables.account!.columns.some(name => ['email', 'password'].includes(name)));
  assert.is((await ask('answer', etag)).status, 304);
  sites(primary.db).set(site.id, { ...site, leftOut: ['hosting'] });
  await until('the change is told', async () => (await ask('answer', etag)).status === 200);
  assert.is((await ask('both')).status, 400);

  const report = (body: string): Promise<Response> =>
    fetch(`${primary.url}/cluster/node`, { method: 'POST', headers, body });
  const good = {
    ...{ identity: 'a'.repeat(32), process: 'b'.repeat(16), role: 'collect' },
    ...{ version: '1', keyUses: [], stats: {} },
  };
  assert.is((await report(JSON.stringify(good))).status, 200);
  const ofEarlier = await report(JSON.stringify({ ...good, number: 7 }));
  assert.equal(await ofEarlier.json(), { number: 7 }, 'a collector of an earlier version goes on under it');
  const bad = [
    '',
    '[]',
    '{}',
    { ...good, identity: 'A' },
    { ...good, process: 'a' },
    { ...good, keyUses: [[1]] },
    { ...good, stats: [] },
    { ...good, keyUses: Array.from({ length: 5001 }, (_, i) => [i, 0]) },
  ];
  for (const body of bad)
    assert.is((await report(typeof body === 'string' ? body : JSON.stringify(body))).status, 400, JSON.stringify(body));
  assert.is((await report(JSON.stringify({ ...good, stats: { long: 'x'.repeat(300_000) } }))).status, 413);
  await primary.close();
});

const reporting =
  ({ url }: TestServer, token = primaryFlags.token) =>
  (letter: string, more: Record<string, unknown> = {}): Promise<Response> =>
    fetch(`${url}/cluster/node`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
      body: JSON.stringify({
        ...{ identity: letter.padStart(32, '0'), process: '0'.repeat(16), role: 'collect' },
        ...{ version: '1', keyUses: [], stats: {}, ...more },
      }),
    });

test('keys were last used at a time, whatever a server says', async () => {
  const clock = { now: Date.UTC(2026, 10, 20) };
  const primary = await startTestServer({ flags: primaryFlags, now: () => clock.now });
  const report = reporting(primary);
  const { id } = addKey(primary, 'k');
  const other = addKey(primary, 'o');
  const usedAt = () => apiKeys(primary.db).list()[0]!.lastUsedAt;
  const keyUses = (at: number) => ({ keyUses: [[id, at]] });
  assert.is((await report('a', keyUses(clock.now - 1000))).status, 200);
  assert.is(usedAt(), clock.now - 1000);
  assert.is((await report('a', keyUses(Number.MAX_SAFE_INTEGER))).status, 200);
  assert.is(usedAt(), clock.now);

  // As an earlier version may have stored it.
  primary.db.prepare('update api_key set last_used_at = ? where id <= 2').run(Number.MAX_SAFE_INTEGER);
  assert.is(usedAt(), null);
  const list = await runCommand(primary.dataDir, ['key', 'list', '--json']);
  assert.equal([list.code, list.json().map((key: { lastUsedAt: unknown }) => key.lastUsedAt)], [0, [null, null]]);
  apiKeys(primary.db).stampUsed(new Map([[other.id, clock.now]]));
  assert.is(apiKeys(primary.db).list()[1]!.lastUsedAt, clock.now);
  await primary.close();
});

test('of reports little is kept, and of few servers', async () => {
  const db = temporaryDatabase().db;
  let now = 0;
  const random = (bytes: number) => new Uint8Array(bytes);
  const control = createControl({ db, token: 'token', clickhouse: '', now: () => now, random, log: () => {} });
  const server = createServer((request, response) => control.handle(request, response, request.url!));
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const send = async (i: number, stats: unknown, role = 'answer', token = 'token') => {
    const identity = i.toString(16).padStart(32, '0');
    const response = await fetch(`${url}/cluster/node`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
      body: JSON.stringify({
        ...{ identity, process: '0'.repeat(16), role, version: 'v'.repeat(1000), keyUses: [], stats },
      }),
    });
    assert.is(response.status, 200, await response.text());
  };
  await send(0, { lagMs: -1, waitingHits: 1.5, failure: 7 }, 'collect');
  await send(1, { lagMs: 1.5, waitingHits: 2, failure: '€'.repeat(10_000), more: { deep: 'x'.repeat(10_000) } });
  const [first, second] = control.nodes();
  const process = { processes: ['0'.repeat(16)], twinAt: null };
  const said = { ...process, seenAt: 0, address: '127.0.0.1', name: null, version: 'v'.repeat(50) };
  const unknown = { lagMs: null, waitingHits: null, failure: null };
  const identityOf = (i: number): string => String(i).padStart(32, '0');
  assert.equal(first, { ...said, identity: identityOf(0), role: 'collect', ...unknown });
  const failure = '€'.repeat(200);
  assert.equal(second, { ...said, identity: identityOf(1), role: 'answer', lagMs: 1.5, waitingHits: 2, failure });
  const invited = nodeTokens(db).invite({ name: 'one', role: 'collect' }, randomBytes, 0);
  await send(0xffff, {}, 'collect', invited);
  for (let i = 2; i < 600; i++) await send(i, {});
  assert.is(control.nodes().length, 501, 'the server with another token, and those that were seen last');
  assert.is(control.nodes()[0]!.name, 'one');
  await send(300, { failure: 'again' });
  assert.is(control.nodes().at(-1)!.failure, 'again');
  now = 2 * dayMs;
  await send(3, {});
  assert.is(control.nodes().length, 1);
  server.close();
  db.close();
});

const startFails = async (start: Promise<TestServer>): Promise<string> => {
  try {
    await (await start).close();
  } catch (error) {
    return (error as Error).message;
  }
  return 'it started';
};

test('a collector does not start with a wrong token or on another server’s data, nor a server on its own', async () => {
  const primary = await startTestServer({ flags: primaryFlags });
  const wrong = startTestCollector(primary.url, { flags: { token: 'another token of it' } });
  assert.is(
    await startFails(wrong),
    `${primary.url} refuses the token: CLUSTER_TOKEN must be one that the primary knows.`,
  );

  const own = await startTestServer();
  addSite(own.db);
  await own.close();
  const onOwn = startTestCollector(primary.url, { dataDir: own.dataDir });
  assert.is(await startFails(onOwn), 'This directory holds sites of its own. Name an empty one with --data.');

  const collector = await startTestCollector(primary.url);
  await collector.close();
  const sentence = `This directory follows the primary at ${primary.url}. Change things there.`;
  assert.is(await startFails(startTestServer({ dataDir: collector.dataDir })), sentence);
  for (const args of [['site', 'add', 'b.example'], ['seal']]) {
    const { code, stderr } = await runCommand(collector.dataDir, args);
    assert.equal([code, stderr], [1, `daybook: ${sentence}\n`]);
  }
  assert.is((await runCommand(collector.dataDir, ['site', 'list'])).code, 0);
  await primary.close();
});

test.run();
