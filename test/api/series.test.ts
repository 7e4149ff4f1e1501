import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { addSite } from '../helpers.ts';
import { addShop, record, startApi } from './fixture.ts';

const api = await startApi();
const shop = addShop(api.db);
const series = async (query: string, id = shop.uuid) => (await api.get(`/api/v1/sites/${id}/series?${query}`)).body;

test('a series has a point per day, zero where nothing happened', async () => {
  assert.equal(await series('range=7d'), {
    data: [
      { date: '2026-11-14T00:00:00', Visitors: 0, Pageviews: 0, Visits: 0 },
      { date: '2026-11-15T00:00:00', Visitors: 0, Pageviews: 0, Visits: 0 },
      { date: '2026-11-16T00:00:00', Visitors: 0, Pageviews: 0, Visits: 0 },
      { date: '2026-11-17T00:00:00', Visitors: 0, Pageviews: 0, Visits: 0 },
      { date: '2026-11-18T00:00:00', Visitors: 2, Pageviews: 3, Visits: 2 },
      { date: '2026-11-19T00:00:00', Visitors: 1, Pageviews: 2, Visits: 1 },
      { date: '2026-11-20T00:00:00', Visitors: 3, Pageviews: 3, Visits: 3 },
    ],
  });
});

test('today has a point for each hour that has begun', async () => {
  const { data } = await series('range=today');
  assert.is(data.length, 15);
  assert.equal(data[9], { date: '2026-11-20T09:00:00', Visitors: 1, Pageviews: 1, Visits: 1 });
  assert.equal(data.at(-1), { date: '2026-11-20T14:00:00', Visitors: 2, Pageviews: 2, Visits: 2 });
});

test('months are named by their first day', async () => {
  const { data } = await series('range=12m');
  assert.is(data.length, 12);
  assert.is(data[0].date, '2025-12-01T00:00:00');
  assert.equal(data.at(-1), { date: '2026-11-01T00:00:00', Visitors: 6, Pageviews: 9, Visits: 7 });
});

test('hits count for their local day and hour, also on a day of 25 hours', async () => {
  const site = addSite(api.db, { timezone: 'Europe/Berlin' });
  const page = [{ path: '/' }];
  record(api.db, site, [
    { began: '2026-10-24T21:59:59Z', by: 1, hits: page },
    { began: '2026-10-24T22:00:00Z', by: 2, hits: page },
    // Half past two, twice.
    { began: '2026-10-25T00:30:00Z', by: 3, hits: page },
    { began: '2026-10-25T01:30:00Z', by: 3, hits: page },
    { began: '2026-10-25T22:59:59Z', by: 4, hits: page },
    { began: '2026-10-25T23:00:00Z', by: 5, hits: page },
  ]);
  const { data } = await series('from=2026-10-25&to=2026-10-25', site.uuid);
  assert.is(data.length, 25);
  const busy = data.filter((point: { Visits: number }) => point.Visits > 0);
  assert.equal(busy, [
    { date: '2026-10-25T00:00:00', Visitors: 1, Pageviews: 1, Visits: 1 },
    { date: '2026-10-25T02:00:00', Visitors: 1, Pageviews: 1, Visits: 1 },
    { date: '2026-10-25T02:00:00', Visitors: 1, Pageviews: 1, Visits: 1 },
    { date: '2026-10-25T23:00:00', Visitors: 1, Pageviews: 1, Visits: 1 },
  ]);
  const days = await series('from=2026-10-24&to=2026-10-26', site.uuid);
  assert.equal(
    days.data.map((point: { Visits: number }) => point.Visits),
    [1, 4, 1],
  );
});

test('the previous window comes on request, in the same buckets', async () => {
  const { data, previous } = await series('range=7d&previous=1');
  assert.equal(data, (await series('range=7d')).data);
  assert.is(previous.length, 7);
  assert.equal(previous[3], { date: '2026-11-10T00:00:00', Visitors: 1, Pageviews: 1, Visits: 1 });
  const hours = await series('range=today&previous=1');
  assert.equal(
    [hours.previous.length, hours.previous[0].date, hours.previous.at(-1).date],
    [15, '2026-11-19T00:00:00', '2026-11-19T14:00:00'],
  );
  const months = await series('range=12m&previous=1');
  assert.equal([months.previous.length, months.previous[0].date], [12, '2024-12-01T00:00:00']);
  assert.is((await series('range=all&previous=1')).previous, null);
  assert.not('previous' in (await series('range=7d&previous=0')));
});

test('an empty window has no points', async () => {
  assert.equal(await series('from=2030-01-01'), { data: [] });
});

test.after(() => api.close());
test('amounts of other currencies are told with the revenue alone', async () => {
  const site = addSite(api.db);
  const revenue = { amount: 1000, currency: 'USD' };
  record(api.db, site, [{ began: '2026-11-18T10:00:00Z', by: 1, hits: [{ type: 'revenue', revenue }] }]);
  for (const interval of ['day', 'month']) {
    const pointsOf = async (metrics: string) =>
      (await api.get(`/api/ext/sites/${site.uuid}/series?range=30d&interval=${interval}&metrics=${metrics}`)).body.data;
    for (const point of await pointsOf('visitors,pageviews')) assert.not('otherRevenue' in point, interval);
    const told = (await pointsOf('revenue')).filter((point: object) => 'otherRevenue' in point);
    assert.equal(
      told.map((point: { otherRevenue: object }) => point.otherRevenue),
      [{ USD: 1000 }],
    );
  }
});

test.run();
