import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { recorder } from '../../src/store/write/recorder.ts';
import { addSite } from '../helpers.ts';
import { addShop, now, startApi } from './fixture.ts';

const api = await startApi();
const shop = addShop(api.db);
const get = async (path: string, id = shop.uuid) => (await api.get(`/api/ext/sites/${id}/${path}`)).body;

test('web vitals by path have the 75th percentile and the share of each rating', async () => {
  const body = await get('vitals?range=today');
  assert.equal(body, {
    by: 'path',
    all: {
      reports: 4,
      lcp: { reports: 4, p75: 2600, good: 50, needsImprovement: 25, poor: 25 },
      inp: { reports: 3, p75: 300, good: 66.67, needsImprovement: 33.33, poor: 0 },
      cls: { reports: 4, p75: 0.105, good: 0, needsImprovement: 75, poor: 25 },
      fcp: null,
      ttfb: { reports: 4, p75: 300, good: 100, needsImprovement: 0, poor: 0 },
    },
    data: [
      {
        name: '/',
        reports: 3,
        lcp: { reports: 3, p75: 2600, good: 66.67, needsImprovement: 33.33, poor: 0 },
        inp: { reports: 2, p75: 200, good: 100, needsImprovement: 0, poor: 0 },
        cls: { reports: 3, p75: 0.105, good: 0, needsImprovement: 100, poor: 0 },
        fcp: null,
        ttfb: { reports: 3, p75: 300, good: 100, needsImprovement: 0, poor: 0 },
      },
      {
        name: '/blog',
        reports: 1,
        lcp: { reports: 1, p75: 4100, good: 0, needsImprovement: 0, poor: 100 },
        inp: { reports: 1, p75: 300, good: 0, needsImprovement: 100, poor: 0 },
        cls: { reports: 1, p75: 0.3, good: 0, needsImprovement: 0, poor: 100 },
        fcp: null,
        ttfb: { reports: 1, p75: 300, good: 100, needsImprovement: 0, poor: 0 },
      },
    ],
  });
});

interface Row {
  name: string;
  reports: number;
  crawls: number;
}

test('web vitals by device follow filters and the limit', async () => {
  const names = async (query: string) =>
    (await get(`vitals?range=today&${query}`)).data.map(({ name, reports }: Row) => `${name} ${reports}`);
  assert.equal(await names('by=device'), ['desktop 3', 'mobile 1']);
  assert.equal(await names('by=device&path=/blog'), ['desktop 1']);
  assert.equal(await names('by=path&device!=desktop'), ['/ 1']);
  assert.equal(await names('by=path&path*=LOG'), ['/blog 1']);
  assert.equal(await names('limit=1'), ['/ 3']);
  assert.equal(await names('limit=0'), ['/ 3']);
  assert.is((await get('vitals?range=today&path=/blog')).all.reports, 1);
  assert.is((await get('vitals?range=yesterday')).all.reports, 0);
  assert.is((await get('vitals?range=yesterday')).all.lcp, null);
});

test('crawlers are listed by name, path and status', async () => {
  const { series, ...today } = await get('crawlers?range=today');
  const ofHours = series.filter(({ crawls }: { crawls: number }) => crawls > 0);
  assert.equal(
    ofHours.map(({ date, crawls }: { date: string; crawls: number }) => `${date} ${crawls}`),
    ['2026-11-20T10:00:00 2', '2026-11-20T11:00:00 2'],
  );
  assert.equal(today, {
    by: 'name',
    total: 4,
    data: [
      { name: 'Googlebot', crawls: 3, lastSeen: '2026-11-20T10:30:00.000Z' },
      { name: 'GPTBot', crawls: 1, lastSeen: '2026-11-20T10:30:00.000Z' },
    ],
  });
  const names = async (query: string) =>
    (await get(`crawlers?range=today&${query}`)).data.map(({ name, crawls }: Row) => `${name} ${crawls}`);
  assert.equal(await names('by=path'), ['/ 3', '/blog 1']);
  assert.equal(await names('by=status'), ['200 2', '404 1', 'unknown 1']);
  assert.equal(await names('by=path&name=Googlebot&status=404'), ['/blog 1']);
  assert.equal(await names('by=name&status!=200'), ['GPTBot 1', 'Googlebot 1']);
  assert.equal(await names('by=name&status=unknown'), ['GPTBot 1']);
  assert.equal(await names('by=name&limit=1'), ['Googlebot 3']);
  assert.is((await get('crawlers?range=today&limit=1')).total, 4);
  assert.is((await get('crawlers?range=yesterday')).total, 0);
});

test('outcomes are counted by hour and reason', async () => {
  assert.equal(await get('outcomes?range=today'), {
    totals: [
      { outcome: 'recorded', hits: 10 },
      { outcome: 'crawler', hits: 4 },
      { outcome: 'bad-url', hits: 1 },
    ],
    data: [
      { date: '2026-11-20T09:00:00', outcome: 'recorded', hits: 3 },
      { date: '2026-11-20T10:00:00', outcome: 'recorded', hits: 4 },
      { date: '2026-11-20T10:00:00', outcome: 'crawler', hits: 2 },
      { date: '2026-11-20T11:00:00', outcome: 'crawler', hits: 2 },
      { date: '2026-11-20T11:00:00', outcome: 'bad-url', hits: 1 },
      { date: '2026-11-20T14:00:00', outcome: 'recorded', hits: 3 },
    ],
    otherTexts: [],
  });
  const week = await get('outcomes?range=7d');
  assert.equal(week.data, [
    { date: '2026-11-18T00:00:00', outcome: 'recorded', hits: 6 },
    { date: '2026-11-19T00:00:00', outcome: 'recorded', hits: 3 },
    { date: '2026-11-20T00:00:00', outcome: 'recorded', hits: 10 },
    { date: '2026-11-20T00:00:00', outcome: 'crawler', hits: 4 },
    { date: '2026-11-20T00:00:00', outcome: 'bad-url', hits: 1 },
  ]);
});

test('outcomes of neighbouring days add up in zones off the UTC hour', async () => {
  const { uuid, id: siteId } = addSite(api.db, { timezone: 'Asia/Kathmandu' });
  // Midnight of the 18th is 18:15 of the 17th in UTC.
  const times = ['17:30', '18:05', '18:20', '19:10'].map(time => Date.parse(`2026-11-17T${time}Z`));
  recorder(api.db).write(times.map(at => ({ siteId, at, outcome: 'recorded' })));
  const hitsOf = async (period: string): Promise<number> =>
    (await get(`outcomes?${period}`, uuid)).totals.reduce((sum: number, { hits }: { hits: number }) => sum + hits, 0);
  const days = [await hitsOf('from=2026-11-17&to=2026-11-17'), await hitsOf('from=2026-11-18&to=2026-11-18')];
  assert.equal(days, [3, 1]);
  assert.is(await hitsOf('from=2026-11-17&to=2026-11-18'), 4);
  const hours = await get('outcomes?from=2026-11-18&to=2026-11-18', uuid);
  assert.equal(hours.data, [{ date: '2026-11-18T00:00:00', outcome: 'recorded', hits: 1 }]);
});

test('outcomes of a window that ends inside an hour, or is empty, are right', async () => {
  // The first hit came at 11:00 in Berlin; all time begins there.
  assert.equal((await get('outcomes?range=all')).data[0], {
    date: '2026-11-10T00:00:00',
    outcome: 'recorded',
    hits: 2,
  });
  assert.equal(await get('outcomes?from=2030-01-01'), { totals: [], data: [], otherTexts: [] });
  const empty = addSite(api.db, { timezone: 'Asia/Kathmandu' });
  assert.equal(await get('outcomes?range=24h', empty.uuid), { totals: [], data: [], otherTexts: [] });
  api.setNow(now);
});

test.after(() => api.close());
test.run();
