import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { addSite } from '../helpers.ts';
import { addAccount, addShop, record, startApi } from './fixture.ts';

const api = await startApi();
const shop = addShop(api.db);
const get = (query: string, id = shop.uuid, requested = {}) => api.get(`/api/ext/sites/${id}/hits?${query}`, requested);
const idOf = async (search: string): Promise<string> =>
  (await api.get(`/api/ext/sites/${shop.uuid}/visits?range=30d&${search}`)).body.data[0].id;

const page = {
  hostname: 'site1.example',
  title: null,
  query: null,
  event: null,
  secondsOnPage: null,
  scroll: null,
  revenue: null,
  properties: [],
};

test('the hits of a visit come in order, with all their fields', async () => {
  const { status, body } = await get(`visit=${await idOf('q=ada@')}`);
  assert.is(status, 200);
  assert.equal(body.data, [
    { ...page, at: '2026-11-18T10:00:00.000Z', type: 'pageview', path: '/', title: 'Home' },
    {
      ...page,
      at: '2026-11-18T10:01:00.000Z',
      type: 'pageview',
      path: '/pricing',
      title: 'Pricing',
    },
    {
      ...page,
      at: '2026-11-18T10:01:30.000Z',
      type: 'custom',
      path: '/pricing',
      event: 'Signup',
      properties: [
        { key: 'plan', value: 'pro' },
        { key: 'seats', value: '3' },
      ],
    },
    {
      ...page,
      at: '2026-11-18T10:02:00.000Z',
      type: 'revenue',
      path: '/pricing',
      event: 'Purchase',
      revenue: { amount: 4900, currency: 'EUR' },
    },
  ]);
});

test('an open day reads like a sealed one, and amounts stay in their own currency', async () => {
  const { body } = await get(`visit=${await idOf('from=2026-11-20&paid=1')}`);
  assert.equal(
    body.data.map((hit: Record<string, unknown>) => [hit.type, hit.revenue]),
    [
      ['pageview', null],
      ['custom', null],
      ['revenue', { amount: 1000, currency: 'USD' }],
    ],
  );
});

test('an unknown visit has no hits', async () => {
  const id = await idOf('q=ada@');
  for (const visit of ['x', '1', `${id}0`, id.replace(/-0/, '-1'), `99999${id}`, encodeURIComponent("1' or 1=1")]) {
    const { status, body } = await get(`visit=${visit}`);
    assert.is(status, 200, visit);
    assert.equal(body, { data: [] }, visit);
  }
});

test('visits of other sites, and from before the plan reaches, have no hits', async () => {
  const id = await idOf('q=ada@');
  assert.equal((await get(`visit=${id}`, addSite(api.db).uuid)).body, { data: [] });

  const pro = addSite(api.db, { accountId: addAccount(api.db, 'pro', 'pro', `tk_live_${'p'.repeat(32)}`) });
  const began = ['2023-11-20T10:00:00Z', '2026-11-19T10:00:00Z'];
  record(
    api.db,
    pro,
    began.map((at, i) => ({ began: at, by: i + 1, hits: [{ path: '/' }] })),
  );
  const numbers = await Promise.all(
    began.map(async (at, i) => {
      const visit = `${Math.floor(Date.parse(at) / 86_400_000)}-000000000000000${i + 1}-${Date.parse(at)}`;
      const { body } = await get(`visit=${visit}`, pro.uuid, { key: `tk_live_${'p'.repeat(32)}` });
      return body.data.length;
    }),
  );
  assert.equal(numbers, [0, 1]);
});

test('a visit may begin before the first hit of its site', async () => {
  const site = addSite(api.db);
  const identity = { name: 'ada', traits: '{"name":"ada"}' };
  record(api.db, site, [
    {
      began: '2026-11-19T10:00:00Z',
      by: 1,
      hits: [
        { type: 'identify', identity },
        { after: 5, path: '/late' },
      ],
    },
  ]);
  const [visit] = (await api.get(`/api/ext/sites/${site.uuid}/visits`)).body.data;
  assert.is(visit.started, '2026-11-19T10:00:00.000Z');
  assert.is((await get(`visit=${visit.id}`, site.uuid)).body.data[0].path, '/late');
});

test('filters are refused', async () => {
  const { status, body } = await get('visit=1&country=DE');
  assert.is(status, 400);
  assert.is(body.error, 'unknown parameter');
});

test.after(() => api.close());
test.run();
