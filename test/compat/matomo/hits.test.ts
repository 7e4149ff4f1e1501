/** Requests to Matomo's tracking API, as its documentation gives them. */
import * as fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { chrome, noon } from '../../collect/start-collector.ts';
import { likewise, startClient } from '../client.ts';

const { collector, key, send, taken } = await startClient({
  domain: 'example.com',
  currency: 'EUR',
  aliases: ['matomo:7'],
});
test.after(() => collector.close());

const url = 'https://example.com/pricing';
const query = (parameters: Record<string, string>): string =>
  `${new URLSearchParams({ idsite: '7', rec: '1', apiv: '1', rand: '123', url, ...parameters })}`;

const rows: [name: string, parameters: Record<string, string>, hit: object][] = [
  [
    'a pageview',
    {
      ...{
        action_name: 'Pricing',
        urlref: 'https://news.example/',
        res: '1920x1080',
        lang: 'de',
        _id: '0123456789abcdef',
      },
      ...{ dimension1: 'member', cvar: '{"1":["Author","Ann"],"2":["x",""]}', pf_net: '12', cookie: '1' },
    },
    {
      ...{ type: 'pageview', path: '/pricing', title: 'Pricing', referrer: 'news.example', language: 'de' },
      ...{ screen: 1920 * 65_536 + 1080, persistent: 0 },
      properties: [
        ['dimension1', 'string', 'member'],
        ['Author', 'string', 'Ann'],
      ],
    },
  ],
  [
    'a campaign by its own names',
    { url: `${url}?mtm_campaign=may&pk_kwd=shoes&x=1&mtm_cid=7&mtm_group=g&mtm_placement=top` },
    { utm_campaign: 'may', utm_term: 'shoes', query: 'x=1' },
  ],
  ['a campaign in the hash', { url: `${url}?x=1#pk_cpn=may&pk_kwd=b` }, { utm_campaign: 'may', query: 'x=1' }],
  ['an anchor', { url: `${url}#mine` }, { utm_campaign: null, path: '/pricing' }],
  [
    'an event',
    { e_c: 'Videos', e_a: ' Play ', e_n: 'Intro', e_v: '2.5', ca: '1' },
    {
      ...{ type: 'custom', event: 'Videos' },
      properties: [
        ['action', 'string', 'Play'],
        ['name', 'string', 'Intro'],
        ['value', 'number', 2.5],
      ],
    },
  ],
  ['a link', { link: 'https://other.example/x' }, { type: 'outbound', event: 'https://other.example/x' }],
  [
    'a download',
    { download: `${url}.pdf` },
    { type: 'custom', event: 'File Download', properties: [['url', 'string', `${url}.pdf`]] },
  ],
  [
    'a search on the site',
    { search: 'shoes', search_count: '0' },
    {
      event: 'Site search',
      properties: [
        ['keyword', 'string', 'shoes'],
        ['results', 'number', 0],
      ],
    },
  ],
  ['a goal', { idgoal: '3' }, { type: 'custom', event: 'Goal 3' }],
  ['a goal with an amount', { idgoal: '3', revenue: '9.99' }, { type: 'revenue', event: 'Goal 3', amount: 999 }],
  ['a cart', { idgoal: '0', revenue: '49.9' }, { type: 'custom', event: 'Cart update' }],
  ['content', { c_n: 'Ad', c_i: 'click' }, { type: 'custom', event: 'Content interaction' }],
  ['a sign that somebody is still there', { ping: '1' }, { type: 'duration', duration: 0 }],
];

for (const [name, parameters, hit] of rows) {
  for (const [how, path, body] of [
    ['GET', `/matomo.php?${query(parameters)}`, null],
    ['POST', '/piwik.php', query(parameters)],
    ['POST in part', `/matomo.php?${query({})}`, `${new URLSearchParams(parameters)}`],
  ] as const) {
    test(`${name}, by ${how}`, async () => {
      const { status, body: image, headers } = await send(path, body);
      assert.equal([status, headers['content-type'], image.length], [200, 'image/gif', 43]);
      assert.equal([headers['access-control-allow-origin'], headers['x-daybook']], ['*', 'recorded']);
      const [stored, ...more] = taken();
      assert.equal([likewise(stored!, hit), more], [hit, []]);
    });
  }
}

test('an order counts once, however often it comes', async () => {
  const order = query({ idgoal: '0', ec_id: 'A-1', revenue: '49.9', ec_items: '[["sku","name","",49.9,1]]' });
  const ended = [];
  for (const body of [null, order, order]) {
    const { status, headers } = await send(body === null ? `/matomo.php?${order}` : '/matomo.php', body);
    ended.push([status, headers['x-daybook']]);
  }
  assert.equal(ended, [[200, 'recorded'], ...Array(2).fill([200, 'ignored; reason=repeated-order'])]);
  const [stored, ...more] = taken();
  const want = {
    type: 'revenue',
    event: 'Order',
    amount: 4990,
    currency: 'EUR',
    properties: [['order', 'string', 'A-1']],
  };
  assert.equal([likewise(stored!, want), more], [want, []]);
});

test('an image in a page without scripts counts the page that shows it', async () => {
  await send('/matomo.php?idsite=7&rec=1', null, { referer: `${url}?x=1` });
  assert.is(taken()[0]!.path, '/pricing');
});

test('who wants no image gets none, and what is wrong is a 400', async () => {
  assert.equal(likewise({ ...(await send(`/matomo.php?${query({ send_image: '0' })}`)) }, { status: 0 }), {
    status: 204,
  });
  assert.is(taken().length, 1);
  for (const search of [
    '',
    'idsite=7',
    `rec=1&url=${url}`,
    `idsite=8&rec=1&url=${url}`,
    'idsite=7&rec=1&url=x',
    query({ url: '', ca: '1' }),
  ])
    assert.is((await send(`/matomo.php?${search}`)).status, 400, search);
  const { status, headers } = await send(`/matomo.php?${query({ ca: '1', ma_id: 'x' })}`);
  assert.equal([status, headers['x-daybook']], [400, 'rejected; reason=bad-payload'], 'of a plugin');
  const googlebot = { 'user-agent': 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)' };
  assert.equal(
    (await send(`/matomo.php?${query({})}`, null, googlebot)).headers['x-daybook'],
    'ignored; reason=crawler',
  );
  assert.equal(taken(), []);
});

const bulk = async (body: object): Promise<[number, unknown]> => {
  const { status, body: bytes } = await send('/matomo.php', body);
  return [status, JSON.parse(bytes.toString())];
};

test('several requests in one, as queries and as objects', async () => {
  const requests = [`?${query({ action_name: 'A' })}`, '?idsite=7', { idsite: 7, rec: 1, url: `${url}/2` }, 7];
  assert.equal(await bulk({ requests }), [200, { status: 'success', tracked: 2, invalid: 2, invalid_indices: [1, 3] }]);
  assert.equal(
    taken().map(({ path }) => path),
    ['/pricing', '/pricing/2'],
  );
  assert.is((await bulk({}))[0], 400);
  assert.is((await bulk({ requests: Array(501).fill('') }))[0], 400);
  assert.is((await send('/matomo.php', '{')).status, 400);
});

test('addresses and times are heard from a server with an API key alone', async () => {
  const said = {
    cip: '203.0.113.9',
    cdt: String((noon - 60_000) / 1000),
    ua: chrome.replace('X11; Linux', 'Windows NT 10.0'),
  };
  const stored = async (sent: Promise<unknown>): Promise<unknown[]> => {
    await sent;
    return taken().map(({ at, city, os }) => [Number(at) - noon, city, os]);
  };
  const heard = [[-60_000, 'Berlin', 'Windows']];
  assert.equal(await stored(send(`/matomo.php?${query({ ...said, token_auth: key })}`)), heard);
  assert.equal(await stored(bulk({ requests: [`?${query(said)}`], token_auth: key })), heard);
  const written = { ...said, cdt: new Date(noon - 60_000).toISOString().slice(0, 19).replace('T', ' ') };
  assert.equal(await stored(send(`/matomo.php?${query(written)}`, null, { authorization: `Bearer ${key}` })), heard);
  for (const token of ['', '0123456789abcdef0123456789abcdef'])
    assert.equal(await stored(send(`/matomo.php?${query({ ...said, token_auth: token })}`)), [[0, null, 'Linux']]);

  const unknown = await send(`/matomo.php?${query({ ...said, token_auth: 'tk_live_unknown' })}`);
  assert.equal([unknown.status, unknown.headers['x-daybook']], [401, 'rejected; reason=bad-key']);
  const late = { ...said, cdt: String((noon - 31 * 60_000) / 1000), token_auth: key };
  assert.is((await send(`/matomo.php?${query(late)}`)).headers['x-daybook'], 'rejected; reason=too-old');
  assert.equal(taken(), []);
});

test('a late hit stays in the day that has begun', async () => {
  const midnight = noon + 12 * 3_600_000;
  collector.clock.now = midnight + 60_000;
  await send(`/matomo.php?${query({ cdt: String(midnight / 1000 - 60), token_auth: key })}`);
  assert.is(taken()[0]!.at, midnight);
});

test('the visitor’s id counts in cookie mode alone', async () => {
  const shop = await startClient({ domain: 'example.com', identityMode: 'cookie', aliases: ['matomo:7'] });
  for (const _ of [1, 2]) await shop.send(`/matomo.php?${query({ _id: '0123456789abcdef' })}`);
  const [first, second] = shop.taken();
  assert.equal([first!.persistent, first!.visitor], [1, second!.visitor]);
  await shop.collector.close();
});

test('no request breaks it', async () => {
  const names = [
    'idsite',
    'rec',
    'url',
    'res',
    'cvar',
    'e_v',
    'revenue',
    'idgoal',
    'cdt',
    'cip',
    'dimension1',
    'ping',
    'link',
  ];
  const value = fc.oneof(fc.string(), fc.integer().map(String), fc.webUrl(), fc.json());
  const parameters = fc.dictionary(fc.constantFrom(...names), value);
  const item = fc.oneof(parameters, fc.string(), fc.jsonValue());
  await fc.assert(
    fc.asyncProperty(parameters, fc.array(item), async (given, requests) => {
      const statuses = [
        (await send(`/matomo.php?${query({ ...given, token_auth: key })}`)).status,
        (await bulk({ requests, token_auth: key }))[0],
      ];
      assert.ok(
        statuses.every(status => status === 200 || status === 400),
        `${statuses}`,
      );
    }),
    { numRuns: 100 },
  );
  taken();
});

test.run();
