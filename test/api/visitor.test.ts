/** One visitor, and the hits that came last. Their numbers are compared with a recount in test/query/engine.test.ts. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { addSite } from '../helpers.ts';
import { addAccount, addShop, record, startApi } from './fixture.ts';

const api = await startApi();
const shop = addShop(api.db);
const get = (name: string, query = '', id = shop.uuid, requested = {}) =>
  api.get(`/api/ext/sites/${id}/${name}?${query}`, requested);

test('a visitor has sums over visits, and traits', async () => {
  const { status, body } = await get('visitor', 'visitor=0000000000000001');
  assert.is(status, 200);
  assert.equal(body, {
    visitor: '0000000000000001',
    visits: 1,
    pageviews: 2,
    events: 2,
    revenue: 4900,
    currency: 'EUR',
    firstSeen: '2026-11-18T10:00:00.000Z',
    lastSeen: '2026-11-18T10:02:00.000Z',
    identified: 'ada@example.com',
    traits: [{ key: 'email', value: 'ada@example.com' }],
  });
});

test('a visitor with a cookie has the visits and traits of all days, the latest of each key', async () => {
  const site = addSite(api.db);
  const identify = (traits: object) => {
    return { type: 'identify', identity: { name: 'ada', traits: JSON.stringify(traits) } } as const;
  };
  const by = { by: 100, persistent: true } as const;
  record(api.db, site, [
    { began: '2026-08-19T10:00:00Z', ...by, hits: [{ path: '/' }, { after: 1, ...identify({ id: 7, plan: 'free' }) }] },
    { began: '2026-11-20T10:00:00Z', ...by, hits: [{ path: '/' }, { after: 60, ...identify({ plan: 'pro' }) }] },
    { began: '2026-11-20T11:00:00Z', by: 3, hits: [{ path: '/' }, { after: 1, ...identify({ plan: 'other' }) }] },
  ]);
  const [{ visitor }] = (await get('visits', 'range=all&sort=started&dir=asc', site.uuid)).body.data;
  const { body } = await get('visitor', `visitor=${visitor}`, site.uuid);
  assert.equal(
    [body.visits, body.firstSeen, body.lastSeen],
    [2, '2026-08-19T10:00:00.000Z', '2026-11-20T10:01:00.000Z'],
  );
  assert.equal(
    [body.identified, body.traits],
    [
      '7',
      [
        { key: 'id', value: 7 },
        { key: 'plan', value: 'pro' },
      ],
    ],
  );
});

test('a visitor that never came has no visits', async () => {
  for (const visitor of ['x', '0000000000000001x', 'FFFFFFFFFFFFFFFF', 'ffffffffffffffff', '0000000000000000']) {
    const { status, body } = await get('visitor', `visitor=${visitor}`);
    assert.is(status, 200, visitor);
    assert.equal([body.visits, body.firstSeen, body.identified, body.traits], [0, null, null, []], visitor);
  }
  assert.is((await get('visitor', 'visitor=0000000000000001', addSite(api.db).uuid)).body.visits, 0);
  assert.is((await get('visitor', 'visitor=x&country=DE')).body.error, 'unknown parameter');
});

test('visits from before the plan reaches are not told', async () => {
  const key = `tk_live_${'p'.repeat(32)}`;
  const pro = addSite(api.db, { accountId: addAccount(api.db, 'pro', 'pro', key) });
  const visits = ['2023-11-20T10:00:00Z', '2026-11-19T10:00:00Z'];
  record(
    api.db,
    pro,
    visits.map(began => ({ began, by: 100, persistent: true, hits: [{ path: '/' }] })),
  );
  const [{ visitor }] = (await get('visits', '', pro.uuid, { key })).body.data;
  assert.is((await get('visitor', `visitor=${visitor}`, pro.uuid, { key })).body.visits, 1);
});

test('the latest hits come newest first, under filters', async () => {
  const { status, body } = await get('latest-hits');
  assert.is(status, 200);
  assert.equal(
    body.data.map((hit: Record<string, unknown>) => [hit.at, hit.type, hit.path, hit.event, hit.country]),
    [
      ['2026-11-20T13:28:30.000Z', 'pageview', '/blog', null, 'DE'],
      ['2026-11-20T13:20:15.000Z', 'custom', '/', '=1+1', 'FR'],
      ['2026-11-20T13:20:00.000Z', 'pageview', '/', null, 'FR'],
    ],
  );
  const [newest] = body.data;
  assert.equal((await get('latest-hits', 'limit=1')).body.data, [newest]);
  assert.is((await get('hits', `visit=${newest.visit}`)).body.data.at(-1).at, newest.at);
  assert.is((await get('latest-hits', 'country=FR')).body.data.length, 2);
  assert.equal((await get('latest-hits', 'country=XX&range=30d')).body.data, []);
});

test.after(() => api.close());
test.run();
