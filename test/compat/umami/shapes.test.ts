/** Every shape that Umami's trackers have sent since version 1, on every path that takes them. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Answered, noon, startCollector, type TestCollector } from '../../collect/start-collector.ts';
import { storedHits, storedOutcomes, storedVisits, storedVitals } from '../../collect/stored.ts';

const collector = await startCollector();
const { site, db } = collector;
const website = site.uuid;
test.after(() => collector.close());

let visitors = 0;
const send = (body: unknown, path = '/api/send', to: TestCollector = collector): Promise<Answered> =>
  to.post(body, { path, address: `198.51.100.${++visitors % 250}` });

interface Shape {
  version: string;
  path?: string;
  body: { type: string; payload: object };
  hit: object;
  visit?: object;
}

const shapes: Shape[] = [
  {
    version: '1.36 pageview',
    path: '/api/collect',
    body: {
      type: 'pageview',
      payload: {
        website,
        hostname: 'example.com',
        screen: '1920x1080',
        language: 'en-US',
        url: '/pricing?utm_source=x&a=1',
        referrer: 'https://news.example/',
      },
    },
    hit: { type: 'pageview', path: '/pricing', hostname: 'example.com', query: 'a=1', event: null, properties: [] },
    visit: { screen: 1920 * 65_536 + 1080, language: 'en-US', referrer: 'news.example', utm_source: 'x' },
  },
  {
    version: '1.36 event with data',
    path: '/api/collect',
    body: {
      type: 'event',
      payload: {
        website,
        hostname: 'example.com',
        screen: '',
        language: 'en',
        url: '/',
        event_name: 'signup',
        event_data: { plan: 'pro', seats: 3 },
      },
    },
    hit: {
      type: 'custom',
      event: 'signup',
      properties: [
        ['plan', 'string', 'pro'],
        ['seats', 'number', 3],
      ],
    },
    visit: { screen: 0 },
  },
  {
    version: '1.30 event with type and value',
    path: '/api/collect',
    body: {
      type: 'event',
      payload: { website, hostname: 'example.com', url: '/a', event_type: 'click', event_value: 'signup-button' },
    },
    hit: { type: 'custom', event: 'signup-button', path: '/a', properties: [['event_type', 'string', 'click']] },
  },
  {
    version: '2.0 event data spread into the payload',
    body: {
      type: 'event',
      payload: {
        website,
        hostname: 'example.com',
        screen: '1x1',
        language: 'en',
        title: 'T',
        url: '/',
        referrer: '',
        name: 'signup',
        plan: 'pro',
        seats: 3,
      },
    },
    hit: {
      type: 'custom',
      event: 'signup',
      title: 'T',
      properties: [
        ['plan', 'string', 'pro'],
        ['seats', 'number', 3],
      ],
    },
  },
  {
    version: '2.5 event',
    body: {
      type: 'event',
      payload: {
        website,
        hostname: 'example.com',
        title: '100% sure',
        url: '/ü?q=%C3%A4',
        name: 'signup',
        data: { plan: 'pro' },
      },
    },
    hit: {
      type: 'custom',
      event: 'signup',
      title: '100% sure',
      path: '/%C3%BC',
      query: 'q=%C3%A4',
      properties: [['plan', 'string', 'pro']],
    },
  },
  {
    version: '2.10, all encoded once more',
    body: {
      type: 'event',
      payload: {
        website,
        hostname: 'example.com',
        title: encodeURIComponent('Fish & Chips ü'),
        url: encodeURI('/caf%C3%A9?q=a%20b'),
        referrer: encodeURI('https://example.net/%C3%BC'),
      },
    },
    hit: { type: 'pageview', title: 'Fish & Chips ü', path: '/caf%C3%A9', query: 'q=a%20b' },
    visit: { referrer: 'example.net' },
  },
  {
    version: '2.12, decoded, or encoded where that changes nothing',
    body: {
      type: 'event',
      payload: {
        website,
        hostname: 'example.com',
        title: encodeURI('Fish & Chips'),
        url: '/café/100%',
        tag: 'variant-b',
      },
    },
    hit: {
      type: 'pageview',
      title: 'Fish & Chips',
      path: '/caf%C3%A9/100%',
      properties: [['tag', 'string', 'variant-b']],
    },
  },
  {
    version: '2.16, plain strings and the whole URL',
    body: {
      type: 'event',
      payload: {
        website,
        screen: '1920x1080',
        language: 'en-US',
        title: 'Save 20%25',
        hostname: 'example.com',
        url: 'https://example.com/a%2520b?utm_source=x',
        referrer: 'https://news.ycombinator.com/',
      },
    },
    hit: { type: 'pageview', title: 'Save 20%25', path: '/a%2520b', query: null },
    visit: { referrer: 'news.ycombinator.com', utm_source: 'x' },
  },
  {
    version: '2.16 event',
    body: {
      type: 'event',
      payload: {
        website,
        hostname: 'example.com',
        url: 'https://example.com/',
        name: 'signup',
        data: { plan: 'pro' },
        tag: 't',
      },
    },
    hit: {
      type: 'custom',
      event: 'signup',
      properties: [
        ['plan', 'string', 'pro'],
        ['tag', 'string', 't'],
      ],
    },
  },
  {
    version: '2.18 event of a visitor with an id',
    body: {
      type: 'event',
      payload: { website, hostname: 'example.com', url: 'https://example.com/', name: 'signup', id: 'user-42' },
    },
    hit: { type: 'custom', event: 'signup', properties: [] },
  },
  {
    version: '2.18 identify',
    body: {
      type: 'identify',
      payload: {
        website,
        hostname: 'example.com',
        url: 'https://example.com/',
        id: 'user-42',
        data: { email: 'a@b.c' },
      },
    },
    hit: { type: 'identify', properties: ['a@b.c', '{"id":"user-42","email":"a@b.c"}'] },
  },
  {
    version: '2.10 identify without id',
    body: { type: 'identify', payload: { website, hostname: 'example.com', url: '/', data: { name: 'Ann' } } },
    hit: { type: 'identify', properties: ['Ann', '{"name":"Ann"}'] },
  },
  {
    version: 'a server’s own, without url',
    body: { type: 'event', payload: { website, hostname: 'example.com', name: 'invoice' } },
    hit: { type: 'custom', event: 'invoice', path: '/', hostname: 'example.com' },
  },
  {
    version: 'a page on the same host as referrer',
    body: {
      type: 'event',
      payload: { website, hostname: 'example.com', url: 'https://example.com/b', referrer: 'https://example.com/a' },
    },
    hit: { type: 'pageview', path: '/b' },
    visit: { referrer: null },
  },
  {
    version: 'a relative referrer',
    body: { type: 'event', payload: { website, hostname: 'example.com', url: '/b', referrer: '/a' } },
    hit: { type: 'pageview', path: '/b' },
    visit: { referrer: null },
  },
];

const picked = (row: object, like: object): object =>
  Object.fromEntries(Object.keys(like).map(key => [key, (row as Record<string, unknown>)[key]]));

for (const { version, path, body, hit, visit = {} } of shapes) {
  test(version, async () => {
    const answer = await send(body, path);
    assert.equal([answer.status, answer.body, answer.outcome], [202, '{"m":"hash"}', 'recorded']);
    assert.equal(picked(storedHits(db).at(-1)!, hit), hit);
    assert.equal(picked(storedVisits(db).at(-1)!, visit), visit);
  });
}

test('revenue is stored in minor units of its currency', async () => {
  const rows: [payload: object, event: string, amount: number, currency: string, properties: unknown[]][] = [
    [{ name: 'checkout', data: { revenue: 49.9, currency: 'EUR' } }, 'checkout', 4990, 'EUR', []],
    [
      { name: 'checkout', data: { revenue: '19.99', currency: 'usd', sku: 'x' } },
      'checkout',
      1999,
      'USD',
      [['sku', 'string', 'x']],
    ],
    [{ name: 'checkout', data: { revenue: 1500, currency: 'JPY' } }, 'checkout', 1500, 'JPY', []],
    [{ name: 'checkout', data: { revenue: 1.234, currency: 'KWD' } }, 'checkout', 1234, 'KWD', []],
    [{ name: 'checkout', data: { revenue: 5 } }, 'checkout', 500, 'USD', []],
    [{ data: { revenue: 5, currency: 'EUR' } }, 'revenue', 500, 'EUR', []],
  ];
  for (const [payload, event, amount, currency, properties] of rows) {
    await send({ type: 'event', payload: { website, hostname: 'example.com', url: '/', ...payload } });
    const hit = { type: 'revenue', event, amount, currency, properties };
    assert.equal(picked(storedHits(db).at(-1)!, hit), hit);
  }
  for (const revenue of ['free', '', null, true]) {
    await send({
      type: 'event',
      payload: { website, hostname: 'example.com', url: '/', name: 'checkout', data: { revenue } },
    });
    assert.is(storedHits(db).at(-1)!.type, 'custom', String(revenue));
  }
});

test('Umami’s performance hits are web vitals', async () => {
  const payload = {
    website,
    hostname: 'example.com',
    url: 'https://example.com/a',
    lcp: 1200,
    inp: 80,
    cls: 0.1,
    fcp: 900,
    ttfb: 60_001,
    duration: 5,
  };
  assert.is((await send({ type: 'performance', payload })).outcome, 'recorded');
  const vital = { path: '/a', lcp: 1200, inp: 80, cls: 0.1, fcp: 900, ttfb: null };
  assert.equal(picked(storedVitals(db).at(-1)!, vital), vital);
});

test('both formats work on every path, with the site’s key or id', async () => {
  for (const path of ['/e', '/api/send', '/api/collect']) {
    for (const key of [site.uuid, site.uuid.toUpperCase(), site.publicKey]) {
      const umami = { type: 'event', payload: { website: key, hostname: 'example.com', url: '/' } };
      assert.is((await send(umami, path)).outcome, 'recorded', `${path} ${key}`);
      assert.is((await send({ s: key, u: 'https://example.com/' }, path)).outcome, 'recorded', `${path} ${key}`);
    }
  }
});

test('wrong payloads are refused with their reason', async () => {
  const payload = { website, hostname: 'example.com', url: '/' };
  const rows: [body: unknown, status: number, text: string][] = [
    [{ type: 'record', payload }, 400, 'bad payload'],
    [{ type: '', payload }, 400, 'bad payload'],
    [{ type: 'custom', payload }, 400, 'bad payload'],
    [{ type: 'event', payload: { ...payload, website: undefined } }, 400, 'bad payload'],
    [{ type: 'event', payload: { ...payload, url: 5 } }, 400, 'bad payload'],
    [{ type: 'event', payload: [] }, 400, 'bad payload'],
    [{ type: 'event', payload: { ...payload, hostname: 'a b' } }, 400, 'bad url'],
    [{ type: 'event', payload: { ...payload, url: 'about:blank' } }, 400, 'bad url'],
    [
      { type: 'event', payload: { ...payload, website: '00000000-0000-4000-8000-00000000ffff' } },
      404,
      '{"error":"unknown site"}',
    ],
  ];
  for (const [body, status, text] of rows) {
    const answer = await send(body);
    assert.equal([answer.status, answer.body], [status, text], JSON.stringify(body));
  }
});

test('ip, userAgent and timestamp of a payload are ignored without an API key', async () => {
  const own = await startCollector();
  const payload = { website: own.site.uuid, hostname: 'example.com', url: '/', name: 'x' };
  for (const spoof of [{}, { ip: '192.0.2.1', userAgent: 'Googlebot/2.1', timestamp: 1 }]) {
    assert.is((await own.post({ type: 'event', payload: { ...payload, ...spoof } })).outcome, 'recorded');
  }
  const hits = storedHits(own.db);
  assert.equal(
    hits.map(({ at, visit_id, properties }) => [at, visit_id, properties]),
    Array(2).fill([noon, 1, []]),
  );
  await own.close();
});

test('a crawler gets an empty answer, as in Daybook’s own form', async () => {
  const payload = { website, hostname: 'example.com', url: '/' };
  const answer = await collector.post({ type: 'event', payload }, { path: '/api/send', userAgent: 'Googlebot/2.1' });
  assert.equal([answer.status, answer.body], [202, '']);
});

test('a batch counts as its hits, in either format', async () => {
  const own = await startCollector();
  const payload = { website: own.site.uuid, hostname: 'example.com', url: '/' };
  const hit = { s: own.site.publicKey, u: 'https://example.com/a' };
  const good = await send([{ type: 'event', payload }, hit, { type: 'identify', payload }], '/api/batch', own);
  assert.equal(
    [good.status, good.body, good.outcome],
    [200, '{"size":3,"processed":3,"errors":0,"details":[]}', 'recorded'],
  );
  const mixed = await send([hit, { ...hit, u: 'x' }, null, { ...hit, s: 'nobody' }, hit], '/api/batch', own);
  assert.is(mixed.outcome, 'rejected; reason=bad-url');
  assert.equal(JSON.parse(mixed.body), {
    size: 5,
    processed: 2,
    errors: 3,
    details: [
      { index: 1, response: { error: 'bad-url' } },
      { index: 2, response: { error: 'bad-payload' } },
      { index: 3, response: { error: 'unknown-site' } },
    ],
  });
  assert.is((await send([], '/api/batch', own)).body, '{"size":0,"processed":0,"errors":0,"details":[]}');
  assert.is((await send(Array(200).fill(hit), '/api/batch', own)).status, 200);
  for (const body of [hit, '{', Array(201).fill({ s: 'x' })]) {
    const answer = await send(body, '/api/batch', own);
    assert.equal([answer.status, answer.body], [400, 'bad payload']);
  }
  own.db.pragma('query_only = 1');
  const refused = await send([hit, hit], '/api/batch', own);
  assert.equal(
    [refused.status, refused.outcome, refused.headers.get('retry-after')],
    [503, 'rejected; reason=unavailable', '5'],
  );
  const details = [0, 1].map(index => ({ index, response: { error: 'unavailable' } }));
  assert.equal(JSON.parse(refused.body), { size: 2, processed: 0, errors: 2, details });
  own.db.pragma('query_only = 0');
  await own.stop();
  const id = own.site.id;
  assert.is(storedHits(own.db).length, 205);
  assert.equal(storedOutcomes(own.db)[`${id} recorded`], 205);
  await own.close();
});

test.run();
