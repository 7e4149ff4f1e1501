/** What a flood of new texts does to a site, by HTTP. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { otherName } from '../../src/model/dimensions.ts';
import { traitBytesMax } from '../../src/model/limits.ts';
import { accounts, apiKeys } from '../../src/store/accounts/accounts.ts';
import { addSite } from '../helpers.ts';
import { startTestServer, type TestServer } from '../start-server.ts';
import { chrome, startCollector } from './start-collector.ts';
import { storedHits } from './stored.ts';

const key = `tk_live_${'k'.repeat(32)}`;

/** A server that takes 200 new pages a day, and so ten from one network. */
const start = async (logged: string[] = []) => {
  const log = (event: string, fields?: object) => logged.push(`${event} ${JSON.stringify(fields)}`);
  const server = await startTestServer({ flags: { 'new-texts-max': '200' }, log });
  const site = addSite(server.db);
  apiKeys(server.db).add(accounts(server.db).named('default', 0).id, 'test', key, 0);
  return { server, site };
};

const send = async (server: TestServer, hits: object[], address: string, token?: string): Promise<void> => {
  const answer = await fetch(`${server.url}/api/batch`, {
    method: 'POST',
    body: JSON.stringify(hits),
    headers: {
      ...{ 'x-forwarded-for': address, 'user-agent': chrome },
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
  });
  assert.is(answer.status, 200);
};

// biome-ignore lint/suspicious/noExplicitAny: what an endpoint answers is for its test to know
const ask = async (server: TestServer, path: string): Promise<any> =>
  (await fetch(`${server.url}${path}`, { headers: { authorization: `Bearer ${key}` } })).json();

const rowsOf = async (server: TestServer, id: string, dimension: string): Promise<[name: string, value: number][]> => {
  const { data } = await ask(server, `/api/v1/sites/${id}/breakdown?dimension=${dimension}&limit=500&range=today`);
  return data.map(({ name, events }: { name: string; events: number }) => [name, events]);
};

test('a flood of property keys and values leaves pages, titles and events to the others', async () => {
  const { server, site } = await start();
  const { publicKey: s, uuid } = site;
  const u = 'https://site1.example/';
  for (let i = 0; i < 10; i++) {
    const hits = Array.from({ length: 10 }, (_, j) => {
      const p = Object.fromEntries(Array.from({ length: 20 }, (_, k) => [`k${i}-${j}-${k}`, `v${i}-${j}-${k}`]));
      return { s, u: `${u}flood/${i}-${j}`, t: 'custom', n: 'Signup', p };
    });
    await send(server, hits, '198.51.100.7');
  }
  const honest = { s, u: `${u}new-page`, ti: 'A new title' };
  await send(server, [honest, { ...honest, t: 'custom', n: 'A new event', p: { known: 'k0-0-0' } }], '203.0.113.1');

  const paths = new Map(await rowsOf(server, uuid, 'path'));
  assert.is(paths.get('/new-page'), 2);
  assert.is(paths.get(otherName), 91, 'what was too much counts all the same');
  assert.is(paths.size, 11, 'nine of the flood: one was its host name');
  assert.ok(new Map(await rowsOf(server, uuid, 'title')).has('A new title'));
  assert.ok(new Map(await rowsOf(server, uuid, 'event')).has('A new event'));
  const { otherTexts } = await ask(server, `/api/ext/sites/${uuid}/outcomes?range=24h`);
  const bounds = new Set(otherTexts.map(({ bound }: { bound: string }) => bound));
  assert.equal([...bounds], ['sender']);
  assert.equal(
    otherTexts.find(({ kind }: { kind: string }) => kind === 'page'),
    { kind: 'page', bound: 'sender', texts: 91 },
  );
  await server.close();
});

test('when a site has used up an allowance, the log, the API and the metrics tell, and other kinds go on', async () => {
  const logged: string[] = [];
  const { server, site } = await start(logged);
  const { publicKey: s, uuid } = site;
  const pages = (from: number, count: number) =>
    Array.from({ length: count }, (_, i) => ({ s, u: `https://site1.example/${from + i}` }));
  // One for the host name.
  await send(server, pages(0, 199), '203.0.113.1', key);
  assert.equal(logged, []);
  await send(server, pages(1000, 30), '203.0.113.1', key);
  await send(server, pages(2000, 5), '198.51.100.7');
  await send(server, [{ ...pages(0, 1)[0], ti: 'A new title' }], '198.51.100.7');
  assert.equal(logged, ['texts-used-up {"site":"site1.example","kind":"page"}']);
  assert.is(new Map(await rowsOf(server, uuid, 'path')).get(otherName), 35);
  assert.equal(await rowsOf(server, uuid, 'title'), [['A new title', 1]]);
  const { otherTexts } = await ask(server, `/api/ext/sites/${uuid}/outcomes?range=24h`);
  assert.equal(otherTexts, [{ kind: 'page', bound: 'site', texts: 35 }]);
  const metrics = await (await fetch(`${server.url}/metrics`)).text();
  assert.match(metrics, /daybook_other_texts_total\{kind="page",bound="site"\} 35\n/);
  await server.close();
});

test('traits are cut at 4 KiB, entry by entry', async () => {
  const { post, site, db, stop, close } = await startCollector();
  let visitors = 0;
  // Each is another visitor, whose traits none of before are added to.
  const identify = async (p: object): Promise<Record<string, unknown>> => {
    const address = `203.0.113.${++visitors}`;
    await post({ s: site.publicKey, u: 'https://site1.example/', t: 'identify', p }, { address });
    const [, traits] = storedHits(db).at(-1)!.properties as [string, string];
    assert.ok(Buffer.byteLength(traits) <= traitBytesMax);
    return JSON.parse(traits);
  };
  const long = (i: number) => [`k${i}`, 'é'.repeat(450)] as const;
  const fitting = await identify(Object.fromEntries([...Array.from({ length: 20 }, (_, i) => long(i)), ['last', 1]]));
  assert.equal(Object.keys(fitting), ['k0', 'k1', 'k2', 'k3', 'last']);
  const exact = 'x'.repeat(440);
  const nine = Object.fromEntries(Array.from({ length: 9 }, (_, i) => [`k${i}`, exact]));
  const room = traitBytesMax - Buffer.byteLength(JSON.stringify({ ...nine, z: '' }));
  assert.equal(Object.keys(await identify({ ...nine, z: 'y'.repeat(room) })).length, 10);
  assert.equal(Object.keys(await identify({ ...nine, z: 'y'.repeat(room + 1) })).length, 9);
  await stop();
  await close();
});

test.run();
