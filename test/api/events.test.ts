import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { addSite } from '../helpers.ts';
import { addShop, now, record, startApi } from './fixture.ts';

const api = await startApi();
const shop = addShop(api.db);
const events = async (query: string, id = shop.uuid) => (await api.get(`/api/v1/sites/${id}/events?${query}`)).body;

test('events are listed by volume, then by name', async () => {
  const { data } = await events('range=7d');
  const signup = {
    name: 'Signup',
    type: 'custom',
    events: 2,
    visitors: 2,
    perVisitor: 1,
    previousEvents: 1,
    previousVisitors: 1,
    delta: 100,
    lastSeen: '2026-11-20T08:00:40.000Z',
    spark: [
      { date: '2026-11-14T00:00:00', value: 0 },
      { date: '2026-11-15T00:00:00', value: 0 },
      { date: '2026-11-16T00:00:00', value: 0 },
      { date: '2026-11-17T00:00:00', value: 0 },
      { date: '2026-11-18T00:00:00', value: 1 },
      { date: '2026-11-19T00:00:00', value: 0 },
      { date: '2026-11-20T00:00:00', value: 1 },
    ],
  };
  assert.equal(data[1], signup);
  assert.equal(
    data.map(({ spark: _, ...row }: { spark: unknown }) => Object.values(row).join(' ')),
    [
      'Purchase revenue 2 2 1 0 0  2026-11-20T08:00:50.000Z',
      'Signup custom 2 2 1 1 1 100 2026-11-20T08:00:40.000Z',
      '=1+1 custom 1 1 1 0 0  2026-11-20T13:20:15.000Z',
      'https://partner.example/ outbound 1 1 1 0 0  2026-11-19T09:00:20.000Z',
    ],
  );
});

test('filters apply to events, and the range all has no comparison', async () => {
  const names = async (query: string) => (await events(query)).data.map(({ name }: { name: string }) => name);
  assert.equal(await names('range=7d&event!=Signup&country=DE'), ['Purchase', 'https://partner.example/']);
  assert.equal(await names('range=7d&event*=SIGN'), ['Signup']);
  assert.equal(await names('range=7d&propKey=seats'), ['Signup']);
  assert.equal(await names('range=7d&propKey=plan&propValue=pro'), ['Signup']);
  assert.equal(await names('range=7d&limit=1'), ['Purchase']);
  assert.equal(await names('range=7d&country=XX'), []);
  // Without an event these select nothing, and the list is answered.
  assert.is((await events('range=7d&series=1')).data.length, 4);
  assert.is((await events('range=7d&property=plan')).data.length, 4);
  const [row] = (await events('range=all')).data;
  assert.equal(
    [row.name, row.events, row.previousEvents, row.previousVisitors, row.delta],
    ['Signup', 3, null, null, null],
  );
});

test('the list has at most 100 rows, each with its own comparison', async () => {
  const site = addSite(api.db);
  const custom = (name: string) => ({ type: 'custom' as const, event: name });
  const many = Array.from({ length: 101 }, (_, i) => custom(`e${String(i).padStart(3, '0')}`));
  // Last week other events came more often than any of this week's.
  const others = Array.from({ length: 300 }, (_, i) => custom(`other${i % 150}`));
  record(api.db, site, [
    { began: '2026-11-10T10:00:00Z', by: 1, hits: [...others, custom('e000')] },
    { began: '2026-11-19T10:00:00Z', by: 1, hits: [...many, custom('e000')] },
  ]);
  const { data } = await events('range=7d', site.uuid);
  assert.is(data.length, 100);
  assert.equal([data[0].name, data[0].events, data[0].previousEvents, data[0].delta], ['e000', 2, 1, 100]);
  assert.equal([data[1].name, data[1].previousEvents, data[1].delta], ['e001', 0, null]);
});

test('one event has a series and a summary', async () => {
  assert.equal(await events('range=7d&event=Signup&series=1'), {
    data: [
      { date: '2026-11-14T00:00:00', Events: 0, Visitors: 0 },
      { date: '2026-11-15T00:00:00', Events: 0, Visitors: 0 },
      { date: '2026-11-16T00:00:00', Events: 0, Visitors: 0 },
      { date: '2026-11-17T00:00:00', Events: 0, Visitors: 0 },
      { date: '2026-11-18T00:00:00', Events: 1, Visitors: 1 },
      { date: '2026-11-19T00:00:00', Events: 0, Visitors: 0 },
      { date: '2026-11-20T00:00:00', Events: 1, Visitors: 1 },
    ],
    summary: {
      name: 'Signup',
      type: 'custom',
      events: 2,
      visitors: 2,
      visitorShare: 40,
      perVisitor: 1,
      sessions: 2,
      medianPerSession: 1,
      firstSeen: '2026-11-18T10:01:30.000Z',
      lastSeen: '2026-11-20T08:00:40.000Z',
      previous: { events: 1, visitors: 1, visitorShare: 100, perVisitor: 1 },
      delta: { events: 100, visitors: 100, visitorShare: -60, perVisitor: 0 },
    },
  });
});

test('the share counts all visitors of the slice, whatever the event and its properties', async () => {
  const summary = async (query: string) => (await events(`range=7d&event=Signup&series=1&${query}`)).summary;
  const paid = await summary('propKey=plan&propValue=pro');
  assert.equal([paid.events, paid.visitors, paid.visitorShare], [1, 1, 20]);
  const german = await summary('country=DE');
  assert.equal([german.visitors, german.visitorShare], [2, 66.67]);
  assert.is((await events('range=all&event=Signup&series=1')).summary.previous, null);
  assert.is((await events('range=all&event=Signup&series=1')).summary.delta, null);
});

test('perVisitor is a mean over visitors, medianPerSession a median over visits', async () => {
  const site = addSite(api.db);
  const plays = (count: number) => Array.from({ length: count }, () => ({ type: 'custom' as const, event: 'Play' }));
  record(api.db, site, [
    { began: '2026-11-19T08:00:00Z', by: 1, hits: plays(1) },
    { began: '2026-11-19T10:00:00Z', by: 1, hits: plays(2) },
    { began: '2026-11-19T11:00:00Z', by: 2, hits: plays(3) },
    { began: '2026-11-19T12:00:00Z', by: 3, hits: plays(8) },
    { began: '2026-11-19T13:00:00Z', by: 4, hits: [{ path: '/' }] },
    { began: '2026-11-18T13:00:00Z', by: 1, hits: plays(1) },
    { began: '2026-11-18T13:00:00Z', by: 2, hits: plays(2) },
  ]);
  const { summary } = await events('range=yesterday&event=Play&series=1', site.uuid);
  assert.equal(
    [summary.events, summary.visitors, summary.perVisitor, summary.sessions, summary.medianPerSession],
    [14, 3, 4.67, 4, 2.5],
  );
  assert.is(summary.previous.perVisitor, 1.5);
  assert.is(summary.delta.perVisitor, 211.1, 'of 14/3, not of 4.67');
  assert.is(summary.visitorShare, 75);
});

test('a repeated event parameter matches any of its names', async () => {
  const { summary } = await events('range=7d&event=Signup&event=Purchase&series=1');
  assert.equal([summary.name, summary.events, summary.visitors], ['Signup, Purchase', 4, 2]);
});

test('an event lists its property keys', async () => {
  assert.equal(await events('range=7d&event=Signup'), {
    data: [
      { key: 'plan', events: 2, values: 2, dataType: 'string', coverage: 100, numeric: null },
      {
        key: 'seats',
        events: 2,
        values: 2,
        dataType: 'number',
        coverage: 100,
        numeric: { sum: 4, avg: 2, min: 1, max: 3, p50: 2 },
      },
    ],
  });
  const all = await events('range=all&event=Signup');
  assert.is(all.data[1].coverage, 66.67);
  assert.is((await events('range=all&event=Signup&limit=1')).data.length, 1);
});

test('a property lists its values', async () => {
  assert.equal(await events('range=all&event=Signup&property=plan'), {
    data: [
      { name: 'pro', value: 2, events: 2, share: 66.67 },
      { name: 'free', value: 1, events: 1, share: 33.33 },
    ],
    total: 3,
    dataType: 'string',
    histogram: [],
  });
  assert.equal((await events('range=all&event=Signup&property=plan&histogram=1')).histogram, []);
  assert.equal((await events('range=all&event=Signup&property=seats&histogram=0')).histogram, []);
  assert.equal((await events('range=all&event=Signup&property=seats&histogram=false')).histogram, []);
});

test('a histogram has twelve bins without gaps', async () => {
  const { histogram, total, dataType } = await events('range=all&event=Signup&property=seats&histogram=1');
  assert.is(dataType, 'number');
  assert.is(histogram.length, 12);
  assert.is(histogram[0].from, 1);
  assert.is(histogram[11].to, 3);
  for (let i = 1; i < 12; i++) assert.is(histogram[i].from, histogram[i - 1].to);
  assert.is(
    histogram.reduce((sum: number, bin: { value: number }) => sum + bin.value, 0),
    total,
  );
  assert.is(histogram[0].name, '1 – 1.167');
  assert.is(histogram[0].value, 1);
  assert.is(histogram[11].value, 1);
  assert.is(new Set(histogram.map((bin: { name: string }) => bin.name)).size, 12);
});

test('bins have different names however large or small the numbers are', async () => {
  const site = addSite(api.db);
  const price = (value: number) => ({
    type: 'custom' as const,
    event: 'Price',
    properties: [
      { key: 'large', type: 'number' as const, value: value + 1e6 },
      { key: 'small', type: 'number' as const, value: value / 1e6 },
    ],
  });
  record(api.db, site, [{ began: '2026-11-19T10:00:00Z', by: 1, hits: [price(0), price(12)] }]);
  const names = async (key: string) =>
    (await events(`range=7d&event=Price&property=${key}&histogram=1`, site.uuid)).histogram.map(
      (bin: { name: string }) => bin.name,
    );
  assert.equal((await names('large')).slice(0, 2), ['1000000 – 1000001', '1000001 – 1000002']);
  assert.equal((await names('small')).slice(0, 2), ['0 – 0.000001', '0.000001 – 0.000002']);
});

test('a missing or empty value is named (empty)', async () => {
  const site = addSite(api.db);
  const hit = (value: string) => ({
    type: 'custom' as const,
    event: 'Search',
    properties: [{ key: 'term', type: 'string' as const, value }],
  });
  record(api.db, site, [{ began: '2026-11-19T10:00:00Z', by: 1, hits: [hit(''), hit('shoes'), hit('')] }]);
  assert.equal((await events('range=7d&event=Search&property=term', site.uuid)).data, [
    { name: '(empty)', value: 2, events: 2, share: 66.67 },
    { name: 'shoes', value: 1, events: 1, share: 33.33 },
  ]);
});

test('an event that nobody sent gives empty shapes, no errors', async () => {
  const zero = { events: 0, visitors: 0, visitorShare: 0, perVisitor: 0 };
  const { data, summary } = await events('range=7d&event=Nothing&series=1');
  assert.is(data.length, 7);
  assert.equal(summary, {
    name: 'Nothing',
    type: null,
    ...zero,
    sessions: 0,
    medianPerSession: 0,
    firstSeen: null,
    lastSeen: null,
    previous: zero,
    delta: { events: null, visitors: null, visitorShare: null, perVisitor: null },
  });
  assert.equal(await events('range=7d&event=Nothing'), { data: [] });
  const nothing = { data: [], total: 0, dataType: null, histogram: [] };
  assert.equal(await events('range=7d&event=Nothing&property=plan&histogram=1'), nothing);
  assert.equal(await events('range=7d&event=Signup&property=nothing'), nothing);
  assert.equal(await events('from=2030-01-01&event=Signup'), { data: [] });
  assert.equal(await events('from=2030-01-01'), { data: [] });
});

test('flags are true for any value but 0 and false', async () => {
  const shape = async (query: string) => Object.keys(await events(`range=7d&event=Signup&${query}`)).join(' ');
  assert.is(await shape('series=1'), 'data summary');
  assert.is(await shape('series=yes'), 'data summary');
  assert.is(await shape('series='), 'data summary');
  assert.is(await shape('series=0'), 'data');
  assert.is(await shape('series=false'), 'data');
  assert.is(await shape('property=plan'), 'data total dataType histogram');
  assert.is(await shape('property=plan&series=0'), 'data total dataType histogram');
  assert.is(await shape('property=plan&series=1'), 'data summary');
  api.setNow(now);
});

test.after(() => api.close());
test.run();
