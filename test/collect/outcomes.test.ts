/** One test for each way a hit can end: the answer, the header, the count, and what is written and what is not. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { automationBits } from '../../src/model/hit.ts';
import { type Outcome, outcomes } from '../../src/model/outcomes.ts';
import { apiKeys } from '../../src/store/accounts/accounts.ts';
import { noon, startCollector, type TestCollector, type TestCollectorOptions } from './start-collector.ts';
import { storedCrawls, storedHits, storedOutcomes, storedVisits } from './stored.ts';

const page = 'https://site1.example/pricing';
const googlebot = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)';

interface Case {
  outcome: Outcome;
  options?: TestCollectorOptions;
  send: (collector: TestCollector) => ReturnType<TestCollector['post']>;
  status: number;
  body: string;
  header: string;
  /** Counted for the site, not for site 0. */
  ofSite: boolean;
  crawl?: { name: string; path: string };
}

const cases: Case[] = [
  {
    outcome: 'recorded',
    send: ({ post, site }) => post({ s: site.publicKey, u: page }),
    status: 202,
    body: '{"m":"hash"}',
    header: 'recorded',
    ofSite: true,
  },
  {
    outcome: 'excluded-ip',
    options: { site: { excludedIps: ['203.0.113.0/24'] } },
    send: ({ post, site }) => post({ s: site.publicKey, u: page }),
    status: 202,
    body: '',
    header: 'ignored; reason=excluded-ip',
    ofSite: true,
  },
  {
    outcome: 'excluded-path',
    options: { site: { excludedPaths: ['/pri*'] } },
    send: ({ post, site }) => post({ s: site.publicKey, u: `${page}?x=1#y` }),
    status: 202,
    body: '',
    header: 'ignored; reason=excluded-path',
    ofSite: true,
  },
  {
    outcome: 'other-host',
    options: { site: { allowedHosts: ['example.com', '*.site1.example'] } },
    send: ({ post, site }) => post({ s: site.publicKey, u: page }),
    status: 202,
    body: '',
    header: 'ignored; reason=other-host',
    ofSite: true,
  },
  {
    outcome: 'excluded-country',
    options: { site: { excludedCountries: ['FR', 'DE'] } },
    send: ({ post, site }) => post({ s: site.publicKey, u: page }, { address: '203.0.113.7' }),
    status: 202,
    body: '',
    header: 'ignored; reason=excluded-country',
    ofSite: true,
  },
  {
    outcome: 'crawler',
    send: ({ post, site }) => post({ s: site.publicKey, u: page }, { userAgent: googlebot }),
    status: 202,
    body: '',
    header: 'ignored; reason=crawler',
    ofSite: true,
    crawl: { name: 'Googlebot', path: '/pricing' },
  },
  {
    outcome: 'automation',
    send: ({ post, site }) => post({ s: site.publicKey, u: page, b: automationBits.webdriver, x: 1 }),
    status: 202,
    body: '',
    header: 'ignored; reason=automation',
    ofSite: true,
    crawl: { name: 'WebDriver', path: '/pricing' },
  },
  {
    outcome: 'not-crawler',
    send: ({ post, site }) =>
      post({ s: site.publicKey, u: page, ua: 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0' }, { path: '/crawl' }),
    status: 202,
    body: '{"accepted":0,"ignored":1}',
    header: 'ignored; reason=not-crawler',
    ofSite: true,
  },
  {
    outcome: 'bad-payload',
    send: ({ post, site }) => post({ s: site.publicKey }),
    status: 400,
    body: 'bad payload',
    header: 'rejected; reason=bad-payload',
    ofSite: true,
  },
  {
    outcome: 'bad-url',
    send: ({ post, site }) => post({ s: site.publicKey, u: '/pricing' }),
    status: 400,
    body: 'bad url',
    header: 'rejected; reason=bad-url',
    ofSite: true,
  },
  {
    outcome: 'unknown-site',
    send: ({ post }) => post({ s: 'pk_live_nobody', u: page }),
    status: 404,
    body: '{"error":"unknown site"}',
    header: 'rejected; reason=unknown-site',
    ofSite: false,
  },
  {
    outcome: 'too-large',
    send: ({ post }) => post('x'.repeat(32 * 1024 + 1)),
    status: 413,
    body: 'payload too large',
    header: 'rejected; reason=too-large',
    ofSite: false,
  },
  {
    outcome: 'bad-key',
    send: ({ post, site }) => post({ s: site.publicKey, u: page }, { key: 'tk_live_nobody' }),
    status: 401,
    body: '{"error":"Missing or invalid API key"}',
    header: 'rejected; reason=bad-key',
    ofSite: false,
  },
  {
    outcome: 'rate-limited',
    options: { senderBudget: { senderHits: 1, senderBurst: 0 } },
    send: ({ post, site }) => post({ s: site.publicKey, u: page }),
    status: 429,
    body: 'too many hits',
    header: 'rejected; reason=rate-limited',
    ofSite: true,
  },
  {
    outcome: 'busy',
    options: { queueMax: 0 },
    send: ({ post, site }) => post({ s: site.publicKey, u: page }),
    status: 503,
    body: 'busy',
    header: 'rejected; reason=busy',
    ofSite: true,
  },
];

for (const { outcome, options, send, status, body, header, ofSite, crawl } of cases) {
  test(outcome, async () => {
    const collector = await startCollector(options);
    const { db, site } = collector;
    const answer = await send(collector);
    assert.equal([answer.status, answer.body, answer.outcome], [status, body, header]);
    assert.is(answer.headers.get('access-control-allow-origin'), '*');
    assert.is(answer.headers.get('access-control-expose-headers'), 'x-daybook, retry-after');
    assert.is(answer.headers.get('retry-after'), status === 503 ? '1' : status === 429 ? '5' : null);
    await collector.stop();
    assert.equal(storedOutcomes(db), { [`${ofSite ? site.id : 0} ${outcome}`]: 1 });
    assert.is(storedHits(db).length, outcome === 'recorded' ? 1 : 0);
    assert.is(storedVisits(db).length, outcome === 'recorded' ? 1 : 0);
    assert.equal(
      storedCrawls(db).map(({ name, path, status, crawls, quarter }) => ({ name, path, status, crawls, quarter })),
      crawl === undefined ? [] : [{ ...crawl, status: 0, crawls: 1, quarter: noon / 900_000 }],
    );
    await collector.close();
  });
}

test('unavailable: the disk does not take the hit', async () => {
  const collector = await startCollector();
  const { db, post, site } = collector;
  const hit = { s: site.publicKey, u: page };
  assert.is((await post(hit)).outcome, 'recorded');
  db.pragma('query_only = 1');
  const refused = await post(hit);
  assert.equal([refused.status, refused.body, refused.outcome], [503, 'unavailable', 'rejected; reason=unavailable']);
  assert.is(refused.headers.get('retry-after'), '5');
  db.pragma('query_only = 0');
  await collector.close();
});

test('repeated-order: a shop tells the same order again, and one that was not stored is no repetition', async () => {
  const collector = await startCollector({ site: { aliases: ['matomo:1'], currency: 'EUR' } });
  const { db, post, site } = collector;
  const order = (id: string) =>
    post(`idsite=1&rec=1&url=${encodeURIComponent(page)}&idgoal=0&ec_id=${id}&revenue=9.99`, { path: '/matomo.php' });
  assert.equal([(await order('A-1')).outcome, (await order('A-2')).outcome], ['recorded', 'recorded']);
  const again = await order('A-1');
  assert.equal([again.status, again.outcome], [200, 'ignored; reason=repeated-order']);
  db.pragma('query_only = 1');
  assert.is((await order('A-3')).status, 503);
  db.pragma('query_only = 0');
  const deadline = Date.now() + 10_000;
  let after = await order('A-3');
  while (after.status === 503 && Date.now() < deadline) {
    await new Promise(resolve => setTimeout(resolve, 50));
    after = await order('A-3');
  }
  assert.is(after.outcome, 'recorded');
  await collector.stop();
  assert.is(storedHits(db).length, 3);
  assert.is(storedOutcomes(db)[`${site.id} repeated-order`], 1);
  await collector.close();
});

test('too-old: a server says that it was made long ago', async () => {
  const collector = await startCollector({ site: { aliases: ['matomo:1'] } });
  const { db, post, site } = collector;
  const key = 'tk_live_of_the_server';
  apiKeys(db).add(site.accountId, 'server', key, 0);
  const made = (ago: number) => `idsite=1&rec=1&url=${encodeURIComponent(page)}&cdt=${(noon - ago) / 1000}`;
  const [late, old] = [
    await post(made(30 * 60_000), { path: '/matomo.php', key }),
    await post(made(30 * 60_000 + 1000), { path: '/matomo.php', key }),
  ];
  assert.equal([late.status, late.outcome], [200, 'recorded']);
  assert.equal([old.status, old.outcome], [400, 'rejected; reason=too-old']);
  await collector.stop();
  assert.equal(storedOutcomes(db), { [`${site.id} recorded`]: 1, [`${site.id} too-old`]: 1 });
  await collector.close();
});

test('there is a test for every outcome but those of imports', () => {
  const tested = [...cases.map(({ outcome }) => outcome), 'too-old', 'unavailable', 'visitor-limit', 'repeated-order'];
  const collected = Object.keys(outcomes).filter(name => !name.startsWith('import-'));
  assert.equal(tested.sort(), collected.sort());
});

test.run();
