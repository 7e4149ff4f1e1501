import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { nodeStates } from '../../src/cluster/node-states.ts';
import { get, post } from '../../src/dashboard/route.ts';
import type { Login } from '../../src/dashboard/sessions.ts';
import { isDone } from '../../src/http/reply.ts';
import { excludedIpsMax, listedMax } from '../../src/model/limits.ts';
import { accounts } from '../../src/store/accounts/accounts.ts';
import { signInLinks } from '../../src/store/accounts/sign-in-links.ts';
import { siteDirectory, sites } from '../../src/store/sites.ts';
import { recorder } from '../../src/store/write/recorder.ts';
import { hitRecord, recordedEntry, temporaryDatabase, visitRecord } from '../helpers.ts';
import { until } from '../tools/conditions.ts';
import { type Browser, berlin, makePublic, password, startDashboard, type TestDashboard } from './helpers.ts';

/** Somebody with a site, and somebody else with another. */
const withTwo = async (dashboard: TestDashboard) => {
  const { browser: ada } = await dashboard.signedIn();
  const acme = accounts(dashboard.db).add('acme', 'hobby', 0);
  signInLinks(dashboard.db).putForAccount(acme.id, 'acme-token', dashboard.clock.now);
  const eve = dashboard.browser();
  await eve.post('/app/link/use', { token: 'acme-token', email: 'eve@example.com', password });
  const add = async (browser: Browser, domain: string) =>
    (await browser.post('/app/sites', { domain, ...berlin })).json;
  return { ada, eve, own: await add(ada, 'own.example'), other: await add(eve, 'other.example') };
};

test('a site is checked field by field, as on the command line', async () => {
  const dashboard = await startDashboard();
  const { browser } = await dashboard.signedIn();
  const site = { domain: 'a.example', ...berlin };
  await browser.post('/app/sites', site);
  const rows: [body: object, status: number, field: string, error: RegExp][] = [
    [{ ...site, domain: 'no domain' }, 400, 'domain', /"no domain" is not a domain: write it like example.com\./],
    [{ ...site, domain: 'A.example:80' }, 409, 'domain', /There is a site a\.example already\./],
    [{ ...site, timezone: 'Europe/Berlni' }, 400, 'timezone', /Did you mean Europe\/Berlin\?/],
    [{ ...site, currency: 'EURO' }, 400, 'currency', /There is no currency "EURO"/],
    [{ domain: 'b.example', currency: 'EUR' }, 400, 'timezone', /needs a text/],
  ];
  for (const [body, status, field, error] of rows) {
    const refused = await browser.post('/app/sites', body);
    assert.equal([refused.status, refused.json.field], [status, field]);
    assert.match(refused.json.error, error);
  }
  assert.is((await browser.get('/app/me')).json.sites.length, 1);
  await dashboard.close();
});

test('all sites of an account have a bounded number of aliases and exclusions', async () => {
  const dashboard = await startDashboard();
  const { browser } = await dashboard.signedIn();
  const ips = Array.from({ length: excludedIpsMax }, (_, i) => `10.0.${i >> 8}.${i & 255}`);
  const paths: string[] = [];
  for (let listed = 0; listed < listedMax; listed += excludedIpsMax) {
    const { json } = await browser.post('/app/sites', { domain: `a${listed}.example`, ...berlin });
    paths.push(`/app/sites/${json.id}`);
    assert.is((await browser.post(paths.at(-1)!, { excludedIps: ips })).status, 200);
  }
  const refused = await browser.post(paths[0]!, { excludedPaths: ['/a'] });
  assert.is(refused.status, 400);
  assert.match(refused.json.error, /at most 10,000 aliases, excluded addresses and excluded paths together/);
  assert.is((await browser.post(paths[0]!, { excludedPaths: ['/a'], excludedIps: ips.slice(1) })).status, 200);
  await dashboard.close();
});

test('of the requests of an account, one begins in a turn of the event loop', async () => {
  let turn = 0;
  const nextTurn = (): void => {
    turn++;
    timer = setImmediate(nextTurn);
  };
  let timer = setImmediate(nextTurn);
  const turns: number[] = [];
  const begun = () => {
    turns.push(turn);
    return isDone();
  };
  const routes = [post('/app/any', 'self', begun), get('/app/any', 'self', begun)];
  const directory = siteDirectory(temporaryDatabase().db);
  const headers = { origin: 'http://127.0.0.1', host: '127.0.0.1', 'content-type': 'application/json' };
  const login = () => ({ grants: [] }) as unknown as Login;
  const answers = await Promise.all(
    Array.from({ length: 30 }, (_, i) => {
      const request = Object.assign(Readable.from([Buffer.from('{}')]), { headers }) as unknown as IncomingMessage;
      return routes[i % 2]!.answer({
        request,
        parameters: {},
        origin: 'http://127.0.0.1',
        directory,
        note() {},
        login,
      });
    }),
  );
  clearImmediate(timer);
  assert.ok(answers.every(({ status }) => status === 200));
  assert.is(new Set(turns).size, answers.length);
});

test('settings change one by one, and the collector sees it at once', async () => {
  const dashboard = await startDashboard();
  const { ada, own } = await withTwo(dashboard);
  const path = `/app/sites/${own.id}`;
  const change = async (body: object) => (await ada.post(path, body)).json;
  assert.equal(await change({}), own);
  assert.equal(await change({ identityMode: 'cookie' }), { ...own, identityMode: 'cookie' });
  assert.is(dashboard.directory.find(own.publicKey)!.identityMode, 'cookie');
  const bounded = await change({ senderHits: '7', senderBurst: '30' });
  assert.equal([bounded.senderHits, bounded.senderBurst], [7, 30]);
  assert.is(dashboard.directory.find(own.publicKey)!.senderHits, 7);
  await change({ senderHits: '', senderBurst: '' });
  await change({ excludedIps: ['203.0.113.9', ' ::ffff:10.0.0.1 ', '203.0.113.9'], excludedPaths: ['/admin/**'] });
  assert.equal(dashboard.directory.find(own.publicKey)!.excludedIps, ['203.0.113.9', '10.0.0.1']);
  assert.equal((await change({ aliases: ['old.example', 'matomo:01'] })).aliases, ['matomo:1', 'old.example']);
  await change({ aliases: [] });
  assert.equal(await change({ domain: 'new.example', timezone: 'europe/paris', currency: 'npr', excludedIps: [] }), {
    ...own,
    domain: 'new.example',
    timezone: 'Europe/Paris',
    currency: 'NPR',
    identityMode: 'cookie',
    excludedPaths: ['/admin/**'],
  });
  assert.equal((await ada.get('/app/me')).json.sites[0].domain, 'new.example');
  await dashboard.close();
});

test('a wrong setting changes nothing', async () => {
  const dashboard = await startDashboard();
  const { ada, own } = await withTwo(dashboard);
  await ada.post('/app/sites', { domain: 'second.example', ...berlin });
  const rows: [body: object, status: number, field: string][] = [
    [{ domain: 'second.example' }, 409, 'domain'],
    [{ domain: '' }, 400, 'domain'],
    [{ domain: null }, 400, 'domain'],
    [{ timezone: 'Mars' }, 400, 'timezone'],
    [{ currency: 'X' }, 400, 'currency'],
    [{ identityMode: 'both' }, 400, 'identityMode'],
    [{ excludedIps: ['10.0.0.0/33'] }, 400, 'excludedIps'],
    [{ excludedIps: '10.0.0.1' }, 400, 'excludedIps'],
    [{ excludedIps: [1] }, 400, 'excludedIps'],
    [{ aliases: ['matomo:'] }, 400, 'aliases'],
    [{ aliases: ['second.example'] }, 409, 'aliases'],
    [{ excludedPaths: ['admin'] }, 400, 'excludedPaths'],
    [{ excludedPaths: Array.from({ length: 101 }, (_, i) => `/${i}`) }, 400, 'excludedPaths'],
    [{ aliases: Array.from({ length: 101 }, (_, i) => `matomo:${i + 1}`) }, 400, 'aliases'],
    [{ senderHits: '0' }, 400, 'senderHits'],
    [{ senderHits: 5 }, 400, 'senderHits'],
    [{ senderBurst: '1.5' }, 400, 'senderBurst'],
  ];
  for (const [body, status, field] of rows) {
    const refused = await ada.post(`/app/sites/${own.id}`, { currency: 'USD', ...body });
    assert.equal([refused.status, refused.json.field], [status, field], JSON.stringify(body));
  }
  assert.equal((await ada.post(`/app/sites/${own.id}`)).json, own);
  await dashboard.close();
});

test('no endpoint finds a site of another account', async () => {
  const dashboard = await startDashboard();
  const { ada, other } = await withTwo(dashboard);
  for (const id of [other.id, other.publicKey, '00000000-0000-4000-8000-000000000000', 'x', '%00', '__proto__']) {
    for (const path of ['', '/shares', '/shares/1', '/shares/1/remove', '/reset', '/remove']) {
      const refused = await ada.post(`/app/sites/${id}${path}`, { domain: other.domain });
      assert.equal([refused.status, refused.json], [404, { error: 'There is no such site.' }], path);
    }
    assert.is((await ada.get(`/app/sites/${id}/imports`)).status, 404);
  }
  assert.is((await ada.get(`/api/v1/sites/${other.id}/stats`)).status, 404);
  assert.equal(
    (await ada.get('/app/me')).json.sites.map(({ domain }: { domain: string }) => domain),
    ['own.example'],
  );
  assert.is(sites(dashboard.db).list().length, 2);
  await dashboard.close();
});

const day = 20_000;
const hit = (siteId: number, visitId: number) =>
  recordedEntry(hitRecord({ siteId, day, visitId, at: day * 86_400_000 }), visitRecord({ siteId, day, id: visitId }));

test('resetting and removing take the domain, and delete in the background', async () => {
  const dashboard = await startDashboard();
  const { db, directory } = dashboard;
  const { ada, eve, own, other } = await withTwo(dashboard);
  const ownBefore = directory.find(own.id)!.id;
  const otherRow = directory.find(other.id)!.id;
  recorder(db).write([hit(ownBefore, 1), hit(ownBefore, 2), hit(otherRow, 3)]);

  for (const name of ['reset', 'remove']) {
    for (const domain of ['', 'wn.example', 'other.example', 'own.example.com']) {
      const refused = await ada.post(`/app/sites/${own.id}/${name}`, { domain });
      assert.equal([refused.status, refused.json.field], [400, 'domain']);
    }
    assert.is((await ada.post(`/app/sites/${own.id}/${name}`)).status, 400);
  }
  assert.is(directory.find(own.id)!.id, ownBefore);

  const { url } = await makePublic(ada, own.id);
  assert.equal((await ada.post(`/app/sites/${own.id}/reset`, { domain: 'Own.example ' })).json, { done: true });
  assert.is.not(directory.find(own.publicKey)!.id, ownBefore);
  assert.equal((await ada.post(`/app/sites/${own.id}`)).json, own, 'what is set stays');
  assert.is((await dashboard.browser().get(new URL(url).pathname)).status, 200, 'the public page too');

  assert.equal((await eve.post(`/app/sites/${other.id}/remove`, { domain: 'other.example' })).json, { done: true });
  assert.is(directory.find(other.publicKey), undefined);
  assert.equal((await eve.get('/app/me')).json.sites, []);
  assert.is((await eve.post(`/app/sites/${other.id}`)).status, 404);

  const hits = db.prepare('select count(*) from hit').pluck();
  await until('their hits are deleted', () => hits.get() === 0);
  await dashboard.close();
});

test('only an operator sees the servers of the cluster', async () => {
  const shipping = { lagMs: 2000, waitingHits: 7, failure: 'it is away' };
  const unknown = { lagMs: null, waitingHits: null, failure: null };
  const own = { processes: ['p'], twinAt: null };
  const last = { ...own, seenAt: 0, address: '10.0.0.2', name: 'one', role: 'collect' as const, version: '1.2.3' };
  const followers = [
    { identity: 'c', ...last, name: 'all', role: 'answer' as const, ...unknown },
    { identity: 'b', ...last, ...unknown },
    { identity: 'a', ...last, ...shipping },
  ];
  const invited = ['one', 'two'].map(name => ({ name, role: 'collect' as const }));
  const dashboard = await startDashboard({
    nodes: () => nodeStates(null, { nodes: () => followers, invited: () => invited }, 1000),
    clockLeap: () => ({ clock: 24_000, day: 20_000 }),
  });
  const { ada, eve } = await withTwo(dashboard);
  const { data, clockLeap } = (await ada.get('/app/nodes')).json;
  assert.equal(clockLeap, { clock: '2035-09-17', day: '2024-10-04' });
  const known = {
    name: 'one',
    role: 'collect',
    address: '10.0.0.2',
    version: '1.2.3',
    seenAt: '1970-01-01T00:00:00.000Z',
  };
  assert.equal(
    { ...data[0], version: '' },
    {
      ...{ name: null, role: 'primary', address: null, version: '', seenAt: '1970-01-01T00:00:01.000Z' },
      ...unknown,
    },
  );
  assert.equal(data.slice(1), [
    { ...known, lagMs: 2000, waitingHits: 7, failure: 'it is away' },
    { ...known, ...unknown },
    { name: 'two', role: 'collect', address: null, version: null, seenAt: null, ...unknown },
    { ...known, name: 'all', role: 'answer', ...unknown },
  ]);
  assert.is((await eve.get('/app/nodes')).status, 403);
  assert.is((await dashboard.browser().get('/app/nodes')).status, 401);
  await dashboard.close();
});

test('the tag names the collector’s own address if it has one', async () => {
  const dashboard = await startDashboard({
    baseUrl: 'https://stats.example.com',
    collectorUrl: () => 'https://in.example.com',
  });
  const { browser } = await dashboard.signedIn();
  const added = await browser.post('/app/sites', { domain: 'a.example', ...berlin });
  const { tag, publicKey, id } = added.json;
  assert.is(tag, `<script defer src="https://in.example.com/t.js" data-site="${publicKey}"></script>`);
  assert.match((await makePublic(browser, id)).url, /^https:\/\/stats\.example\.com\/share\/[\dA-Za-z]{43}$/);
  await dashboard.close();
});

test.run();
