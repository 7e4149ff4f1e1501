/** What clients of other products are told of imported days: null stands for what these do not tell. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { runCommand } from '../cli/helpers.ts';
import { countsOfPages } from '../import/importing.ts';
import { zipOf } from '../import/zip-file.ts';
import { startProgram } from './fixture.ts';

const program = await startProgram();
test.after(() => program.close());
const { dataDir, ask } = program;
await runCommand(dataDir, ['site', 'add', 'goat.example']);
const file = join(dataDir, 'g.zip');
writeFileSync(file, zipOf(countsOfPages));
await runCommand(dataDir, ['import', file, '--site', 'goat.example']);

test('Umami: stats, series and pages', async () => {
  const window = `startAt=${Date.UTC(2026, 10, 1)}&endAt=${Date.UTC(2026, 10, 4) - 1}`;
  const stats = (await ask(`/api/websites/goat.example/stats?${window}`)).body;
  const { pageviews, visitors, visits, bounces, totaltime } = stats;
  assert.equal([pageviews, visitors, visits, bounces, totaltime], [7, null, null, null, null]);
  const series = (await ask(`/api/websites/goat.example/pageviews?${window}&unit=day&timezone=UTC`)).body;
  const values = (points: { y: number | null }[]) => points.map(({ y }) => y);
  assert.equal(
    [values(series.pageviews), values(series.sessions)],
    [
      [4, 3],
      [null, null],
    ],
  );
  const pages = (await ask(`/api/websites/goat.example/metrics/expanded?type=path&${window}`)).body;
  assert.equal(
    pages.map((row: Record<string, unknown>) => [row.name, row.visitors, row.pageviews, row.visits, row.totaltime]),
    [
      ['/', 4, 4, null, null],
      ['/a', 3, 3, null, null],
    ],
  );
});

test('Plausible: totals and rows', async () => {
  const window = 'site_id=goat.example&period=custom&date=2026-11-01,2026-11-03';
  const metrics = 'visitors,pageviews,bounce_rate,events';
  const totals = (await ask(`/api/v1/stats/aggregate?${window}&metrics=${metrics}`)).body;
  const values = Object.entries(totals.results as Record<string, { value: unknown }>).map(([name, { value }]) => [
    name,
    value,
  ]);
  assert.equal(Object.fromEntries(values), { visitors: null, pageviews: 7, bounce_rate: null, events: 7 });
  const body = {
    ...{ site_id: 'goat.example', metrics: ['visitors', 'percentage', 'pageviews'], dimensions: ['event:page'] },
    date_range: ['2026-11-01', '2026-11-03'],
  };
  const { results } = (await ask('/api/v2/query', { body })).body;
  assert.equal(results, [
    { dimensions: ['/'], metrics: [4, null, 4] },
    { dimensions: ['/a'], metrics: [3, null, 3] },
  ]);
});

test.run();
