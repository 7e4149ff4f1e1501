import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { dayMs } from '../../src/model/time.ts';
import { lockRemovals } from '../../src/store/database.ts';
import { sealAll } from '../../src/store/day/seal.ts';
import { recorder } from '../../src/store/write/recorder.ts';
import { hitRecord, recordedEntry, visitRecord } from '../helpers.ts';
import { until } from '../tools/conditions.ts';
import { type Browser, berlin, startDashboard, type TestDashboard } from './helpers.ts';

/** A site with a hit on `/` and one on `/wp-login` on each of three days, of which the last is open. */
const withHits = async (dashboard: TestDashboard) => {
  const { browser } = await dashboard.signedIn();
  const { id } = (await browser.post('/app/sites', { domain: 'a.example', ...berlin })).json;
  const siteId = dashboard.directory.find(id)!.id;
  const today = Math.floor(dashboard.clock.now / dayMs);
  const record = recorder(dashboard.db);
  for (let day = today - 2; day <= today; day++) {
    const of = { siteId, day, visitId: day };
    record.write([
      recordedEntry(hitRecord({ ...of, at: day * dayMs + 1000 }), visitRecord({ siteId, day, id: day })),
      recordedEntry(hitRecord({ ...of, at: day * dayMs + 2000, path: '/wp-login' })),
    ]);
  }
  sealAll(dashboard.db, today, 0);
  const hits = async (): Promise<number> => (await browser.get(`/api/v1/sites/${id}/stats?range=all`)).json.pageviews;
  return { browser, id, hits, path: `/app/sites/${id}/removals` };
};

/** The list once nothing is under way. */
const settledList = async (browser: Browser, path: string) => {
  let list = (await browser.get(path)).json;
  await until('hits are removed or put back', async () => {
    list = (await browser.get(path)).json;
    return list.running === null;
  });
  return list;
};

test('hits are removed and put back, and everybody sees it', async () => {
  const dashboard = await startDashboard();
  const { browser, path, hits } = await withHits(dashboard);
  assert.is(await hits(), 6);
  assert.equal((await browser.get(path)).json, { data: [], running: null, failure: null });
  const begun = await browser.post(path, { search: 'path^=/wp-' });
  assert.equal([begun.status, begun.json.running.kind], [200, 'remove']);
  const list = await settledList(browser, path);
  assert.is(await hits(), 3);
  assert.equal(list, {
    data: [
      {
        id: 1,
        filters: 'path^=/wp-',
        period: 'all',
        hits: 3,
        createdAt: new Date(dashboard.clock.now).toISOString(),
        isFinished: true,
      },
    ],
    running: null,
    failure: null,
  });
  const undone = await browser.post(`${path}/1/undo`, {});
  assert.equal([undone.status, undone.json.running.kind], [200, 'undo']);
  assert.equal((await settledList(browser, path)).data, []);
  assert.is(await hits(), 6);
  assert.is((await browser.post(`${path}/1/undo`, {})).status, 404);
  await dashboard.close();
});

test('days are those of the question, and the plan’s limit holds', async () => {
  const dashboard = await startDashboard();
  const { browser, path, hits } = await withHits(dashboard);
  await browser.post(path, { search: 'path^=/wp-&from=2026-11-19&to=2026-11-19' });
  assert.equal((await settledList(browser, path)).data[0].period, '2026-11-19_2026-11-19');
  assert.is(await hits(), 5);
  // The days that a range means now.
  await browser.post(path, { search: 'path^=/wp-&range=7d' });
  const { data } = await settledList(browser, path);
  assert.equal([data[0].period, data[0].hits], ['2026-11-14_2026-11-20', 2]);
  await dashboard.close();
});

test('what cannot be removed is refused', async () => {
  const dashboard = await startDashboard();
  const { browser, path, hits } = await withHits(dashboard);
  for (const [search, error] of [
    ['', /Choose a filter first\./],
    ['range=7d', /Choose a filter first\./],
    ['pth^=/wp-', /This cannot be asked: unknown parameter\./],
    ['path=/&from=2026-13-01', /This cannot be asked: bad date\./],
  ] as const) {
    const refused = await browser.post(path, { search });
    assert.equal([refused.status, refused.json.field], [400, 'search']);
    assert.match(refused.json.error, error);
  }
  assert.is((await dashboard.browser().get(path)).status, 401);
  assert.is((await browser.post(path, { search: 'path=/' }, { origin: 'https://evil.example' })).status, 403);
  assert.is((await browser.get('/app/sites/nobody.example/removals')).status, 404);
  assert.is((await browser.post(`${path}/7/undo`, {})).status, 404);
  assert.is(await hits(), 6);
  await dashboard.close();
});

test('days are read in the thread alone, so that none keeps the server waiting', async () => {
  const dashboard = await startDashboard();
  const { browser, path } = await withHits(dashboard);
  await browser.post(path, { search: 'path^=/wp-' });
  await settledList(browser, path);
  for (const table of ['sealed_column', 'day_part']) dashboard.db.exec(`delete from ${table}`);
  // Whoever reads the open day now stumbles.
  dashboard.db.exec("update removed_hits set hits = x'00'");
  const begun = await browser.post(path, { search: 'path=/' });
  assert.is(begun.status, 200);
  assert.type((await settledList(browser, path)).failure, 'string');
  await dashboard.close();
});

test('while a command removes hits, the dashboard says so', async () => {
  const dashboard = await startDashboard();
  const { browser, path, hits } = await withHits(dashboard);
  const unlock = lockRemovals(dashboard.dataDir);
  await browser.post(path, { search: 'path^=/wp-' });
  assert.match((await settledList(browser, path)).failure, /Hits are being removed, put back or imported/);
  unlock();
  assert.is(await hits(), 6);
  await browser.post(path, { search: 'path^=/wp-' });
  assert.is((await settledList(browser, path)).failure, null);
  assert.is(await hits(), 3);
  await dashboard.close();
});

test.run();
