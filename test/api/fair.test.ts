/** A stranger who makes up property keys, or asks long questions by a public page, over HTTP. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { newShare } from '../../src/model/share.ts';
import { accounts, apiKeys } from '../../src/store/accounts/accounts.ts';
import { shares } from '../../src/store/shares.ts';
import { addSite } from '../helpers.ts';
import { randomFrom } from '../query/random-site.ts';
import { startTestServer } from '../start-server.ts';

const now = Date.UTC(2026, 10, 20, 12);
const key = `tk_live_${'k'.repeat(32)}`;
const shareToken = 's'.repeat(32);
const agent = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';

const [batches, hitsPerBatch, honestHits] = [20, 18, 40];
const keysPerHit = 50;

const asksOf = (number: number, asks: number): string =>
  new URLSearchParams(
    Array.from({ length: asks }, (_, i) => ['ask', `events?range=today&event=Signup&propValue!*=${number}-${i}`]),
  ).toString();

const prepared = async (flags: Record<string, string> = {}) => {
  // As if they came from many networks: one alone has few hits and texts of its own.
  const server = await startTestServer({ now: () => now, flags: { 'new-texts-max': '100000000', ...flags } });
  const site = addSite(server.db, { senderHits: 10_000, senderBurst: 10_000 });
  apiKeys(server.db).add(accounts(server.db).named('default', 0).id, 'test', key, 0);
  shares(server.db).add(site.id, shareToken, { ...newShare, name: 'public', parts: ['events', 'properties'] }, 0);
  const send = async (properties: object[]): Promise<void> => {
    const hit = { s: site.publicKey, u: 'https://site1.example/', t: 'custom', n: 'Signup' };
    const response = await fetch(`${server.collectorUrl}/api/batch`, {
      method: 'POST',
      body: JSON.stringify(properties.map(p => ({ ...hit, p }))),
      headers: { 'user-agent': agent, 'content-type': 'application/json' },
    });
    assert.equal(await response.json(), {
      size: properties.length,
      processed: properties.length,
      errors: 0,
      details: [],
    });
  };
  const get = async (path: string, authorization: string) => {
    const response = await fetch(`${server.url}${path}`, { headers: { authorization } });
    return { status: response.status, body: await response.text() };
  };
  return { server, site, send, get };
};

const random = randomFrom(1);
const word = (): string => Array.from({ length: 12 }, () => String.fromCharCode(97 + random.below(26))).join('');

/** Of one batch. */
const madeUpHits = (): Record<string, string>[] =>
  Array.from({ length: hitsPerBatch }, () =>
    Object.fromEntries(Array.from({ length: keysPerHit }, () => [word(), word()])),
  );

test('20 batches of made-up property keys cost the event’s page nothing, and questions beside it little', async () => {
  const { server, site, send, get } = await prepared();
  const honest = Array.from({ length: honestHits }, (_, i) => ({ plan: i % 4 === 0 ? 'pro' : 'free', seats: i % 5 }));
  await send(honest);
  const madeUp: string[] = [];
  for (let batch = 0; batch < batches; batch++) {
    const hits = madeUpHits();
    madeUp.push(...hits.flatMap(Object.keys));
    await send(hits);
  }

  const total = honestHits + batches * hitsPerBatch;
  const percent = (events: number): number => Math.round((events / total) * 10_000) / 100;
  const row = (name: string, events: number, values: number, dataType: string, numeric: object | null) => ({
    ...{ key: name, events, values, dataType, coverage: percent(events), numeric },
  });
  const path = `/api/v1/sites/${site.uuid}/events?range=today&event=Signup`;
  const { status, body } = await get(path, `Bearer ${key}`);
  assert.is(status, 200);
  assert.equal(JSON.parse(body).data, [
    row('plan', honestHits, 2, 'string', null),
    row('seats', honestHits, 5, 'number', { sum: 80, avg: 2, min: 0, max: 4, p50: 2 }),
    ...madeUp
      .sort()
      .slice(0, 48)
      .map(name => row(name, 1, 1, 'string', null)),
  ]);
  const values = JSON.parse((await get(`${path}&property=plan`, `Bearer ${key}`)).body);
  assert.equal(
    values.data.map(({ name, value }: { name: string; value: number }) => [name, value]),
    [
      ['free', 30],
      ['pro', 10],
    ],
  );

  // Each of these looks at each of the values under six filters of its own.
  const answered: string[] = [];
  const long = [1, 2, 3].map(async number => {
    const { status } = await get(`/api/ext/sites/${site.uuid}/answers?${asksOf(number, 6)}`, `Share ${shareToken}`);
    answered.push(`public ${status}`);
  });
  const stats = async (): Promise<void> => {
    const { status, body } = await get(`/api/v1/sites/${site.uuid}/stats?range=today`, `Bearer ${key}`);
    answered.push(`owner ${status} ${JSON.parse(body).events}`);
  };
  await stats();
  await stats();
  await Promise.all(long);
  const own = `owner 200 ${total}`;
  assert.equal(answered, [own, own, 'public 200', 'public 200', 'public 200']);
  await server.close();
});

test('a question that would take more memory than it may is refused, and others are answered', async () => {
  const { server, site, send, get } = await prepared({ 'query-memory-mb': '1' });
  for (let batch = 0; batch < 10; batch++) await send(madeUpHits());
  const { body } = await get(`/api/ext/sites/${site.uuid}/answers?${asksOf(0, 20)}`, `Bearer ${key}`);
  const lines = body
    .trim()
    .split('\n')
    .map(line => JSON.parse(line));
  assert.equal(
    lines.map(({ status, body }) => [status, body]),
    lines.map(() => [400, { error: 'query too large' }]),
  );
  assert.is((await get(`/api/v1/sites/${site.uuid}/events?range=today&event=Signup`, `Bearer ${key}`)).status, 200);
  await server.close();
});

test.run();
