import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { addSite } from '../helpers.ts';
import { addShop, now, record, startApi } from './fixture.ts';

const api = await startApi();
const shop = addShop(api.db);
const realtime = async (query = '', id = shop.uuid) => (await api.get(`/api/v1/sites/${id}/realtime?${query}`)).body;

test('the snapshot has visitors, pages, referrers, countries and events of now', async () => {
  const { minutes, ...rest } = await realtime();
  assert.equal(rest, {
    visitors: 1,
    pageviews: 2,
    events: 1,
    pages: [
      { name: '/', value: 1 },
      { name: '/blog', value: 1 },
    ],
    referrers: [
      { name: '=cmd.example', value: 1 },
      { name: 'Direct / none', value: 1 },
    ],
    countries: [
      { name: 'FR', value: 1 },
      { name: 'DE', value: 1 },
    ],
    topEvents: [{ name: '=1+1', value: 1 }],
    lastHitAt: '2026-11-20T13:28:30.000Z',
  });
  assert.is(minutes.length, 30);
  assert.equal(minutes[0], { date: '2026-11-20T14:01:00', value: 0 });
  assert.equal(minutes[19], { date: '2026-11-20T14:20:00', value: 1 });
  assert.equal(minutes[28], { date: '2026-11-20T14:29:00', value: 0 });
  assert.equal(minutes[27], { date: '2026-11-20T14:28:00', value: 1 });
  assert.equal(minutes[29], { date: '2026-11-20T14:30:00', value: 0 });
});

test('the snapshot follows the filters but not the range', async () => {
  const french = await realtime('country=FR&range=yesterday');
  assert.is(french.visitors, 0);
  assert.is(french.pageviews, 1);
  assert.equal(french.countries, [{ name: 'FR', value: 1 }]);
  assert.is(french.lastHitAt, '2026-11-20T13:20:15.000Z');
  assert.is((await realtime('path=/blog')).lastHitAt, '2026-11-20T13:28:30.000Z');
  assert.is((await realtime('path=/pricing')).lastHitAt, null);
});

test('visitors cover five minutes and the rest thirty, to the millisecond', async () => {
  const site = addSite(api.db, { timezone: 'Asia/Kathmandu' });
  record(api.db, site, [
    { began: '2026-11-20T12:59:59.999Z', by: 1, hits: [{ path: '/too-early' }] },
    { began: '2026-11-20T13:00:00.000Z', by: 2, hits: [{ path: '/first' }] },
    { began: '2026-11-20T13:24:59.999Z', by: 3, hits: [{ path: '/gone' }] },
    { began: '2026-11-20T13:25:00.000Z', by: 4, hits: [{ path: '/there' }] },
    { began: '2026-11-20T13:30:00.000Z', by: 5, hits: [{ path: '/now' }] },
  ]);
  const body = await realtime('', site.uuid);
  assert.is(body.visitors, 2);
  assert.is(body.pageviews, 4);
  assert.equal(body.minutes.at(-1), { date: '2026-11-20T19:15:00', value: 1 });
  assert.is(body.lastHitAt, '2026-11-20T13:30:00.000Z');
});

test('lists have at most ten rows, and none for a site without hits', async () => {
  const site = addSite(api.db);
  const empty = await realtime('', site.uuid);
  assert.is(empty.lastHitAt, null);
  assert.is(empty.visitors, 0);
  assert.equal(empty.pages, []);
  record(api.db, site, [
    { began: '2026-11-20T13:29:00Z', by: 1, hits: Array.from({ length: 11 }, (_, i) => ({ path: `/${i}` })) },
  ]);
  assert.is((await realtime('', site.uuid)).pages.length, 10);
});

test('the snapshot moves on with the clock', async () => {
  api.setNow(now + 3_600_000);
  const body = await realtime();
  assert.is(body.pageviews, 0);
  assert.is(body.lastHitAt, null, 'the last hit is older than half an hour');
  api.setNow(now);
});

test.after(() => api.close());
test.run();
