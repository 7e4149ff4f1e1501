/** A server that only answers: what it says is what the primary says, and what it does not do it says, too. */
import { randomBytes } from 'node:crypto';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { openCluster } from '../../src/cluster/cluster.ts';
import { dayShipper } from '../../src/cluster/ship-days.ts';
import { createPasswords } from '../../src/dashboard/passwords.ts';
import { readShards } from '../../src/model/shards.ts';
import { newShare } from '../../src/model/share.ts';
import { accounts, apiKeys } from '../../src/store/accounts/accounts.ts';
import { clusterStore } from '../../src/store/cluster.ts';
import { definitions } from '../../src/store/definitions.ts';
import { notes } from '../../src/store/notes.ts';
import { shares } from '../../src/store/shares.ts';
import { sites } from '../../src/store/sites.ts';
import { addSite, temporaryDir } from '../helpers.ts';
import { firstDay, randomFrom, randomSite, storeSite } from '../query/random-site.ts';
import { primaryFlags, startTestAnswer, startTestServer, type TestServer } from '../start-server.ts';
import { until } from '../tools/conditions.ts';
import { hasClickHouse, type Servers, startServers, wholeDays } from './servers.ts';

const key = `tk_live_${'k'.repeat(32)}`;
const lockedToken = 'l'.repeat(43);
const shareToken = 'a-token-that-is-long-enough-to-be-one';

const addKey = ({ db }: TestServer): number => apiKeys(db).add(accounts(db).named('default', 0).id, 'test', key, 0).id;

interface Told {
  status: number;
  type: string | null;
  engine: string | null;
  body: string;
}

const ask = async ({ url }: TestServer, path: string, init: RequestInit = {}): Promise<Told> => {
  const response = await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${key}` }, ...init });
  const [type, engine] = ['content-type', 'x-daybook-engine'].map(name => response.headers.get(name)) as [
    string,
    string,
  ];
  return { status: response.status, type, engine, body: await response.text() };
};

let servers: Servers | undefined;
const startClickHouse = async (): Promise<Servers> => {
  servers = await startServers(temporaryDir(), 2, 1);
  return servers;
};
test.after(() => servers?.close());

/** In JSON the order of names says nothing. */
const plain = ({ type, body, engine: _, ...told }: Told) => ({
  ...{ ...told, type },
  body: type?.startsWith('application/json') ? JSON.parse(body) : body,
});

const tryIt = hasClickHouse() ? test : test.skip;

tryIt('it answers as the primary does: the API, CSV, public pages and other products’ clients', async () => {
  const clickHouse = await startClickHouse();
  const primary = await startTestServer({ flags: { ...primaryFlags, clickhouse: clickHouse.address } });
  const siteId = storeSite(primary.db, randomSite(randomFrom(5)), firstDay + 4);
  addKey(primary);
  const [site] = sites(primary.db).list();
  const link = { ...newShare, name: 'public', parts: ['events' as const] };
  shares(primary.db).add(siteId, shareToken, link, 0);
  definitions(primary.db).set(siteId, 'segment', 'Phones', { filters: 'device=mobile' }, 0);
  const password = await createPasswords(randomBytes, { logN: 8, r: 8, p: 1 }).record('a long password');
  const locked = { ...newShare, name: 'locked', segment: 'Phones', password };
  shares(primary.db).add(siteId, lockedToken, locked, 0);
  notes(primary.db).add(siteId, 'person', '2024-10-05', 'a note', 0);
  const cluster = openCluster(readShards(clickHouse.address)!);
  await cluster.makeTables(clusterStore(primary.db).id()!);
  for await (const _ of dayShipper(primary.db, cluster, 0)([site!], wholeDays));

  const answer = await startTestAnswer(primary.url);
  const days = 'from=2024-10-04&to=2024-10-07';
  const agree = async (path: string, init?: RequestInit): Promise<void> => {
    const [ours, theirs] = await Promise.all([ask(answer, path, init), ask(primary, path, init)]);
    assert.is(theirs.status, 200, `${path}: ${theirs.body}`);
    assert.equal(plain(ours), plain(theirs), path);
    if (/\/(stats|series|breakdown|events)\?/.test(path))
      assert.equal([ours.engine, theirs.engine], ['clickhouse', 'embedded'], path);
  };
  await agree('/api/v1/sites');
  for (const path of ['stats', 'series', 'breakdown?dimension=path', 'events'])
    await agree(`/api/v1/sites/${site!.uuid}/${path}${path.includes('?') ? '&' : '?'}${days}`);
  await agree(`/api/ext/sites/${site!.uuid}/notes?${days}`);
  await agree(
    `/api/v1/stats/aggregate?site_id=${site!.domain}&period=custom&date=2024-10-04,2024-10-07&metrics=visitors,pageviews`,
  );
  await agree(`/api/export/${site!.uuid}?${days}`);
  const shared = { headers: { authorization: `Share ${shareToken}` } };
  await agree(`/api/v1/sites/${site!.uuid}/stats?${days}`, shared);
  await agree(`/api/v1/sites/${site!.uuid}/events?${days}`, shared);
  const page = { headers: { accept: 'text/html' } };
  await agree(`/share/${shareToken}`, page);
  const script = /src="([^"]+)"/.exec((await ask(answer, `/share/${shareToken}`, page)).body)![1]!;
  await agree(script);
  assert.is((await ask(answer, '/share/another', page)).status, 404);

  // A password that one server took opens the page on each, and its segment is added on each.
  const numbers = `/api/v1/sites/${site!.uuid}/stats?${days}`;
  const authorization = `Share ${lockedToken}`;
  assert.is((await ask(answer, numbers, { headers: { authorization } })).status, 401);
  const given = await fetch(`${answer.url}/app/share`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: answer.url },
    body: JSON.stringify({ token: lockedToken, password: 'a long password' }),
  });
  assert.is(given.status, 200);
  const cookie = given.headers.getSetCookie()[0]!.split(';')[0]!;
  await agree(numbers, { headers: { authorization, cookie } });
  const [part, whole] = await Promise.all([
    ask(answer, numbers, { headers: { authorization, cookie } }),
    ask(answer, `${numbers}&device=mobile`),
  ]);
  assert.equal(JSON.parse(part.body).visitors, JSON.parse(whole.body).visitors);

  // The primary may be away, and so may what changes there be.
  await primary.close();
  assert.is((await ask(answer, `/api/v1/sites/${site!.uuid}/stats?${days}`)).status, 200);
  await answer.close();
});

test('it writes nothing and signs nobody in, and says where to go', async () => {
  const primary = await startTestServer({ flags: primaryFlags });
  const { uuid } = addSite(primary.db);
  const keyId = addKey(primary);
  const answer = await startTestAnswer(primary.url);
  const sentence = `this server only answers questions: use the primary at ${primary.url}`;
  const post = (body: object): RequestInit => ({
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', origin: answer.url },
    body: JSON.stringify(body),
  });
  const requests: [path: string, init?: RequestInit][] = [
    [`/api/ext/sites/${uuid}/notes`, post({ date: '2026-01-01', text: 'x' })],
    [`/api/ext/sites/${uuid}/notes/1`, { ...post({}), method: 'DELETE', body: null }],
    ['/app/sign-in', post({ email: 'a@b.example', password: 'x' })],
    ['/app/me'],
    ['/', { headers: { accept: 'text/html' } }],
    ['/sign-in', { headers: { accept: 'text/html' } }],
    [`/sites/${uuid}`, { headers: { accept: 'text/html' } }],
  ];
  for (const [path, init] of requests) {
    const told = await ask(answer, path, init);
    assert.equal([told.status, JSON.parse(told.body).error], [403, sentence], path);
  }
  const signIn = await ask(answer, '/api/auth/login', post({ username: 'default', password: 'x' }));
  assert.is(signIn.status, 403);
  assert.match(signIn.body, sentence);

  assert.equal(JSON.parse((await ask(answer, '/health')).body), { ok: true, service: 'answer' });
  assert.match((await ask(answer, '/metrics')).body, /daybook_primary_time_seconds \d{9}/);
  assert.is((await ask(answer, '/e', post({ s: uuid }))).status, 404);
  assert.is((await ask(answer, '/api/v1/sites', {})).status, 200);
  assert.is((await ask(answer, '/api/v1/sites', { headers: {} })).status, 401);
  apiKeys(primary.db).revoke(keyId);
  await until('the key is revoked', async () => (await ask(answer, '/api/v1/sites')).status === 401);
  await Promise.all([answer.close(), primary.close()]);
});

test.run();
