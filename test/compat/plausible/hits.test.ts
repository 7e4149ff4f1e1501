/** Requests to Plausible's Events API, as its documentation gives them. */
import * as fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { chrome } from '../../collect/start-collector.ts';
import { likewise, startClient } from '../client.ts';

const { collector, key, send, taken } = await startClient({ domain: 'example.com', aliases: ['second.example'] });
test.after(() => collector.close());

const url = 'https://example.com/pricing?utm_source=news&a=1#plans';

const rows: [name: string, body: object, hit: object][] = [
  [
    'a pageview with everything',
    {
      ...{ n: 'pageview', v: 23, u: url, d: 'example.com', r: 'https://www.google.com/', w: 1280 },
      p: { author: 'Ann', seats: 3, nested: { a: 1 }, blank: '', spaces: '   ', '  ': 'no key', none: null },
      i: false,
    },
    {
      ...{ type: 'pageview', path: '/pricing', hostname: 'example.com', query: 'a=1', referrer: 'google.com' },
      ...{ utm_source: 'news', screen: 1280 * 65_536 },
      properties: [
        ['author', 'string', 'Ann'],
        ['seats', 'number', 3],
      ],
    },
  ],
  [
    'long names, properties as JSON text, and a domain with www',
    { name: 'Signup', url: 'https://www.example.com/', domain: 'www.example.com', props: '{"plan":"pro"}' },
    { type: 'custom', event: 'Signup', hostname: 'www.example.com', properties: [['plan', 'string', 'pro']] },
  ],
  ['the domain of the address', { n: 'pageview', u: 'https://www.example.com/a' }, { type: 'pageview', path: '/a' }],
  ['a domain that is an alias', { n: 'pageview', u: 'https://x.example/a', d: 'second.example' }, { path: '/a' }],
  ['the hash, where the script says so', { n: 'pageview', u: 'https://example.com/#/a', h: 1 }, { path: '/#/a' }],
  ['and not otherwise', { n: 'pageview', u: 'https://example.com/#/a' }, { path: '/' }],
  ['a page that is not found', { n: 404, u: url, p: { path: '/pricing' } }, { type: 'custom', event: '404' }],
  [
    'an outbound link',
    { n: 'Outbound Link: Click', u: url, p: { url: 'https://other.example/x?y=1' } },
    { type: 'outbound', event: 'https://other.example/x?y=1', properties: [] },
  ],
  [
    'a download',
    { n: 'File Download', u: url, p: { url: 'https://example.com/a.pdf' } },
    { type: 'custom', event: 'File Download', properties: [['url', 'string', 'https://example.com/a.pdf']] },
  ],
  [
    'revenue',
    { n: 'Purchase', u: url, p: { plan: 'pro' }, $: { currency: 'USD', amount: 10.29 } },
    { type: 'revenue', event: 'Purchase', amount: 1029, currency: 'USD', properties: [['plan', 'string', 'pro']] },
  ],
  [
    'revenue as text, of a currency without minor units',
    { n: 'Purchase', u: url, $: '{"currency":"jpy","amount":"1500"}' },
    { type: 'revenue', amount: 1500, currency: 'JPY' },
  ],
  ['an amount that is none', { n: 'Purchase', u: url, $: { amount: 'x', currency: 'EUR' } }, { type: 'custom' }],
  [
    'engagement',
    { n: 'engagement', sd: 72, d: 'example.com', u: url, p: {}, e: 18_250, v: 23 },
    { type: 'duration', duration: 18_250, scroll: 72, path: null },
  ],
  ['engagement as texts', { n: 'engagement', sd: '20', e: '1500', u: url }, { duration: 1500, scroll: 20 }],
  ['half of it', { n: 'engagement', sd: '-1', e: '1500', u: url }, { duration: 1500, scroll: null }],
  ['scroll alone', { n: 'engagement', sd: 100, u: url }, { type: 'duration', duration: 0, scroll: 100 }],
];

for (const [name, body, hit] of rows) {
  test(name, async () => {
    const { status, body: text, headers } = await send('/api/event', body, { 'content-type': 'text/plain' });
    assert.equal([status, text.toString(), headers['x-daybook']], [202, 'ok', 'recorded']);
    assert.equal(
      [headers['content-type'], headers['access-control-allow-origin'], headers['x-plausible-dropped']],
      ['text/plain; charset=utf-8', '*', undefined],
    );
    const [stored, ...more] = taken();
    assert.equal([likewise(stored!, hit), more], [hit, []]);
  });
}

test('several domains get a hit each, and unknown ones are dropped', async () => {
  const d = 'example.com, second.example,nobody.example';
  const { status, body, headers } = await send('/api/event', { n: 'pageview', u: url, d });
  assert.equal([status, body.toString(), headers['x-plausible-dropped']], [202, 'ok', '1']);
  assert.is(headers['x-daybook'], 'rejected; reason=unknown-site');
  assert.is(taken().length, 2);
});

test('what is wrong is named by its field', async () => {
  for (const [body, errors] of [
    ['{', { request: 'Unable to parse request body as json' }],
    ['[]', { request: 'Unable to parse request body as json' }],
    [{ n: 'pageview', d: 'example.com' }, { url: 'is required' }],
    [{ n: 'pageview', u: 7 }, { url: 'must be a string' }],
    [{ n: 'pageview', u: 'data:text/html,x' }, { url: 'scheme is not allowed' }],
    [{ n: 'pageview', u: 'app://x/', d: 'example.com' }, { url: 'must be an http or https address' }],
    [{ u: url }, { event_name: "can't be blank" }],
    [{ n: 'pageview', u: url, d: ' ' }, { domain: "can't be blank" }],
    [{ n: 'pageview', u: '/pricing' }, { domain: "can't be blank" }],
    [{ n: 'pageview', u: url, d: 'a,'.repeat(501) }, { domain: 'should be at most 500 domains' }],
    [
      { n: 'engagement', u: url, e: 'x' },
      { event_name: "engagement event requires a valid integer value for at least one of 'sd' or 'e' fields" },
    ],
  ] as [string | object, object][]) {
    const answer = await send('/api/event', body);
    assert.equal([answer.status, JSON.parse(answer.body.toString())], [400, { errors }], JSON.stringify(body));
    assert.match(answer.headers['x-daybook']!, /^rejected; reason=bad-/);
  }
  assert.equal(taken(), []);
});

test('a crawler is dropped, and a sender over its budget is told to wait', async () => {
  const crawler = { 'user-agent': 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)' };
  const { status, headers } = await send('/api/event', { n: 'pageview', u: url }, crawler);
  assert.equal([status, headers['x-plausible-dropped'], headers['x-daybook']], [202, '1', 'ignored; reason=crawler']);

  const poor = await startClient({ domain: 'example.com', senderHits: 1, senderBurst: 1 });
  assert.is((await poor.send('/api/event', { n: 'pageview', u: url })).status, 202);
  const refused = await poor.send('/api/event', { n: 'pageview', u: url });
  assert.equal([refused.status, refused.headers['retry-after']], [429, '5']);
  await poor.collector.close();
});

test('a server with an API key says whom it sends for; nobody else does', async () => {
  const body = { n: 'pageview', u: url };
  const visitors = async (headers: Record<string, string>): Promise<unknown[]> => {
    for (const address of ['203.0.113.1, 198.51.100.7', '203.0.113.2, 198.51.100.7', '203.0.113.1, 198.51.100.7'])
      await send('/api/event', body, { ...headers, 'x-forwarded-for': address, 'user-agent': chrome });
    return taken().map(({ visitor, city }) => [visitor, city]);
  };
  const trusted = await visitors({ authorization: `Bearer ${key}` });
  assert.equal([trusted[0], trusted.length], [trusted[2], 3]);
  assert.is.not((trusted[0] as string[])[0], (trusted[1] as string[])[0]);
  assert.is((trusted[0] as string[])[1], 'Berlin');
  const strangers = await visitors({});
  assert.equal([strangers[0], (strangers[0] as string[])[1]], [strangers[1], null]);
});

test('our own tracker sends its hits behind the same address', async () => {
  const answer = await send('/api/event?/e', { s: 'www.example.com', u: url, t: 'custom', n: 'Own' });
  assert.equal([answer.status, answer.body.toString()], [202, '{"m":"hash"}']);
  const list = [
    { s: 'pa-nobody', u: 'https://www.example.com/a' },
    { s: 'nobody', u: 'https://nobody.example/' },
  ];
  assert.is((await send('/api/event?/e', { hits: list })).status, 200);
  assert.equal(
    taken().map(({ event, path }) => [event, path]),
    [
      ['Own', '/pricing'],
      [null, '/a'],
    ],
  );
  assert.equal(JSON.parse((await send('/api/event?/c/example.com')).body.toString()), { m: 'hash' });
  assert.is((await send('/api/event?/c/nobody.example')).status, 404);
  assert.is((await send('/api/event?/e', 'null')).status, 400);
});

test('a question for the mode finds the site by its page, where the script’s name is no alias', async () => {
  const probe = async (headers: Record<string, string>) =>
    (await send('/api/event?/c/pa-AbC-1_x', null, headers)).status;
  assert.equal(
    [
      await probe({ origin: 'https://www.example.com' }),
      await probe({ referer: 'https://example.com/a' }),
      await probe({ origin: 'https://nobody.example', referer: 'https://example.com/' }),
      await probe({ origin: 'null' }),
      await probe({}),
    ],
    [200, 200, 404, 404, 404],
  );
});

test('no body breaks it', async () => {
  const field = fc.oneof(
    fc.string(),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.dictionary(fc.string(), fc.jsonValue()),
  );
  const names = ['n', 'u', 'd', 'r', 'p', 'h', 'i', '$', 'e', 'sd', 'w', 'name', 'url', 'props'];
  const body = fc.record(Object.fromEntries(names.map(name => [name, field])), { requiredKeys: [] });
  await fc.assert(
    fc.asyncProperty(body, async given => {
      const { status } = await send('/api/event', { n: 'pageview', u: url, ...given });
      assert.ok(status === 202 || status === 400, `${status}`);
    }),
    { numRuns: 200 },
  );
  taken();
});

test.run();
