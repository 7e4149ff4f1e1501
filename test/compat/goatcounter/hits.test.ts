/** Requests to GoatCounter's `/count` and to its API, as its script and its documentation give them. */
import * as fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { chrome, noon } from '../../collect/start-collector.ts';
import { likewise, startClient } from '../client.ts';

const { collector, key, send, taken } = await startClient({
  domain: 'example.com',
  aliases: ['goatcounter:shop', 'stats.example.com'],
});
test.after(() => collector.close());

const query = (parameters: Record<string, string>): string => `?${new URLSearchParams(parameters)}`;

const rows: [name: string, parameters: Record<string, string>, hit: object][] = [
  [
    'a pageview as the script sends it',
    { p: '/a?x=1', r: 'https://news.example/1', t: 'A', s: '1920', b: '0', q: '?x=1&utm_campaign=may', rnd: 'abcde' },
    {
      ...{ type: 'pageview', path: '/a', hostname: 'example.com', query: 'x=1', title: 'A', referrer: 'news.example' },
      ...{ utm_campaign: 'may', screen: 1920 * 65_536 },
    },
  ],
  ['the size of an older script', { p: '/a', s: '800,600,1' }, { screen: 800 * 65_536 }],
  ['a path without its slash', { p: 'about' }, { path: '/about' }],
  ['a referrer that is a text', { p: '/', r: 'Newsletter' }, { referrer: 'Newsletter', utm_source: null }],
  ['a referrer that is the name of a site', { p: '/', r: 'Google' }, { referrer: 'google.com' }],
  ['a referrer that is no page', { p: '/', r: 'javascript:x' }, { referrer: null }],
  ['an event whose path begins with a slash', { p: '/ev', e: 'true' }, { type: 'custom', event: 'ev', path: '/' }],
  ['a referrer without a scheme', { p: '/', r: 'news.example/x' }, { referrer: 'news.example' }],
  [
    'an event',
    { p: 'signup', t: 'The button', e: 'true' },
    { type: 'custom', event: 'signup', path: '/', properties: [['title', 'string', 'The button']] },
  ],
];

for (const [name, parameters, hit] of rows) {
  for (const body of [null, '']) {
    test(`${name}, by ${body === null ? 'GET' : 'POST'}`, async () => {
      const { status, body: image, headers } = await send(`/gc/shop/count${query(parameters)}`, body);
      assert.equal([status, image.length, image.subarray(0, 6).toString()], [200, 43, 'GIF89a']);
      assert.equal(
        [headers['content-type'], headers['access-control-allow-origin'], headers['cross-origin-resource-policy']],
        ['image/gif', '*', 'cross-origin'],
      );
      assert.equal([headers['cache-control'], headers['x-daybook']], ['no-store', 'recorded']);
      const [stored, ...more] = taken();
      assert.equal([likewise(stored!, hit), more], [hit, []]);
    });
  }
}

test('the page of an event is that of the image, where the browser tells it', async () => {
  await send(`/gc/shop/count${query({ p: 'signup', e: 'true' })}`, null, { referer: 'https://example.com/join' });
  assert.is(taken()[0]!.path, '/join');
});

test('the language is the browser’s, as its requests tell it', async () => {
  for (const [accepted, language] of [
    ['de-CH,de;q=0.9,en;q=0.8', 'de-CH'],
    ['fr', 'fr'],
    ['*', null],
    [';q=1', null],
  ] as const) {
    await send(`/gc/shop/count${query({ p: `/${language}` })}`, null, {
      'accept-language': accepted,
      'user-agent': `${chrome} ${language}`,
    });
    assert.is(taken()[0]!.language, language, accepted);
  }
});

test('the site is a name in the path, or the host', async () => {
  const { publicKey, uuid } = collector.site;
  for (const name of ['shop', 'SHOP', 'example.com', publicKey, uuid])
    assert.is((await send(`/gc/${name}/count?p=/`)).status, 200, name);
  for (const host of ['stats.example.com', 'stats.example.com:8080', 'shop.stats.example', 'example.com'])
    assert.is((await send('/count?p=/', null, { host })).status, 200, host);
  assert.is(taken().length, 9);
  for (const [path, host] of [
    ['/gc/nobody/count?p=/', 'example.com'],
    ['/count?p=/', 'localhost'],
  ] as const) {
    const { status, headers } = await send(path, null, { host });
    assert.equal([status, headers['x-goatcounter']], [400, 'ignored because of unknown-site']);
  }
});

test('a header says why a request is not counted', async () => {
  const googlebot = { 'user-agent': 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)' };
  for (const [parameters, headers, status, why] of [
    [{ p: '/' }, googlebot, 202, 'ignored because of crawler'],
    [{ p: '/', b: '153' }, {}, 202, 'ignored because of automation'],
    [{ p: '/', b: '7' }, {}, 400, 'wrong value: b=7'],
    [{ t: 'x' }, {}, 400, 'not valid: path: must be set'],
    [{ p: `/${'x'.repeat(2048)}` }, {}, 400, 'ignored because path is longer than 2048 bytes'],
  ] as const) {
    const answer = await send(`/gc/shop/count${query(parameters)}`, null, headers);
    assert.equal([answer.status, answer.headers['x-goatcounter'], answer.body.length], [status, why, 43]);
  }
  assert.equal(taken(), []);
});

const withKey = { authorization: `Bearer ${key}`, 'accept-language': 'ga' };
const count = async (body: object | string, path = '/gc/shop/api/v0/count'): Promise<[number, unknown]> => {
  const { status, body: bytes } = await send(path, body, withKey);
  return [status, JSON.parse(bytes.toString())];
};

test('the API takes hits of many visitors, with their addresses, agents and times', async () => {
  const ten = { ip: '203.0.113.9', user_agent: chrome, created_at: new Date(noon - 600_000).toISOString() };
  const hits = [
    { path: '/a', title: 'A', ref: 'https://news.example/', size: [1920, 1080, 1], query: 'utm_source=x', ...ten },
    { path: 'signup', title: 'Signed up', event: true, ...ten },
    { path: '/b', session: 'one', language: 'de' },
    { path: '/c', session: 'one' },
    { path: '/b', session: 'two' },
  ];
  assert.equal(await count({ hits }), [202, { status: 'ok' }]);
  const stored = taken();
  assert.equal(
    stored.map(({ type, path, at }) => [type, path, Number(at) - noon]),
    [
      ['pageview', '/a', -600_000],
      ['custom', '/', -600_000],
      ['pageview', '/b', 0],
      ['pageview', '/c', 0],
      ['pageview', '/b', 0],
    ],
  );
  const first = { city: 'Berlin', browser: 'Chrome', referrer: 'news.example', utm_source: 'x', screen: 125_829_120 };
  assert.equal(likewise(stored[0]!, first), first);
  const visits = stored.map(({ visit_id }) => visit_id);
  assert.equal([visits[1], visits[3], new Set(visits).size], [visits[0], visits[2], 3]);
});

test('the API lists what is wrong by its index, and takes the others', async () => {
  const hits = [
    { path: '/a', session: 's' },
    { title: 'no path' },
    { path: '/a' },
    7,
    { path: '/a', session: 's', created_at: 'yesterday' },
    { path: '/a', session: 's', created_at: new Date(noon - 31 * 60_000).toISOString() },
    { path: '/a', session: 's', created_at: new Date(noon + 60_000).toISOString() },
  ];
  assert.equal(await count({ hits }), [
    400,
    {
      errors: {
        1: 'path: must be set',
        2: 'session, or ip and user_agent, must be set; use no_sessions if you don’t want to track unique visits',
        3: 'not an object',
        4: 'created_at: must be a time like 2026-01-31T12:00:00Z',
        5: 'too-old',
      },
    },
  ]);
  assert.equal(
    taken().map(({ at }) => at),
    [noon, noon],
  );
  assert.equal(await count({ no_sessions: true, hits: [{ path: '/a' }] }), [202, { status: 'ok' }]);
  assert.is(taken().length, 1);
  const alone = { path: '/a', ip: '203.0.113.10', user_agent: chrome };
  assert.equal(await count({ no_sessions: true, hits: [alone, alone, { path: '/b' }] }), [202, { status: 'ok' }]);
  const stored = taken();
  assert.is(new Set(stored.map(({ visit_id }) => visit_id)).size, 3, 'each hit is a visitor of its own');
  assert.equal([stored[0]!.city, stored[0]!.language], ['Berlin', null], 'a server’s own language is nobody’s');
  assert.equal(await count({ hits: [] }), [400, { error: 'no hits' }]);
  assert.equal(await count('{'), [400, { error: 'no hits' }]);
  assert.equal(await count({ hits: Array(501).fill({}) }), [
    400,
    { error: 'maximum amount of pageviews in one batch is 500' },
  ]);
  assert.is((await send('/api/v0/count', { hits: [{ path: '/a' }] })).status, 401);
});

test('our own tracker sends its hits behind the same address, which names the site', async () => {
  await send('/gc/shop/count?/e', { s: 'goatcounter', u: 'https://example.com/own' });
  assert.is(taken()[0]!.path, '/own');
  const agent = { 'user-agent': `${chrome} (another)` };
  const list = [
    { u: 'https://example.com/', r: 'Newsletter' },
    { t: 'custom', u: 'https://example.com/', n: '/ev' },
  ];
  await send('/gc/shop/count?/e', { hits: list.map(hit => ({ s: 'goatcounter', ...hit })) }, agent);
  const [page, event] = taken();
  assert.equal([page!.referrer, event!.event, event!.visit_id], ['Newsletter', 'ev', page!.visit_id]);
  assert.is((await send('/gc/shop/count?/c/goatcounter')).body.toString(), '{"m":"hash"}');
  assert.is((await send('/gc/nobody/count?/c/goatcounter')).status, 404);
});

test('no request breaks it', async () => {
  const value = fc.oneof(fc.string(), fc.webUrl(), fc.integer().map(String));
  const parameters = fc.record(
    { p: value, t: value, r: value, e: value, s: value, b: value, q: value },
    { requiredKeys: [] },
  );
  const field = fc.oneof(fc.string(), fc.integer(), fc.constant(null), fc.jsonValue());
  const names = ['path', 'title', 'event', 'ref', 'size', 'query', 'bot', 'user_agent', 'ip', 'created_at', 'session'];
  const hit = fc.record(Object.fromEntries(names.map(name => [name, field])), { requiredKeys: [] });
  await fc.assert(
    fc.asyncProperty(parameters, fc.array(fc.oneof(hit, field)), async (given, hits) => {
      const statuses = [(await send(`/gc/shop/count${query(given)}`)).status, (await count({ hits }))[0]];
      assert.ok(
        statuses.every(status => [200, 202, 400].includes(status)),
        `${statuses}`,
      );
    }),
    { numRuns: 100 },
  );
  taken();
});

test.run();
