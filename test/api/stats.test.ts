import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { accounts } from '../../src/store/accounts/accounts.ts';
import { rates } from '../../src/store/rates.ts';
import { addSite } from '../helpers.ts';
import { addShop, type Got, now, record, startApi } from './fixture.ts';

const api = await startApi();
const shop = addShop(api.db);
const stats = async (query: string, id = shop.uuid) => (await api.get(`/api/v1/sites/${id}/stats?${query}`)).body;

test('stats have the metrics, those of the week before, and the changes', async () => {
  assert.equal(await stats('range=7d'), {
    visitors: 5,
    pageviews: 8,
    visits: 6,
    bounces: 4,
    bounceRate: 66.67,
    avgVisitSeconds: 34.17,
    viewsPerVisit: 1.33,
    events: 6,
    revenue: 4900,
    otherRevenue: { USD: 1000 },
    currency: 'EUR',
    previous: {
      visitors: 1,
      pageviews: 1,
      visits: 1,
      bounces: 1,
      bounceRate: 100,
      avgVisitSeconds: 30,
      viewsPerVisit: 1,
      events: 1,
      revenue: 0,
    },
    delta: {
      visitors: 400,
      pageviews: 700,
      visits: 500,
      bounces: 300,
      bounceRate: -33.3,
      avgVisitSeconds: 13.9,
      viewsPerVisit: 33.3,
      events: 500,
      revenue: null,
    },
    range: '7d',
    from: '2026-11-14T00:00:00',
    to: '2026-11-20T14:30:00',
    timezone: 'Europe/Berlin',
  });
});

test('filters choose the hits that count, but bounces and duration are those of whole visits', async () => {
  const { delta: _, previous: _p, ...now } = await stats('range=7d&path=/pricing');
  assert.equal(now, {
    visitors: 2,
    pageviews: 2,
    visits: 2,
    bounces: 1,
    bounceRate: 50,
    avgVisitSeconds: 85,
    viewsPerVisit: 1,
    events: 4,
    revenue: 4900,
    otherRevenue: { USD: 1000 },
    currency: 'EUR',
    range: '7d',
    from: '2026-11-14T00:00:00',
    to: '2026-11-20T14:30:00',
    timezone: 'Europe/Berlin',
  });
});

test('filters reach the engine with their operators', async () => {
  const rows: [query: string, visitors: number, pageviews: number][] = [
    ['country=DE', 3, 6],
    ['country=DE&country=FR', 5, 8],
    ['country!=DE', 2, 2],
    ['path*=BLOG', 3, 3],
    ['path^=/b', 3, 3],
    ['path$=g', 4, 5],
    ['path!*=blog', 3, 5],
    ['referrer=Direct / none', 3, 5],
    ['referrer!=Direct / none', 2, 3],
    ['utmSource=newsletter', 1, 2],
    ['utmSource=', 5, 6],
    ['device=mobile&path=/', 1, 1],
    ['event=Signup', 2, 0],
    ['propKey=plan&propValue=pro', 1, 0],
    ['country=XX', 0, 0],
    ['title=Blog, "news"', 3, 3],
  ];
  for (const [query, visitors, pageviews] of rows) {
    const body = await stats(`range=7d&${query}`);
    assert.equal([body.visitors, body.pageviews], [visitors, pageviews], query);
  }
});

test('an empty slice is all zeros, with no infinite change', async () => {
  const { previous, delta, ...body } = await stats('range=today&country=XX');
  const zeros = Object.fromEntries(Object.keys(previous).map(name => [name, 0]));
  assert.equal(previous, zeros);
  assert.equal(delta, Object.fromEntries(Object.keys(previous).map(name => [name, null])));
  assert.is(body.bounceRate, 0);
  assert.not('otherRevenue' in body);
});

test('the range all has no comparison and begins with the first hit', async () => {
  const body = await stats('range=all');
  assert.is(body.visitors, 6);
  assert.is(body.from, '2026-11-10T11:00:00');
  assert.is(body.to, '2026-11-20T14:30:00');
  assert.is(body.previous, null);
  assert.is(body.delta, null);
});

test('custom dates replace the range', async () => {
  const body = await stats('from=2026-11-18&to=2026-11-19');
  assert.is(body.range, '2026-11-18_2026-11-19');
  assert.is(body.from, '2026-11-18T00:00:00');
  assert.is(body.to, '2026-11-20T00:00:00');
  assert.is(body.visitors, 3);
  assert.is(body.previous.visitors, 0);
  const none = await stats('from=2030-01-01');
  assert.is(none.visitors, 0);
  assert.is(none.previous, null);
});

test('only named hits of type custom, outbound and revenue are events, live and over time', async () => {
  const site = addSite(api.db);
  const types = [
    { type: 'custom' },
    { type: 'outbound' },
    { type: 'revenue', revenue: { amount: 1, currency: 'EUR' } },
  ] as const;
  record(api.db, site, [
    {
      began: '2026-11-20T13:28:00Z',
      by: 1,
      hits: [{ path: '/' }, ...['x', null].flatMap(event => types.map(type => ({ ...type, event })))],
    },
  ]);
  assert.is((await stats('range=today', site.uuid)).events, 3);
  assert.is((await api.get(`/api/v1/sites/${site.uuid}/realtime`)).body.events, 3);
});

test('a hit of this very millisecond is counted', async () => {
  api.setNow(Date.parse('2026-11-20T13:28:30Z'));
  assert.is((await stats('range=today')).visitors, 3);
  api.setNow(Date.parse('2026-11-20T13:28:30Z') - 1);
  assert.is((await stats('range=today')).visitors, 2);
  api.setNow(now);
});

test('a rate adds other currencies to the total, also for earlier hits', async () => {
  rates(api.db).set({ source: 'USD', target: 'EUR', rate: 0.92 });
  rates(api.db).set({ source: 'USD', target: 'JPY', rate: 150 });
  const body = await stats('range=7d');
  assert.is(body.revenue, 5820);
  assert.not('otherRevenue' in body);
});

test('the plan limits how far back stats read, and a larger plan reveals more', async () => {
  api.setNow(now + 730 * 86_400_000);
  assert.is((await stats('range=all')).visitors, 6);
  accounts(api.db).setPlan(shop.accountId, 'pro');
  const bounded = await stats('range=all');
  assert.is(bounded.visitors, 0);
  assert.is(bounded.from, '2026-11-21T00:00:00');
  assert.is(bounded.limitedTo, '2026-11-21T00:00:00');
  accounts(api.db).setPlan(shop.accountId, 'business');
  assert.is((await stats('range=all')).visitors, 6);
  api.setNow(now);
});

test('an answer says when the plan cut its window', async () => {
  accounts(api.db).setPlan(shop.accountId, 'pro');
  const limit = '2024-11-21T00:00:00';
  const asks: [path: string, query: string][] = [
    ['v1', 'stats'],
    ['v1', 'series'],
    ['v1', 'breakdown'],
    ['v1', 'events'],
    ['v1', 'events?event=Signup&series=1'],
    ['v1', 'events?event=Signup'],
    ['v1', 'events?event=Signup&property=plan'],
    ['ext', 'funnel?step=path%3D/'],
    ['ext', 'journey'],
    ['ext', 'visits'],
    ['ext', 'vitals'],
    ['ext', 'crawlers'],
    ['ext', 'outcomes'],
  ];
  for (const [group, ask] of asks) {
    const get = async (period: string): Promise<string | undefined> => {
      const { status, body } = await api.get(
        `/api/${group}/sites/${shop.uuid}/${ask}${ask.includes('?') ? '&' : '?'}${period}`,
      );
      assert.is(status, 200, ask);
      return body.limitedTo;
    };
    assert.is(await get('from=2024-11-20'), limit, ask);
    assert.is(await get('from=2024-11-19&to=2024-11-20'), limit, ask);
    assert.is(await get('from=2024-11-21'), undefined, ask);
    assert.is(await get('range=all'), undefined, ask);
  }
  accounts(api.db).setPlan(shop.accountId, 'unlimited');
  assert.not('limitedTo' in (await stats('from=2020-01-01')));
});

test('without a window to compare with there is null, and without comparing nothing', async () => {
  const shapes = async (path: string, of: (body: Got['body']) => object) => {
    const found = [];
    for (const asked of ['compare=previous', 'range=all&compare=previous', 'compare=none']) {
      const { body } = await api.get(`/api/${path.replace(':id', shop.uuid)}?${asked}`);
      const { previous, delta } = of(body) as { previous?: unknown; delta?: unknown };
      found.push([previous, delta].map(value => (value === undefined || value === null ? value : 'told')));
    }
    return found;
  };
  const want = [
    ['told', 'told'],
    [null, null],
    [undefined, undefined],
  ];
  assert.equal(await shapes('v1/sites/:id/stats', body => body), want);
  for (const name of ['table', 'members'])
    assert.equal(await shapes(`ext/sites/:id/${name}`, body => body.data[0]), want);
  const series = await shapes('ext/sites/:id/series', body => ({ ...body, delta: body.previous }));
  assert.equal(series, want);
});

test.after(() => api.close());
test.run();
