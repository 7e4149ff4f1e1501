import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { senderBudgets, type TakeFromBudget } from '../../src/collect/budgets.ts';
import { makeApiKey } from '../../src/model/ids.ts';
import { makeKeyedHash } from '../../src/model/keyed-hash.ts';
import type { Site } from '../../src/model/site.ts';
import { accounts, apiKeys } from '../../src/store/accounts/accounts.ts';
import { addSite } from '../helpers.ts';
import { startTestServer, type TestServer } from '../start-server.ts';
import { chrome, noon, startCollector } from './start-collector.ts';
import { storedCrawls, storedHits, storedOutcomes, storedVitals } from './stored.ts';

const budgets = (senderHits: number, senderBurst: number): TakeFromBudget =>
  senderBudgets({ senderHits, senderBurst }, makeKeyedHash(randomBytes));
const site = { id: 1, senderHits: null, senderBurst: null } as Site;

/** How many of so many hits at one moment are taken. */
const takenOf = (count: number, take: () => boolean): number =>
  Array.from({ length: count }, take).filter(isTaken => isTaken).length;

test('a quiet sender may send its burst at once, and then its hits a second', () => {
  const take = budgets(50, 1000);
  const at = (ms: number) => takenOf(2000, () => take(site, 7, noon + ms));
  assert.equal([at(0), at(9), at(20), at(1020), at(1020)], [1000, 0, 1, 50, 0]);
  assert.is(at(60_000), 1000, 'no more than the burst, however long it was quiet');
});

test('a site may have numbers of its own, and each site and network has a bucket of its own', () => {
  const take = budgets(50, 10);
  const generous = { ...site, id: 2, senderHits: 100, senderBurst: 30 };
  assert.is(
    takenOf(50, () => take(site, 7, noon)),
    10,
  );
  assert.is(
    takenOf(50, () => take(site, 8, noon)),
    10,
  );
  assert.is(
    takenOf(50, () => take(generous, 7, noon)),
    30,
  );
  assert.is(
    takenOf(50, () => take(generous, 7, noon + 100)),
    10,
  );
});

test('any rate and burst let through what they say', () => {
  const rates = fc.record({
    hits: fc.integer({ min: 1, max: 5000 }),
    burst: fc.integer({ min: 1, max: 300 }),
    gap: fc.nat(5000),
  });
  fc.assert(
    fc.property(rates, ({ hits, burst, gap }) => {
      const take = budgets(hits, burst);
      assert.is(
        takenOf(burst + 5, () => take(site, 7, noon)),
        burst,
      );
      const refilled = takenOf(burst + 5, () => take(site, 7, noon + gap));
      assert.ok(Math.abs(refilled - Math.min(burst, (gap / 1000) * hits)) <= 1, `${refilled}`);
    }),
  );
});

test('a clock that is set back keeps nobody out for longer than a bucket takes to fill', () => {
  const take = budgets(50, 100);
  assert.is(
    takenOf(200, () => take(site, 7, noon)),
    100,
  );
  assert.is(take(site, 7, noon - 3_600_000), false);
  assert.is(
    takenOf(200, () => take(site, 7, noon - 3_600_000 + 2000)),
    100,
  );
});

test('a flood from thousands of networks leaves the others theirs', () => {
  const take = budgets(50, 20);
  for (let network = 0; network < 2000; network++) takenOf(25, () => take(site, network, noon));
  let refused = 0;
  for (let network = 10_000; network < 20_000; network++) if (!take(site, network, noon)) refused++;
  // Two places of 65,536 each: (2,000 / 65,536)² of 10,000 are 9.
  assert.ok(refused < 60, `${refused}`);
  // And nobody who is at the limit is forgotten for them.
  let taken = 0;
  for (let network = 0; network < 2000; network++) if (take(site, network, noon)) taken++;
  assert.is(taken, 0);
});

const page = 'https://site1.example/a';
const budget = { senderHits: 1, senderBurst: 10 };

test('over its budget a sender is refused until it has filled again, and others are not', async () => {
  const collector = await startCollector({ senderBudget: budget });
  const { post, site, clock, db } = collector;
  const send = async (address: string) => (await post({ s: site.publicKey, u: page }, { address })).status;
  for (let i = 0; i < 10; i++) assert.is(await send(`203.0.113.${i}`), 202);
  assert.is(await send('203.0.113.200'), 429);
  assert.is(await send('203.0.114.1'), 202);
  for (let i = 0; i < 10; i++) assert.is(await send(`2001:db8:1:${i}::1`), 202);
  assert.is(await send('2001:db8:1:ffff::1'), 429);
  assert.is(await send('2001:db8:2::1'), 202);
  clock.now += 5000;
  for (let i = 0; i < 5; i++) assert.is(await send('203.0.113.1'), 202);
  assert.is(await send('203.0.113.1'), 429);
  await collector.stop();
  assert.is(storedHits(db).length, 27);
  assert.equal(storedOutcomes(db), { [`${site.id} recorded`]: 27, [`${site.id} rate-limited`]: 3 });
  await collector.close();
});

test('a batch takes a hit from the budget for each of its hits, and names those that were refused', async () => {
  const collector = await startCollector({ senderBudget: budget });
  const { post, site, db } = collector;
  const answer = await post(Array(12).fill({ s: site.publicKey, u: page }), { path: '/api/batch' });
  assert.equal(
    [answer.status, answer.outcome, answer.headers.get('retry-after')],
    [429, 'rejected; reason=rate-limited', '5'],
  );
  const details = [10, 11].map(index => ({ index, response: { error: 'rate-limited' } }));
  assert.equal(JSON.parse(answer.body), { size: 12, processed: 10, errors: 2, details });
  await collector.stop();
  assert.is(storedHits(db).length, 10);
  await collector.close();
});

test('hits of a batch that are over the budget do not fill the queue', async () => {
  const collector = await startCollector({ senderBudget: { senderHits: 1, senderBurst: 3 }, queueMax: 5 });
  const { post, site, stop, close } = collector;
  const { status, body } = await post(Array(20).fill({ s: site.publicKey, u: page }), { path: '/api/batch' });
  assert.is(status, 429);
  const errors = JSON.parse(body).details.map(({ response }: { response: { error: string } }) => response.error);
  assert.equal(errors, Array(17).fill('rate-limited'));
  await stop();
  await close();
});

test('crawl reports, web vitals, crawlers and hits on excluded paths count, too', async () => {
  const collector = await startCollector({ senderBudget: budget, site: { excludedPaths: ['/no'] } });
  const { post, site, db } = collector;
  const s = site.publicKey;
  const report = { s, u: page, ua: 'Googlebot/2.1' };
  assert.is((await post(Array(4).fill(report), { path: '/crawl' })).body, '{"accepted":4,"ignored":0}');
  for (let i = 0; i < 2; i++) {
    assert.is((await post({ s, u: page, t: 'vitals', p: { lcp: 1 } })).status, 202);
    assert.is((await post({ s, u: page }, { userAgent: 'Googlebot/2.1' })).status, 202);
    assert.is((await post({ s, u: 'https://site1.example/no' })).status, 202);
  }
  const before = [storedCrawls(db), storedVitals(db)];
  for (const [body, path] of [
    [[report, report], '/crawl'],
    [{ s, u: page, t: 'vitals', p: { lcp: 1 } }, '/e'],
    [{ s, u: 'https://site1.example/no' }, '/e'],
  ] as const) {
    assert.equal([(await post(body, { path })).status, path], [429, path]);
  }
  assert.is((await post({ s, u: page }, { userAgent: 'Googlebot/2.1' })).status, 429);
  assert.equal([storedCrawls(db), storedVitals(db)], before);
  await collector.close();
});

/** An event with so many properties. */
const eventWith = (s: string, properties: number) => {
  const p = Object.fromEntries(Array.from({ length: properties }, (_, i) => [`k${i}`, i]));
  return { s, u: page, t: 'custom', n: 'x', p };
};

test('a hit counts once for each five of its properties', async () => {
  for (const [properties, cost] of [
    [0, 1],
    [5, 1],
    [6, 2],
    [50, 10],
    [60, 10],
  ] as const) {
    const collector = await startCollector({ senderBudget: { senderHits: 1, senderBurst: 20 } });
    const { post, site, db } = collector;
    const hits = Array(30).fill(eventWith(site.publicKey, properties));
    assert.is((await post(hits, { path: '/api/batch' })).status, 429);
    await collector.stop();
    assert.is(storedHits(db).length, 20 / cost, `${properties} properties`);
    await collector.close();
  }
});

test('one visitor may send 100,000 hits a day, properties counted, whatever their network may send', async () => {
  const collector = await startCollector({
    senderBudget: { senderHits: 1e6, senderBurst: 1e6 },
    site: { identityMode: 'cookie' },
  });
  const { post, site, clock, db } = collector;
  const hits = Array(50).fill({ ...eventWith(site.publicKey, 50), i: 'a' });
  // From everywhere: the cookie alone says who it is.
  const send = async (from: number) => post(hits, { path: '/api/batch', address: `203.0.${from % 250}.1` });
  for (let sent = 0; sent < 10_000; sent += hits.length) assert.is((await send(sent)).status, 200);
  const over = { ...hits[0], p: undefined };
  const { status, body, outcome } = await post(over);
  assert.equal([status, body, outcome], [202, '', 'ignored; reason=visitor-limit']);
  // A server with an API key may send as much as it likes for one visitor.
  const key = makeApiKey(randomBytes);
  apiKeys(db).add(accounts(db).named('default', 0).id, 'server', key, 0);
  assert.is((await post(over, { key })).outcome, 'recorded');
  // Others of the network go on, and so does the visitor with a day's hits in a day.
  assert.is((await post({ ...over, i: 'b' })).outcome, 'recorded');
  assert.is((await post({ ...over, i: undefined })).outcome, 'recorded');
  clock.now += 8640;
  const outcomes = [];
  for (let i = 0; i < 11; i++) outcomes.push((await post(over)).outcome);
  assert.equal(outcomes, [...Array(10).fill('recorded'), 'ignored; reason=visitor-limit']);
  await collector.stop();
  assert.is(storedHits(db).length, 10_000 + 3 + 10);
  assert.is(storedOutcomes(db)[`${site.id} visitor-limit`], 2);
  await collector.close();
});

test('a list of crawl reports that is refused uses nothing up, so that it is taken in the end', async () => {
  const collector = await startCollector({ senderBudget: budget });
  const { post, site, clock, db } = collector;
  const report = { s: site.publicKey, u: page, ua: 'Googlebot/2.1' };
  const send = async (reports: unknown[]) => (await post(reports, { path: '/crawl' })).status;
  assert.is(await send(Array(10).fill(report)), 202);
  // Sent again after `retry-after`, a list of 8 has budget for 5, and then for 10.
  clock.now += 5000;
  assert.is(await send(Array(8).fill(report)), 429);
  clock.now += 5000;
  assert.is(await send([...Array(8).fill(report), { ...report, s: 'nobody' }]), 404);
  assert.is(await send(Array(8).fill(report)), 202);
  assert.is(await send(Array(3).fill(report)), 429);
  assert.is(await send(Array(2).fill(report)), 202);
  clock.now += 10_000;
  assert.is(await send(Array(12).fill(report)), 202, 'more than the burst take all of it');
  assert.is(await send([report]), 429);
  await collector.stop();
  assert.is(
    storedCrawls(db).reduce((sum, { crawls }) => sum + (crawls as number), 0),
    32,
  );
  await collector.close();
});

const postTo = async (server: TestServer, path: string, body: unknown, key?: string): Promise<Response> =>
  fetch(server.url + path, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'user-agent': chrome, ...(key !== undefined && { authorization: `bearer  ${key}` }) },
  });

test('with an API key of the account there is no budget, and for another account no site', async () => {
  const server = await startTestServer({ flags: { 'sender-hits': '1', 'sender-burst': '3' } });
  const { publicKey, id } = addSite(server.db);
  const own = makeApiKey(randomBytes);
  const foreign = makeApiKey(randomBytes);
  apiKeys(server.db).add(accounts(server.db).named('default', 0).id, 'own', own, 0);
  apiKeys(server.db).add(accounts(server.db).add('other', 'unlimited', 0).id, 'foreign', foreign, 0);
  const hit = { s: publicKey, u: page };
  const umami = { type: 'event', payload: { website: publicKey, hostname: 'site1.example', url: '/a' } };
  const ways: [path: string, body: unknown, many: unknown][] = [
    ['/e', hit, 202],
    ['/api/send', umami, 202],
    ['/api/collect', umami, 202],
    ['/crawl', { ...hit, ua: 'Googlebot/2.1' }, 202],
    ['/api/batch', Array(20).fill(hit), 200],
  ];
  for (const [path, body, status] of ways) {
    for (let i = 0; i < 5; i++) assert.is((await postTo(server, path, body, own)).status, status, path);
    const wrong = await postTo(server, path, body, 'tk_live_wrong');
    assert.equal([wrong.status, await wrong.json()], [401, { error: 'Missing or invalid API key' }], path);
    assert.is(wrong.headers.get('access-control-allow-origin'), '*');
  }
  assert.equal(await (await postTo(server, '/e', hit, foreign)).json(), { error: 'unknown site' });
  // The sign-in of a site that asks for one, or of a proxy, is no key, and has a budget like every other.
  const answers = [];
  for (const authorization of ['Basic YTpi', 'Bearer eyJhbGciOiJIUzI1NiJ9.e30.x', 'Bearer', 'Basic YTpi']) {
    const init = { headers: { authorization, 'user-agent': chrome }, body: JSON.stringify(hit) };
    answers.push((await fetch(`${server.url}/e`, { method: 'POST', ...init })).status);
  }
  assert.equal(answers, [202, 202, 202, 429]);

  apiKeys(server.db).revoke(apiKeys(server.db).list()[0]!.id);
  assert.is((await postTo(server, '/e', hit, own)).status, 401);
  const metrics = await (await fetch(`${server.url}/metrics`)).text();
  assert.match(metrics, /daybook_hits_total\{outcome="rate-limited"\} 1\n/);
  assert.match(metrics, /daybook_hits_total\{outcome="bad-key"\} 6\n/);
  await server.close();
  assert.ok(id > 0);
});

test('a body is not read for a wrong key', async () => {
  const server = await startTestServer();
  const body = new ReadableStream({ pull: controller => controller.enqueue(Buffer.alloc(1000, 32)) });
  const init = { method: 'POST', body, duplex: 'half', headers: { authorization: 'Bearer tk_live_wrong' } };
  const answer = await fetch(`${server.url}/e`, init as RequestInit).catch(error => error.cause.code);
  assert.ok(answer.status === 401 || answer === 'UND_ERR_SOCKET', `${answer.status}`);
  await server.close();
});

test.run();
