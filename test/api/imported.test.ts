/** Answers with days that were imported as sums. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { runCommand } from '../cli/helpers.ts';
import { countsOfPages } from '../import/importing.ts';
import { zipOf } from '../import/zip-file.ts';
import { startApi } from './fixture.ts';

test('stats, series, breakdowns, comparisons and the CSV have imported days, and say so', async () => {
  const api = await startApi();
  await runCommand(api.dataDir, ['site', 'add', 'past.example', '--timezone', 'Europe/Berlin']);
  const file = join(api.dataDir, 'v.csv');
  writeFileSync(
    file,
    'date,visitors,pageviews,bounces,visits,visit_duration\n2026-11-01,10,30,4,12,600\n2026-11-02,5,6,5,5,0\n',
  );
  const hit = { at: '2026-11-03T12:00:00Z', visitor: 'a', hit: { u: 'https://past.example/' } };
  const own = join(api.dataDir, 'own.ndjson');
  writeFileSync(own, `${JSON.stringify(hit)}\n`);
  for (const path of [file, own])
    assert.is((await runCommand(api.dataDir, ['import', path, '--site', 'past.example'])).code, 0);
  const { body: list } = await api.get('/api/v1/sites');
  const { id } = (list.data ?? list.sites ?? list).find((site: { domain: string }) => site.domain === 'past.example');
  const get = async (what: string) => (await api.get(`/api/v1/sites/${id}/${what}`)).body;
  const stats = await get('stats?from=2026-11-01&to=2026-11-03');
  assert.equal(
    [stats.visitors, stats.pageviews, stats.visits, stats.bounceRate, stats.avgVisitSeconds, stats.imported],
    [16, 37, 18, 55.56, 33.33, 'all'],
  );
  const compared = await get('stats?from=2026-11-03&to=2026-11-03');
  assert.equal([compared.visitors, compared.previous.visitors, compared.imported], [1, 5, 'all']);
  assert.is((await get('stats?from=2026-11-04&to=2026-11-04&compare=none')).imported, undefined);
  const series = await get('series?from=2026-11-01&to=2026-11-03');
  assert.equal(
    series.data.map(({ Visitors }: { Visitors: number }) => Visitors),
    [10, 5, 1],
  );
  assert.is((await get('series?from=2026-11-01&to=2026-11-01')).imported, 'partly', 'hours are not told');
  assert.is((await get('stats?range=all')).visitors, 16);
  assert.is((await get('breakdown?dimension=path&from=2026-11-01&to=2026-11-03')).imported, 'partly');
  assert.is((await get('stats?from=2026-11-01&to=2026-11-03&path=/')).visitors, 1);
  const ext = (await api.get(`/api/ext/sites/${id}/series?metrics=visitors&from=2026-11-01&to=2026-11-03`)).body;
  assert.equal(ext.data, [
    { date: '2026-11-01T00:00:00', visitors: 10, imported: true },
    { date: '2026-11-02T00:00:00', visitors: 5, imported: true },
    { date: '2026-11-03T00:00:00', visitors: 1 },
  ]);
  const csv = (await api.get(`/api/export/${id}?from=2026-11-01&to=2026-11-03`)).text;
  assert.match(csv, /^# Imported days: partly$/m);
  assert.match(csv, /^Summary,Unique visitors,16$/m);
  await api.close();
});

test('what an import does not tell is null everywhere, and what it tells is told', async () => {
  const api = await startApi();
  const run = (...args: string[]) => runCommand(api.dataDir, args);
  await run('site', 'add', 'goat.example');
  const file = join(api.dataDir, 'g.zip');
  writeFileSync(file, zipOf(countsOfPages));
  const own = join(api.dataDir, 'own.ndjson');
  writeFileSync(
    own,
    `${JSON.stringify({ at: '2026-11-03T12:00:00Z', visitor: 'a', hit: { u: 'https://goat.example/' } })}\n`,
  );
  for (const path of [file, own]) assert.is((await run('import', path, '--site', 'goat.example')).code, 0);
  const { id } = (await api.get('/api/v1/sites')).body.data.find(
    (site: { domain: string }) => site.domain === 'goat.example',
  );
  const window = 'from=2026-11-01&to=2026-11-03';
  const get = async (what: string) => (await api.get(`/api/v1/sites/${id}/${what}`)).body;
  const stats = await get(`stats?${window}`);
  const { visitors, visits, bounces, bounceRate, avgVisitSeconds, viewsPerVisit } = stats;
  assert.equal([stats.pageviews, stats.events, stats.imported], [8, 0, 'partly']);
  assert.equal([visitors, visits, bounces, bounceRate, avgVisitSeconds, viewsPerVisit], Array(6).fill(null));
  const after = await get('stats?from=2026-11-03&to=2026-11-03');
  assert.equal([after.visitors, after.previous.visitors, after.previous.pageviews], [1, null, 3]);
  assert.equal([after.delta.visitors, after.delta.pageviews], [null, -66.7]);
  const points = (await get(`series?${window}`)).data;
  assert.equal(
    points.map((point: Record<string, unknown>) => [point.Visitors, point.Pageviews, point.Visits]),
    [
      [null, 4, null],
      [null, 3, null],
      [1, 1, 1],
    ],
  );
  const ext = (await api.get(`/api/ext/sites/${id}/series?metrics=visitors,pageviews,bounceRate&${window}`)).body.data;
  assert.equal(
    ext.map((point: Record<string, unknown>) => [point.visitors, point.pageviews, point.bounceRate]),
    [
      [null, 4, null],
      [null, 3, null],
      [1, 1, 100],
    ],
  );
  // A click on a page: the figures are the sums of the chart below them.
  const page = await get(`stats?${window}&path=/`);
  const ofPage = (await get(`series?${window}&path=/`)).data;
  const sum = (name: string) => ofPage.reduce((all: number, point: Record<string, number>) => all + point[name]!, 0);
  assert.equal([page.visitors, page.pageviews, page.visits], [5, 5, null]);
  assert.equal([sum('Visitors'), sum('Pageviews')], [5, 5]);
  const csv = (await api.get(`/api/export/${id}?${window}`)).text;
  for (const line of ['Summary,Unique visitors,', 'Summary,Pageviews,8', 'Summary,Bounce rate %,'])
    assert.ok(csv.split('\n').includes(line), line);
  assert.match(csv, /^Series,2026-11-01[^,]*,$/m);
  assert.match(csv, /^Series pageviews,2026-11-01[^,]*,4$/m);
  const table = (await api.get(`/api/ext/sites/${id}/table?dimension=path&metrics=visitors,bounceRate&${window}`)).body;
  assert.equal(
    table.data.map((row: Record<string, unknown>) => [row.name, row.visitors, row.bounceRate]),
    [
      ['/', 5, 100],
      ['/a', 3, null],
    ],
    'a row without own hits says nothing that the import does not',
  );
  // A rollup over both kinds of site lacks what one of them lacks.
  const rollup = (await run('rollup', 'add', 'all.example', '--site', 'goat.example', '--json')).json();
  const whole = (await api.get(`/api/v1/sites/${rollup.id}/stats?${window}`)).body;
  assert.equal([whole.pageviews, whole.visitors], [8, null]);
  await run('import', 'undo', '1');
  assert.equal((await get(`stats?${window}`)).visitors, 1);
  await api.close();
});

test.run();
