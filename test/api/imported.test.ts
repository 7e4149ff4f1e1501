/** Answers with days that were imported as sums. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { runCommand } from '../cli/helpers.ts';
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

test.run();
