import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { importFiles } from '../../src/import/import-files.ts';
import { openInputs } from '../../src/import/inputs.ts';
import { lockImports } from '../../src/store/database.ts';
import { imports } from '../../src/store/imports/imports.ts';
import { runSteps } from '../../src/store/run-steps.ts';
import { until } from '../tools/conditions.ts';
import { type Browser, berlin, startDashboard, type TestDashboard } from './helpers.ts';

const octets = { 'content-type': 'application/octet-stream' };

/** A site with an import of two hits on two days. */
const withImport = async (dashboard: TestDashboard) => {
  const { browser } = await dashboard.signedIn();
  const { db, dataDir, directory } = dashboard;
  const { id } = (await browser.post('/app/sites', { domain: 'a.example', ...berlin })).json;
  const lines = ['2026-10-01', '2026-10-02'].map(day =>
    JSON.stringify({ at: `${day}T12:00:00.000Z`, visitor: 'ada', hit: { u: 'https://a.example/' } }),
  );
  const file = join(dataDir, 'past.ndjson');
  writeFileSync(file, lines.join('\n'));
  const inputs = await openInputs({
    ...{ files: [file], stdin: Readable.from([]), dataDir, signal: new AbortController().signal },
  });
  await importFiles({
    ...{
      db,
      site: directory.find(id)!,
      inputs,
      format: undefined,
      dryRun: false,
      geo: { geoDb: null, geoAsnDb: null },
    },
    ...{ log: () => {}, random: randomBytes, now: () => dashboard.clock.now, check: () => {}, runSteps },
  });
  inputs.close();
  const pageviews = async (): Promise<number> =>
    (await browser.get(`/api/v1/sites/${id}/stats?range=all`)).json.pageviews;
  return { browser, pageviews, path: `/app/sites/${id}/imports` };
};

/** The list once nothing is under way. */
const settledList = async (browser: Browser, path: string) => {
  let list = (await browser.get(path)).json;
  await until('an import is taken back', async () => {
    list = (await browser.get(path)).json;
    return list.running === null;
  });
  return list;
};

test('imports are listed with their totals, and taken back', async () => {
  const dashboard = await startDashboard();
  const { browser, path, pageviews } = await withImport(dashboard);
  assert.is(await pageviews(), 2);
  const { data, running, failure, formats } = (await browser.get(path)).json;
  const labels = formats.map(({ title, kind }: { title: string; kind: string }) => `${title} ${kind}`);
  assert.is(new Set(labels).size, labels.length, 'no two formats read alike in the list');
  const [{ id, source, ...listed }] = data;
  assert.equal([data.length, running, failure, source.pageviews], [1, null, null, 2]);
  assert.equal(listed, {
    format: 'ndjson',
    lines: 2,
    counted: { visitors: 2, visits: 2, pageviews: 2, events: 0 },
    file: 'past.ndjson',
    days: { first: '2026-10-01', last: '2026-10-02' },
    createdAt: new Date(dashboard.clock.now).toISOString(),
    isFinished: true,
  });
  const begun = await browser.post(`${path}/${id}/undo`, {});
  assert.equal([begun.status, typeof begun.json.running.done], [200, 'number']);
  const after = await settledList(browser, path);
  assert.equal([after.data, after.failure, after.report], [[], null, null]);
  assert.is(await pageviews(), 0);
  assert.is((await browser.post(`${path}/${id}/undo`, {})).status, 404);
  await dashboard.close();
});

test('strangers, other sites and foreign pages take nothing back', async () => {
  const dashboard = await startDashboard();
  const { browser, path, pageviews } = await withImport(dashboard);
  const [{ id }] = imports(dashboard.db).list() as unknown as [{ id: number }];
  const other = (await browser.post('/app/sites', { domain: 'b.example', ...berlin })).json.id;
  assert.is((await dashboard.browser().get(path)).status, 401);
  assert.is((await dashboard.browser().post(`${path}/${id}/undo`, {})).status, 401);
  assert.is((await browser.post(`${path}/${id}/undo`, {}, { origin: 'https://evil.example' })).status, 403);
  assert.is((await browser.post(`/app/sites/${other}/imports/${id}/undo`, {})).status, 404);
  assert.is((await browser.get('/app/sites/nobody.example/imports')).status, 404);
  assert.is(await pageviews(), 2);
  await dashboard.close();
});

test('while a command works on hits, nothing is taken back, and the dashboard says so', async () => {
  const dashboard = await startDashboard();
  const { browser, path, pageviews } = await withImport(dashboard);
  const [{ id }] = imports(dashboard.db).list() as unknown as [{ id: number }];
  const unlock = lockImports(dashboard.dataDir);
  await browser.post(`${path}/${id}/undo`, {});
  assert.match((await settledList(browser, path)).failure, /Hits are being imported or put back/);
  unlock();
  assert.is(await pageviews(), 2);
  await dashboard.close();
});

/** Sends a text as a file, in pieces. */
const upload = async (browser: Browser, site: string, name: string, text: string): Promise<string> => {
  const begun = await browser.post(`${site}/uploads`, { name, size: String(text.length) });
  assert.is(begun.status, 200, begun.text);
  const { id } = begun.json;
  const half = Math.ceil(text.length / 2);
  await browser.post(`${site}/uploads/${id}/0`, text.slice(0, half), octets);
  // A piece that is sent again, because its answer was lost, changes nothing.
  await browser.post(`${site}/uploads/${id}/0`, text.slice(0, half), octets);
  const { json } = await browser.post(`${site}/uploads/${id}/${half}`, text.slice(half), octets);
  assert.is(json.received, text.length);
  return id;
};

const linesOf = (paths: readonly string[]): string =>
  paths
    .map((path, i) => {
      const at = `2026-10-0${1 + (i % 9)}T12:00:00.000Z`;
      return `${JSON.stringify({ at, visitor: `v${i}`, hit: { u: `https://a.example${path}` } })}\n`;
    })
    .join('');

test('uploaded files are tried, imported and taken back', async () => {
  const dashboard = await startDashboard();
  const { browser, path, pageviews } = await withImport(dashboard);
  const site = path.replace(/\/imports$/, '');
  const uploads = [await upload(browser, site, 'more.ndjson', linesOf(['/', '/a', '/b']))];
  const start = (dryRun: boolean) => browser.post(path, { uploads, format: '', known: '', dryRun });
  const begun = await start(true);
  assert.equal([begun.status, begun.json.running.kind], [200, 'try']);
  const tried = await settledList(browser, path);
  assert.equal([tried.report.id, tried.report.lines, tried.report.counted.pageviews], [null, 3, 3]);
  assert.equal([tried.report.outcomes, tried.data.length, tried.failure], [{ recorded: 3 }, 1, null]);
  assert.is(await pageviews(), 2);
  await start(false);
  const done = await settledList(browser, path);
  assert.equal(
    done.data.map(({ file }: { file: string }) => file),
    ['more.ndjson', 'past.ndjson'],
  );
  assert.is(await pageviews(), 5);
  assert.is((await start(false)).status, 404, 'what is imported waits no more');
  await browser.post(`${path}/${done.data[0].id}/undo`, {});
  await settledList(browser, path);
  assert.is(await pageviews(), 2);
  await dashboard.close();
});

test('rows that are here already are told in the try, end an import, and are left out or imported as somebody chose', async () => {
  const dashboard = await startDashboard();
  const { browser, path, pageviews } = await withImport(dashboard);
  const site = path.replace(/\/imports$/, '');
  const text = ['2026-10-02', '2026-10-03']
    .map(day => `${JSON.stringify({ at: `${day}T12:00:00.000Z`, visitor: 'ada', hit: { u: 'https://a.example/' } })}\n`)
    .join('');
  const uploads = [await upload(browser, site, 'later.ndjson', text)];
  const run = async (known: string, dryRun: boolean) => {
    await browser.post(path, { uploads, format: '', known, dryRun });
    return settledList(browser, path);
  };
  const here = [{ import: 1, rows: 1, first: '2026-10-02', last: '2026-10-02' }];
  const tried = await run('', true);
  assert.equal([tried.failure, tried.report.known, tried.report.counted.pageviews], [null, here, 1]);
  const refused = await run('', false);
  assert.match(
    refused.failure,
    /1 row is here already by import 1 .* Nothing is imported\. Choose what becomes of them\.$/,
  );
  assert.equal([refused.report, await pageviews()], [null, 2]);
  assert.is((await browser.post(path, { uploads, format: '', known: 'x', dryRun: false })).status, 400);
  const done = await run('leave-out', false);
  assert.equal([done.failure, done.report.known, await pageviews()], [null, here, 3]);
  await dashboard.close();
});

test('a wrong file is named with its line, and leaves the site as it was', async () => {
  const dashboard = await startDashboard();
  const { browser, path, pageviews } = await withImport(dashboard);
  const site = path.replace(/\/imports$/, '');
  const text =
    'date,visitors,pageviews,bounces,visits,visit_duration\n2026-09-01,10,30,4,12,600\nyesterday,1,1,1,1,1\n';
  const uploads = [await upload(browser, site, 'imported_visitors.csv', text)];
  await browser.post(path, { uploads, format: '', known: '', dryRun: false });
  const { failure, report, data } = await settledList(browser, path);
  assert.is(failure, 'imported_visitors.csv, line 3, column 1 (date): "yesterday" is not a date. Nothing is imported.');
  assert.equal([report, data.length, await pageviews()], [null, 1, 2]);
  await dashboard.close();
});

test('an import is stopped, and leaves nothing', async () => {
  const dashboard = await startDashboard();
  const { browser, path, pageviews } = await withImport(dashboard);
  const lines = linesOf(Array.from({ length: 5000 }, (_, i) => `/${i}`));
  const uploads = [await upload(browser, path.replace(/\/imports$/, ''), 'more.ndjson', lines)];
  await browser.post(path, { uploads, format: '', known: '', dryRun: false });
  await browser.post(`${path}/stop`, {});
  const { failure, report } = await settledList(browser, path);
  assert.equal([failure, report, await pageviews()], [null, null, 2]);
  const events = dashboard.logged.map(([event]) => event);
  assert.equal([events.includes('work-stopped'), events.includes('import-done')], [true, false]);
  await dashboard.close();
});

test('uploads have bounds, and belong to their site', async () => {
  const dashboard = await startDashboard();
  const { browser, path } = await withImport(dashboard);
  const site = path.replace(/\/imports$/, '');
  const statusOf = async (size: string, of = browser) => (await of.post(`${site}/uploads`, { name: 'x', size })).status;
  assert.equal([await statusOf('4000001'), await statusOf('-1'), await statusOf('1e3')], [413, 400, 400]);
  assert.is(await statusOf('5', dashboard.browser()), 401);
  const { id } = (await browser.post(`${site}/uploads`, { name: 'x', size: '5' })).json;
  const add = async (to: string, at: number, text: string, headers: object = octets) =>
    browser.post(`${to}/uploads/${id}/${at}`, text, headers as Record<string, string>);
  assert.is((await add(site, 0, '123456')).status, 413, 'more than was said');
  assert.is((await add(site, 0, 'x'.repeat(1024 * 1024 + 1))).status, 413);
  assert.is((await add(site, 3, '45')).json.received, 0, 'what is before it is missing');
  assert.is((await add(site, 0, '123', {})).status, 415, 'a form of another page cannot send it');
  assert.is((await add(site, 0, '123', { ...octets, origin: 'https://evil.example' })).status, 403);
  const other = (await browser.post('/app/sites', { domain: 'b.example', ...berlin })).json.id;
  assert.is((await add(`/app/sites/${other}`, 0, '123')).status, 404);
  await add(site, 0, '123');
  assert.is(
    (await browser.post(path, { uploads: [id], format: '', known: '', dryRun: true })).status,
    404,
    'it is not whole',
  );
  assert.is((await browser.post(path, { uploads: [], format: '', known: '', dryRun: true })).status, 404);
  assert.is((await browser.post(path, { uploads: [id], format: 'word', dryRun: true })).status, 400);
  // Nobody came back to it.
  dashboard.clock.now += 3_600_001;
  await browser.post(`${site}/uploads`, { name: 'y', size: '1' });
  assert.is((await add(site, 3, '45')).status, 404);
  await dashboard.close();
});

test.run();
