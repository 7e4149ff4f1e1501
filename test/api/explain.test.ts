/** What an explanation lists is what a recount of all hits finds, and nothing larger is left out. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Authenticate } from '../../src/api/auth.ts';
import { isBeyondChance } from '../../src/api/explain.ts';
import { type DimensionName, dimensionNames, levelOf } from '../../src/model/dimensions.ts';
import { publicGrant } from '../../src/model/grant.ts';
import { changedRowsMax } from '../../src/model/limits.ts';
import { newShare } from '../../src/model/share.ts';
import type { TableMetricName } from '../../src/model/table-metrics.ts';
import { dayMs, hourMs } from '../../src/model/time.ts';
import { createEngine } from '../../src/query/engine.ts';
import { alone } from '../../src/query/pace.ts';
import type { AnswerOf, FieldFilter, Slice } from '../../src/query/query.ts';
import { compareText } from '../../src/query/rows/top-rows.ts';
import { accounts } from '../../src/store/accounts/accounts.ts';
import { definitions } from '../../src/store/definitions.ts';
import { notes } from '../../src/store/notes.ts';
import { sites } from '../../src/store/sites.ts';
import { runCommand } from '../cli/helpers.ts';
import { addSite } from '../helpers.ts';
import { countsOfPages } from '../import/importing.ts';
import { zipOf } from '../import/zip-file.ts';
import { type NaiveSite, naiveReport } from '../naive.ts';
import { days, firstDay, randomFrom, randomSite, storeSite } from '../query/random-site.ts';
import { repeat } from '../repeat.ts';
import { addShop, now, record, startApi } from './fixture.ts';

const api = await startApi();
const shop = addShop(api.db);
const metrics = ['visitors', 'visits', 'pageviews', 'events', 'conversions', 'revenue'] as const;

interface Change {
  name: string;
  value: number;
  previous: number;
  change: number;
  share: number | null;
}

const recount = (site: NaiveSite, siteId: number, slice: Omit<Slice, 'questions'>, metric: TableMetricName) => {
  const tables = dimensionNames.map(dimension => ({
    ...{ kind: 'table' as const, dimension, metrics: [metric], sort: metric, descending: true },
    ...{ limit: 1e6, after: null },
  }));
  const whole = { kind: 'metricSeries' as const, metrics: [metric] };
  const query = { siteId, currency: 'EUR', minorRates: {}, slices: [{ ...slice, questions: [whole, ...tables] }] };
  const [total, ...rows] = naiveReport(site, query)[0]! as [AnswerOf<'metricSeries'>, ...AnswerOf<'table'>[]];
  return {
    total: total.rows[0]!.values[0]!,
    rowsOf: (dimension: DimensionName) =>
      new Map(rows[dimensionNames.indexOf(dimension)]!.rows.map(({ name, values: [value] }) => [name, value!])),
  };
};

const largest = (now: Map<string, number>, before: Map<string, number>, sign: number, limit: number) =>
  [...new Set([...now.keys(), ...before.keys()])]
    .map(name => ({ name, value: now.get(name) ?? 0, previous: before.get(name) ?? 0 }))
    .map(row => ({ ...row, change: row.value - row.previous }))
    .filter(({ change }) => change * sign > 0)
    .sort((a, b) => sign * (b.change - a.change) || compareText(a.name, b.name))
    .slice(0, limit);

test('random sites: every metric by every dimension', async () => {
  for (let seed = 1; seed <= 3 * repeat; seed++) {
    const random = randomFrom(seed);
    const hits = randomSite(random);
    const siteId = storeSite(api.db, hits, firstDay + days - 2, 'UTC');
    const { uuid } = sites(api.db)
      .list()
      .find(site => site.id === siteId)!;
    api.setNow((firstDay + days - 1) * dayMs + 12 * hourMs);
    const date = (day: number): string => new Date(day * dayMs).toISOString().slice(0, 10);
    const metric = metrics[seed % metrics.length]!;
    const limit = 1 + random.below(4);
    const filters: FieldFilter[] = random.chance(0.5)
      ? []
      : [{ field: 'device', operator: 'is', negated: true, values: ['mobile'] }];
    const query = `metric=${metric}&limit=${limit}&from=${date(firstDay + 2)}&to=${date(firstDay + 2)}&compare=${date(firstDay)}_${date(firstDay + 1)}${filters.length > 0 ? '&device!=mobile' : ''}&dimensions=${dimensionNames}`;
    const { status, text, body } = await api.get(`/api/ext/sites/${uuid}/explain?${query}`);
    assert.is(status, 200, text);
    const ofDays = (from: number, to: number) => ({ from: from * dayMs, to: to * dayMs, filters });
    const after = recount(hits, siteId, ofDays(firstDay + 2, firstDay + 3), metric);
    const earlier = recount(hits, siteId, ofDays(firstDay, firstDay + 2), metric);
    const inAll = after.total - earlier.total;
    assert.equal([body.value, body.previous, body.change], [after.total, earlier.total, inAll], query);
    assert.is(body.data.length, dimensionNames.length - (metric === 'pageviews' ? 1 : 0));
    for (const { dimension, overlapping, rose, fell } of body.data) {
      const [a, b] = [after.rowsOf(dimension), earlier.rowsOf(dimension)];
      for (const [sign, got] of [
        [1, rose],
        [-1, fell],
      ] as const) {
        const about = `seed ${seed}: ${metric} by ${dimension}, ${sign}`;
        const counted = got.map(({ name, value, previous, change }: Change) => ({ name, value, previous, change }));
        assert.equal(counted, largest(a, b, sign, limit), about);
        for (const { change, share } of got)
          assert.is(share, overlapping || inAll === 0 ? null : Math.round((change / inAll) * 1e4) / 100, about);
      }
      // Where rows are said to add up, they do, but for hits that have no value.
      const sum = [...a.values()].reduce((total, value) => total + value, 0);
      if (!overlapping) assert.ok(sum <= after.total, `${metric} by ${dimension}`);
      const isOfVisits = metric === 'visits' || metric === 'conversions';
      assert.is(overlapping, metric === 'visitors' || (isOfVisits && levelOf(dimension) === 'hit'), dimension);
    }
  }
  api.setNow(now);
});

test('more values than are looked at: what is listed is right, and the rest changed by less than is said', async () => {
  const site = addSite(api.db, { domain: 'many.example', timezone: 'Europe/Berlin' });
  const count = changedRowsMax + 400;
  const viewsOf = (day: string, views: (page: number) => number) => {
    const hits = Array.from({ length: count }, (_, page) =>
      Array.from({ length: views(page) }, () => ({ path: `/${page}`, after: 1 })),
    ).flat();
    record(api.db, site, [{ began: `2026-11-${day}T10:00:00Z`, by: 1, hits }]);
  };
  // Half of the pages are first in one window and last in the other.
  const before = (page: number): number => (page < 700 ? 4 : page % 3) + (page === 1399 ? 9 : 0);
  const after = (page: number): number => (page >= 700 ? 3 : page % 2) + (page === 5 ? 30 : 0);
  viewsOf('17', before);
  viewsOf('18', after);
  const query = 'metric=pageviews&dimensions=path&limit=50&from=2026-11-18&to=2026-11-18';
  const { data } = (await api.get(`/api/ext/sites/${site.uuid}/explain?${query}`)).body;
  const changes = Array.from({ length: count }, (_, page) => ({ name: `/${page}`, by: after(page) - before(page) }));
  const [{ rose, fell, unlistedMax }] = data;
  assert.equal(rose[0], {
    ...{ name: '/5', value: 31, previous: 4, change: 27, beyondChance: true },
    share: rose[0].share,
  });
  const listed = new Map([...rose, ...fell].map((row: Change) => [row.name, row.change]));
  assert.ok(listed.size > 20);
  for (const { name, by } of changes) {
    if (listed.has(name)) assert.is(listed.get(name), by, name);
    else assert.ok(Math.abs(by) <= unlistedMax, `${name} changed by ${by}, which is more than ${unlistedMax}`);
  }
  // Of a thousand rows of each day, the threads send those that matter.
  const [from, to] = [Date.parse('2026-11-16T23:00:00Z'), Date.parse('2026-11-17T23:00:00Z')];
  const spans = [
    { from: to, to: to + dayMs },
    { from, to },
  ] as const;
  const slices = spans.map((span, i): Slice => {
    const asked = {
      dimension: 'path',
      metrics: ['pageviews'],
      sort: 'pageviews',
      descending: true,
      after: null,
    } as const;
    const changes = { limit: 2, against: spans[1 - i]! };
    return {
      ...{ ...span, filters: [] },
      questions: [{ kind: 'table', ...asked, metrics: ['pageviews'], limit: changedRowsMax, changes }],
    };
  });
  const report = await createEngine(api.db, 0).answer(
    { siteId: site.id, currency: 'EUR', minorRates: {}, slices },
    alone,
  );
  const [rowsAfter] = report.map(([table]) => (table as AnswerOf<'table'>).rows.map(({ name }) => name));
  assert.ok(rowsAfter!.includes('/5') && rowsAfter!.length < changedRowsMax, `${rowsAfter!.length} rows`);
});

test('a goal’s conversions add up to those of the goal, and notes of both windows are told', async () => {
  definitions(api.db).set(shop.id, 'goal', 'Saw prices', { conditions: 'path=/pricing', value: null }, 9);
  notes(api.db).add(shop.id, 'person', '2026-11-19', 'Newsletter', 0);
  notes(api.db).add(shop.id, 'outage', '2026-11-10', 'Away for 2 h', 0);
  const get = async (query: string) => (await api.get(`/api/ext/sites/${shop.uuid}/explain?${query}`)).body;
  const body = await get('range=7d&metric=conversions&conversionGoal=Saw%20prices&dimensions=country');
  const visits = (await api.get(`/api/v1/sites/${shop.uuid}/stats?range=7d&visit:goal=Saw%20prices`)).body.visits;
  assert.is(body.value, visits);
  const [{ rose, overlapping }] = body.data;
  assert.is(overlapping, false);
  assert.is(
    rose.reduce((sum: number, { change }: Change) => sum + change, 0),
    body.change,
  );
  assert.equal(
    [body.notes, body.previousNotes].map(list => list.map(({ text }: { text: string }) => text)),
    [['Newsletter'], ['Away for 2 h']],
  );
  const unknown = await api.get(`/api/ext/sites/${shop.uuid}/explain?conversionGoal=Nobody`);
  assert.equal([unknown.status, unknown.body.error], [400, 'unknown goal']);
});

test('all time has nothing before it, and a rate is not explained', async () => {
  const path = `/api/ext/sites/${shop.uuid}/explain`;
  const { value, previous, change, data } = (await api.get(`${path}?range=all`)).body;
  assert.ok(value > 0);
  assert.equal([previous, change, data], [null, null, []]);
  const rate = await api.get(`${path}?metric=bounceRate`);
  assert.equal([rate.status, rate.body.error, rate.body.allowed], [400, 'unknown metric', [...metrics]]);
  assert.equal((await api.get(`${path}?dimensions=speed`)).body.error, 'unknown dimension');
});

test('what an import does not tell is no change', async () => {
  const run = (...args: string[]) => runCommand(api.dataDir, args);
  await run('site', 'add', 'goat.example');
  const file = join(api.dataDir, 'goat.zip');
  writeFileSync(file, zipOf(countsOfPages));
  assert.is((await run('import', file, '--site', 'goat.example')).code, 0);
  const { id } = (await api.get('/api/v1/sites')).body.data.find(
    (site: { domain: string }) => site.domain === 'goat.example',
  );
  const { body } = await api.get(
    `/api/ext/sites/${id}/explain?metric=pageviews&from=2026-11-03&compare=2026-10-01_2026-11-02`,
  );
  assert.is(body.imported, 'partly');
  assert.ok(body.previous > 0);
  assert.equal(
    body.data.map(({ dimension }: { dimension: string }) => dimension),
    ['referrer', 'path'],
  );
});

test('a public page explains what it shows', async () => {
  const byShare: Authenticate = () => {
    const account = accounts(open.db).byId(1);
    return account && { account, grants: [publicGrant(account, site, newShare)], byKey: false };
  };
  const open = await startApi({ authenticators: [byShare] });
  const site = addShop(open.db);
  const get = (query: string) => open.get(`/api/ext/sites/${site.uuid}/explain?${query}`, { key: null });
  const { body } = await get('range=7d');
  assert.ok(body.data.length > 5);
  assert.ok(body.data.every(({ dimension }: { dimension: string }) => dimension !== 'event'));
  for (const query of ['metric=revenue', 'dimensions=query,path']) assert.is((await get(query)).status, 403, query);
  await open.close();
});

test('chance: Poisson counts at one rate are told apart once in a thousand times, at any length of the windows', () => {
  const random = randomFrom(1);
  const arrivals = (mean: number): number => {
    let count = 0;
    for (let i = 0; i < mean * 100; i++) if (random.below(100) === 0) count++;
    return count;
  };
  for (const [mean, scale] of [
    [200, 1],
    [60, 3],
    [300, 0.25],
  ] as const) {
    const told = Array.from({ length: 400 }, () =>
      isBeyondChance('visits', arrivals(mean), arrivals(mean / scale), scale),
    ).filter(Boolean).length;
    assert.ok(told <= 4, `${told} of 400 at ${mean}`);
    assert.is(isBeyondChance('visits', mean * 2, mean / scale, scale), true);
  }
  assert.is(isBeyondChance('visits', 0, 0, 1), false);
  assert.is(isBeyondChance('revenue', 1e6, 0, 1), null);
});

test.after(() => api.close());
test.run();
