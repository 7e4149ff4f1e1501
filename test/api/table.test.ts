import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { tableMetricNames } from '../../src/model/table-metrics.ts';
import { definitions } from '../../src/store/definitions.ts';
import { addShop, key, now, record, startApi } from './fixture.ts';

const api = await startApi();
const shop = addShop(api.db);
const get = (query: string, path = `/api/ext/sites/${shop.uuid}/table`) => api.get(`${path}?${query}`);
const table = async (query: string) => (await get(query)).body;

test('a row says what /stats says with the filter of the row', async () => {
  for (const dimension of ['path', 'referrer', 'country', 'event', 'screen', 'exitPath', 'title', 'prop:plan']) {
    const { data, total } = await table(`range=30d&dimension=${dimension}&limit=500`);
    assert.is(data.length, total);
    assert.ok(total > 0, dimension);
    for (const { name, ...row } of data) {
      const filter = `${dimension}=${encodeURIComponent(name)}`;
      const stats = (await api.get(`/api/v1/sites/${shop.uuid}/stats?range=30d&${filter}`)).body;
      const { currency, previous, delta, range, from, to, timezone, ...metrics } = stats;
      assert.equal(row, metrics, filter);
    }
  }
});

test('columns are those that were asked for, and rows come in the order of any of them', async () => {
  const { data, dimension } = await table('range=30d&metrics=entries,visitors,entries&sort=pageviews&dir=asc');
  assert.is(dimension, 'path');
  for (const row of data) assert.equal(Object.keys(row), ['name', 'entries', 'visitors']);
  const all = await table(`range=30d&metrics=${tableMetricNames}&sort=pageviews&dir=asc`);
  assert.equal(
    data.map(({ name }: { name: string }) => name),
    all.data.map(({ name }: { name: string }) => name),
  );
  const pageviews = all.data.map((row: { pageviews: number }) => row.pageviews);
  assert.equal(
    pageviews,
    pageviews.toSorted((a: number, b: number) => a - b),
  );
});

test('conversions can be those of a goal', async () => {
  definitions(api.db).set(shop.id, 'goal', 'Saw prices', { conditions: 'path=/pricing', value: null }, 9);
  const { data } = await table(
    'range=30d&dimension=country&metrics=visits,conversions,conversionRate&conversionGoal=Saw%20prices',
  );
  assert.ok(data.length > 1);
  for (const { name, visits, conversions, conversionRate } of data) {
    const ofGoal = `/api/v1/sites/${shop.uuid}/stats?range=30d&country=${name}&visit:goal=Saw%20prices`;
    assert.is(conversions, (await api.get(ofGoal)).body.visits, name);
    assert.is(conversionRate, Math.round((conversions * 10_000) / visits) / 100, name);
  }
  assert.ok(data.some(({ conversions, visits }: Record<string, number>) => conversions! > 0 && conversions! < visits!));
  const unknown = await get('conversionGoal=Nobody');
  assert.equal([unknown.status, unknown.body.error], [400, 'unknown goal']);
});

test('pages join into the whole, and hits that come meanwhile are on none of them', async () => {
  const query = 'range=30d&dimension=path&metrics=visitors,pageviews&limit=1';
  const whole = (await table(`${query}00`)).data;
  const joined = [];
  let after = '';
  let arrived = 0;
  do {
    const { data, next, total } = await table(`${query}${after}`);
    assert.is(total, whole.length);
    joined.push(...data);
    after = next === null ? '' : `&cursor=${next}`;
    api.setNow(now + ++arrived * 60_000);
    const began = new Date(now + arrived * 60_000).toISOString();
    record(api.db, shop, [{ began, by: 700 + arrived, hits: [{ path: '/blog' }] }]);
  } while (after !== '');
  assert.equal(joined, whole);
  assert.ok((await table(`${query}00`)).data[0].pageviews > whole[0].pageviews, 'the next question sees them');
  api.setNow(now);
});

test('a cursor that was not given out, or long ago, is refused', async () => {
  const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const bad = [
    '',
    'x',
    encode([now, 1]),
    encode({}),
    encode([now + 1, 1, 1, '/']),
    encode([now - 86_400_001, 1, 1, '/']),
  ];
  for (const cursor of [...bad, encode([now, '1', 1, '/']), encode([now, 1, 1.5, '/'])]) {
    const { status, body } = await get(`cursor=${cursor}`);
    assert.equal([status, body], [400, { error: 'bad cursor', parameter: 'cursor' }], cursor);
  }
  assert.is((await get(`cursor=${encode([now, null, 1, '/'])}`)).status, 200);
});

test('rows are compared with the same rows of another window', async () => {
  const { data } = await table(
    'from=2026-11-19&to=2026-11-20&metrics=visitors,secondsOnPage&compare=2026-11-18_2026-11-18',
  );
  const before = await table('from=2026-11-18&to=2026-11-18&metrics=visitors,secondsOnPage&limit=500');
  for (const { name, visitors, previous, delta } of data) {
    const row = before.data.find((one: { name: string }) => one.name === name);
    assert.equal(
      previous,
      row === undefined
        ? { visitors: 0, secondsOnPage: null }
        : { visitors: row.visitors, secondsOnPage: row.secondsOnPage },
      name,
    );
    assert.is(delta.visitors, row === undefined ? null : Math.round((visitors / row.visitors - 1) * 1000) / 10, name);
  }
  const none = await table('range=all&compare=year');
  assert.equal([none.data[0].previous, none.data[0].delta], [null, null]);
});

test('an unknown metric is refused, and so is what a public page does not show', async () => {
  const unknown = await get('metrics=visitors,speed');
  assert.is(unknown.status, 400);
  assert.equal(unknown.body, {
    ...{ error: 'unknown metric', parameter: 'metrics', value: 'speed' },
    allowed: tableMetricNames,
  });
  assert.equal((await get('sort=speed')).body.error, 'unknown sort');
  assert.equal((await get('compare=never')).body.error, 'unknown compare');
  assert.equal((await get('compare=2026-02-31_2026-03-01')).body, { error: 'bad date', parameter: 'compare' });
});

test('the CSV has the same rows, guarded against formulas, with money in major units', async () => {
  const query = 'mode=table&range=7d&dimension=referrer&metrics=visitors,revenue,revenuePerVisitor,secondsOnPage';
  const { text, headers } = await get(query, `/api/export/${shop.uuid}`);
  assert.is(headers['content-disposition'], 'attachment; filename="shop.example-referrer-7d-2026-11-20.csv"');
  const [head, ...lines] = text.trimEnd().split('\n');
  assert.is(head, 'Name,Unique visitors,Revenue EUR,Revenue per visitor EUR,Seconds on page');
  const { data } = await table('range=7d&dimension=referrer');
  assert.is(lines.length, data.length);
  assert.ok(lines.some(line => line.startsWith("'=cmd.example,")));
  assert.ok(lines.some(line => line.includes(',49.00,')));
  const raw = await get(`${query}&raw=1`, `/api/export/${shop.uuid}`);
  assert.ok(raw.text.includes('\n=cmd.example,'));
});

test('a series has any metrics at any interval, zeros included', async () => {
  const series = async (query: string) => (await get(query, `/api/ext/sites/${shop.uuid}/series`)).body;
  const specified = (await api.get(`/api/v1/sites/${shop.uuid}/series?range=7d&previous=1`)).body;
  const points = (rows: { date: string; visitors: number; pageviews: number; visits: number }[]) =>
    rows.map(row => ({ date: row.date, Visitors: row.visitors, Pageviews: row.pageviews, Visits: row.visits }));
  const plain = await series('range=7d&compare=previous');
  assert.is(plain.interval, 'day');
  assert.equal({ data: points(plain.data), previous: points(plain.previous) }, specified);
  const weeks = await series('range=30d&interval=week&metrics=visitors,revenue,bounceRate');
  assert.equal(Object.keys(weeks.data.at(-1)).slice(0, 4), ['date', 'visitors', 'revenue', 'bounceRate']);
  assert.is(weeks.previous, undefined);
  assert.is((await series('range=all&compare=year')).previous, null);
  for (const { date, otherRevenue, ...row } of weeks.data.slice(1)) {
    const [from, to] = [
      date.slice(0, 10),
      new Date(Date.parse(`${date}Z`) + 6 * 86_400_000).toISOString().slice(0, 10),
    ];
    const stats = (await api.get(`/api/v1/sites/${shop.uuid}/stats?from=${from}&to=${to}`)).body;
    for (const [name, value] of Object.entries(row)) assert.is(value, stats[name], `${date} ${name}`);
  }
  const many = await get('from=2020-01-01&interval=hour', `/api/ext/sites/${shop.uuid}/series`);
  assert.equal([many.status, many.body], [400, { error: 'too many buckets', parameter: 'interval' }]);
});

test('the answers of a page may hold tables and series', async () => {
  const asks = ['ext/table?range=7d&limit=1', 'ext/series?range=today', 'ext/visits?range=7d'];
  const query = asks.map(ask => `ask=${encodeURIComponent(ask)}`).join('&');
  const { text } = await api.get(`/api/ext/sites/${shop.uuid}/answers?${query}`, { key });
  const lines = text
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line))
    .sort((a, b) => a.ask - b.ask);
  assert.equal(
    lines.map(({ status }) => status),
    [200, 200, 200],
  );
  assert.is(lines[0].body.data.length, 1);
  assert.is(lines[1].body.interval, 'hour');
  assert.ok(lines[2].body.data.length > 1);
});

test.after(() => api.close());
test.run();
