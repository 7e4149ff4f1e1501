/** Every surface tells the same of the same slice, and what it tells is what a naive recount finds. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { answerOf } from '../../src/api/endpoint.ts';
import type { Span } from '../../src/api/request/window.ts';
import { type DimensionName, dimensionNames, exportSections } from '../../src/model/dimensions.ts';
import { filterName, filterParameter } from '../../src/model/filters.ts';
import { delta, type MetricName, metricNames, metrics, rounded } from '../../src/model/metrics.ts';
import { dayMs, hourMs } from '../../src/model/time.ts';
import { type AnswerOf, type FieldFilter, funnelScopes, type Question } from '../../src/query/query.ts';
import { headline, headlineOf, topRowsOf, topValues } from '../../src/query/usual-questions.ts';
import { sites } from '../../src/store/sites.ts';
import { naiveReport } from '../naive.ts';
import { days, firstDay, randomFilter, randomFrom, randomSite, storeSite } from '../query/random-site.ts';
import { repeat } from '../repeat.ts';
import { startApi } from './fixture.ts';

const api = await startApi();
// Noon of the last day, which is open, as is the one before it.
const now = (firstDay + days - 1) * dayMs + 12 * hourMs;
api.setNow(now);

/** A slice as parameters, and as the recount wants it. */
interface Asked extends Span {
  parameters: [string, string][];
  filters: FieldFilter[];
  previous: Span;
  bucketMs: number;
}

/** How much a zone's wall clock is ahead of UTC on these days. */
const zones = { UTC: 0, 'Asia/Kathmandu': 5.75 * hourMs, 'America/St_Johns': -2.5 * hourMs };

const date = (day: number): string => new Date(day * dayMs).toISOString().slice(0, 10);
const back = ({ from, to }: Span, days: number): Span => ({ from: from - days * dayMs, to: to - days * dayMs });
const periodsAt = (ahead: number): Pick<Asked, 'parameters' | 'from' | 'to' | 'previous' | 'bucketMs'>[] => {
  const today = { from: (firstDay + days - 1) * dayMs - ahead, to: now + 1 };
  const week = { ...today, from: today.from - 6 * dayMs };
  const two = { from: firstDay * dayMs - ahead, to: (firstDay + 2) * dayMs - ahead };
  const dates: [string, string][] = [
    ['from', date(firstDay)],
    ['to', date(firstDay + 1)],
  ];
  return [
    { parameters: [['range', 'today']], ...today, previous: back(today, 1), bucketMs: hourMs },
    { parameters: [['range', '7d']], ...week, previous: back(week, 7), bucketMs: dayMs },
    { parameters: dates, ...two, previous: back(two, 2), bucketMs: hourMs },
  ];
};

const randomAsked = (seed: number, ahead: number): Asked => {
  const random = randomFrom(seed);
  const period = random.pick(periodsAt(ahead));
  const wanted = Array.from({ length: random.below(3) }, () => randomFilter(random));
  // The same name twice is one filter, which the recount would have to be told.
  const filters = wanted.filter(
    (filter, i) => wanted.findIndex(other => filterName(other) === filterName(filter)) === i,
  );
  const named = filters.flatMap(filter => filter.values.map(value => filterParameter(filter, value)));
  return { ...period, parameters: [...period.parameters, ...named], filters };
};

type Headline = ReturnType<typeof headlineOf>;

const cases = 16 * repeat;

for (const [i, [timezone, ahead]] of Object.entries(zones).entries()) {
  const seed = i + 1;
  const random = randomFrom(seed);
  const hits = randomSite(random);
  const siteId = storeSite(api.db, hits, firstDay + days - 2, timezone);
  const { uuid } = sites(api.db)
    .list()
    .find(site => site.id === siteId)!;
  const get = async (path: string, parameters: [string, string][], more: Record<string, string> = {}) => {
    const query = new URLSearchParams([...parameters, ...Object.entries(more)]);
    const got = await api.get(`${path.replace(':id', uuid)}?${query}`);
    assert.is(got.status, 200, `${query} ${got.text}`);
    return got;
  };
  const json = async (path: string, parameters: [string, string][], more?: Record<string, string>) =>
    (await get(path, parameters, more)).body;

  test(`${timezone}: stats and breakdowns equal a recount`, async () => {
    for (let i = 0; i < cases; i++) {
      const { parameters, filters, from, to, previous, bucketMs } = randomAsked(seed * 1000 + i, ahead);
      const dimension = dimensionNames[(cases * (seed - 1) + i) % dimensionNames.length]!;
      const questions: Question[] = [headline, topValues(dimension, 500)];
      const bounds = Array.from({ length: Math.ceil((to - from) / bucketMs) }, (_, i) => from + i * bucketMs);
      questions.push({ kind: 'metricSeries', metrics: ['visitors', 'pageviews', 'visits'], bounds: [...bounds, to] });
      const slices = [
        { from, to, filters, questions },
        { ...previous, filters, questions: questions.slice(0, 1) },
      ];
      const [answers, earlier] = naiveReport(hits, { siteId, currency: 'EUR', minorRates: {}, slices });
      const [now, table, series] = answers as [AnswerOf<'metricSeries'>, AnswerOf<'table'>, AnswerOf<'metricSeries'>];
      const [totals, before] = [now, answerOf(earlier, 'metricSeries')].map(headlineOf) as [Headline, Headline];
      const stats = await json('/api/v1/sites/:id/stats', parameters);
      for (const name of metricNames) {
        const [value, valueBefore] = [totals[name]!, before[name]!];
        assert.is(stats[name], rounded(value), `${parameters} ${name}`);
        assert.is(stats.previous[name], rounded(valueBefore), `before ${parameters} ${name}`);
        assert.is(stats.delta[name], delta(value, valueBefore), `change ${parameters} ${name}`);
      }
      assert.equal(stats.otherRevenue ?? {}, now.rows[0]!.otherRevenue, String(parameters));
      const { data } = await json('/api/v1/sites/:id/breakdown', parameters, { dimension, limit: '500' });
      assert.equal(data, topRowsOf(table), `${parameters} ${dimension}`);
      const { data: points } = await json('/api/v1/sites/:id/series', parameters);
      assert.equal(
        points.map((point: { Visitors: number; Visits: number }) => [point.Visitors, point.Visits]),
        series.rows.map(({ values: [visitors, , visits] }) => [visitors, visits]),
        String(parameters),
      );
    }
  });

  test(`${timezone}: funnels and journeys equal a recount`, async () => {
    for (let i = 0; i < cases; i++) {
      const { parameters, filters, from, to } = randomAsked(seed * 1000 + i, ahead);
      const scope = funnelScopes[i % funnelScopes.length]!;
      const steps = [[on('path', '/')], [on('event', 'Signup')]];
      const limit = 5;
      const funnel: Question = { kind: 'funnel', steps, scope };
      const journey: Question = {
        ...{ kind: 'journey', direction: 'after', anchor: steps[0]!, via: [], show: 'pages', folder: 0, limit },
      };
      const slices = [{ from, to, filters, questions: [funnel, journey] }];
      const [answers] = naiveReport(hits, { siteId, currency: 'EUR', minorRates: {}, slices });
      const about = String(parameters);

      const asked: [string, string][] = [...parameters, ['step', 'path=/'], ['step', 'event=Signup']];
      const got = await json('/api/ext/sites/:id/funnel', asked, { scope });
      const column = (name: string): number[] => got.data.map((row: Record<string, number>) => row[name]);
      const { visits, visitors } = answerOf(answers, 'funnel');
      assert.equal([got.visits, ...column('visits')], visits, about);
      assert.equal([got.visitors, ...column('visitors')], visitors, about);

      const { levels } = await json('/api/ext/sites/:id/journey', parameters, { anchor: 'path=/', limit: `${limit}` });
      const want = answerOf(answers, 'journey').levels.map(({ rows, ...level }) => ({
        ...level,
        data: rows.map(({ step: { name }, visits, visitors }) => ({ name, visits, visitors })),
      }));
      const shown = levels.map(({ data, ...level }: { data: Record<string, unknown>[] }) => ({
        ...level,
        data: data.map(({ name, visits, visitors }) => ({ name, visits, visitors })),
      }));
      assert.equal(shown, want, about);
    }
  });

  test(`${timezone}: stats, series, events and visits agree`, async () => {
    for (let i = 0; i < cases; i++) {
      const { parameters, from, to } = randomAsked(seed * 1000 + i, ahead);
      const about = String(parameters);
      const stats = await json('/api/v1/sites/:id/stats', parameters);
      const { data: points } = await json('/api/v1/sites/:id/series', parameters);
      assert.is(sum(points.map((point: { Pageviews: number }) => point.Pageviews)), stats.pageviews, about);
      const { data: events } = await json('/api/v1/sites/:id/events', parameters);
      assert.is(sum(events.map((row: { events: number }) => row.events)), stats.events, about);

      const { data: visits, next } = await json('/api/ext/sites/:id/visits', parameters, { limit: '500' });
      assert.is(next, null);
      assert.is(visits.length, stats.visits, about);
      assert.is(visits.filter((visit: { bounce: boolean }) => visit.bounce).length, stats.bounces, about);
      assert.is(new Set(visits.map((visit: { visitor: string }) => visit.visitor)).size, stats.visitors, about);
      for (const { started, ended } of visits) {
        assert.ok(Date.parse(started) < to && Date.parse(ended) >= from, about);
      }
    }
  });

  test(`${timezone}: the CSV has the same numbers as the API`, async () => {
    for (let i = 0; i < cases; i += 4) {
      const { parameters } = randomAsked(seed * 1000 + i, ahead);
      const about = String(parameters);
      const rows = (await get('/api/export/:id', parameters, { raw: '1' })).text.split('\n').slice(3, -1);
      const section = (name: string): string[] =>
        rows.filter(row => row.startsWith(`${name},`)).map(row => row.slice(name.length + 1));
      const stats = await json('/api/v1/sites/:id/stats', parameters);
      const shown: MetricName[] = metricNames.filter(name => name !== 'events' && name !== 'revenue');
      assert.equal(section('Summary'), [
        ...shown.map(name => `${metrics[name].label},${stats[name]}`),
        `Revenue EUR,${(stats.revenue / 100).toFixed(2)}`,
      ]);
      const { data: points } = await json('/api/v1/sites/:id/series', parameters);
      const line = (name: string) => (point: Record<string, unknown>) => `${point.date},${point[name]}`;
      assert.equal(section('Series'), points.map(line('Visitors')), about);
      assert.equal(section('Series pageviews'), points.map(line('Pageviews')), about);
      for (const dimension of exportSections) {
        const { data } = await json('/api/v1/sites/:id/breakdown', parameters, { dimension, limit: '500' });
        const want = data.map(({ name, value }: { name: string; value: number }) => `${name},${value}`);
        assert.equal(section(sectionNames[dimension]!), want, `${about} ${dimension}`);
      }
      const sessions = (await get('/api/export/:id', parameters, { mode: 'sessions' })).text.split('\n').slice(1, -1);
      const { data: visits } = await json('/api/ext/sites/:id/visits', parameters, { limit: '500' });
      assert.equal(
        sessions.map(row => row.slice(row.lastIndexOf(',') + 1)),
        visits.map((visit: { id: string }) => visit.id),
        about,
      );
    }
  });

  test(`${timezone}: filtering by a row gives that row’s numbers`, async () => {
    const parameters: [string, string][] = [['range', '7d']];
    for (const dimension of dimensionNames) {
      const { data } = await json('/api/v1/sites/:id/breakdown', parameters, { dimension, limit: '500' });
      assert.ok(data.length > 0 || dimension.startsWith('utm'), dimension);
      for (const row of data) {
        const drilled: [string, string][] = [...parameters, [dimension, row.name]];
        assert.equal((await json('/api/v1/sites/:id/breakdown', drilled, { dimension })).data, [row], dimension);
        // The dimension leaves revenue events out, its filter does not.
        if (dimension === 'event') continue;
        assert.is((await json('/api/v1/sites/:id/stats', drilled)).visitors, row.value, `${dimension} ${row.name}`);
      }
    }
  });

  test(`${timezone}: a filter and its negation together cover every hit once`, async () => {
    const parameters: [string, string][] = [['range', '7d']];
    const all = await json('/api/v1/sites/:id/stats', parameters);
    for (const field of [...dimensionNames, 'propKey', 'propValue']) {
      for (const operator of ['', '*']) {
        const value = field === 'path' ? '/' : 'pro';
        const having = await json('/api/v1/sites/:id/stats', [...parameters, [`${field}${operator}`, value]]);
        const not = await json('/api/v1/sites/:id/stats', [...parameters, [`${field}!${operator}`, value]]);
        for (const name of ['pageviews', 'events', 'revenue']) {
          assert.is(having[name] + not[name], all[name], `${field}${operator} ${name}`);
        }
      }
    }
  });
}

const on = (field: 'path' | 'event', value: string): FieldFilter => ({
  ...{ field, operator: 'is', negated: false, values: [value] },
});

const sum = (values: number[]): number => values.reduce((total, value) => total + value, 0);

const sectionNames: Partial<Record<DimensionName, string>> = {
  path: 'Page',
  entryPath: 'Entry page',
  exitPath: 'Exit page',
  referrer: 'Referrer',
  utmSource: 'UTM source',
  utmMedium: 'UTM medium',
  utmCampaign: 'Campaign',
  country: 'Country',
  region: 'Region',
  city: 'City',
  language: 'Language',
  browser: 'Browser',
  os: 'OS',
  device: 'Device',
  screen: 'Screen',
  event: 'Event',
};

test.after(() => api.close());
test.run();
