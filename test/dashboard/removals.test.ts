import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { dayMs } from '../../src/model/time.ts';
import { addRule } from '../../src/query/removal-rules/hits-of-rule.ts';
import { sealAll } from '../../src/store/day/seal.ts';
import { rules, rulesMax } from '../../src/store/removal-rules.ts';
import { recorder } from '../../src/store/write/recorder.ts';
import { addSite, hitRecord, recordedEntry, visitRecord } from '../helpers.ts';
import { berlin, startDashboard, type TestDashboard } from './helpers.ts';

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

test('hits are left out and come back at once, and everybody sees it', async () => {
  const dashboard = await startDashboard();
  const { browser, path, hits } = await withHits(dashboard);
  assert.is(await hits(), 6);
  assert.equal((await browser.get(path)).json, { data: [], running: null, failure: null });
  const made = await browser.post(path, { search: 'path^=/wp-', reason: ' scanners ' });
  const rule = {
    ...{ id: '1', filters: 'path^=/wp-', period: 'all', by: 'ada@example.com', reason: 'scanners' },
    createdAt: new Date(dashboard.clock.now).toISOString(),
  };
  const done = { running: null, failure: null };
  assert.equal([made.status, made.json], [200, { data: [{ ...rule, hits: null }], ...done }]);
  assert.is(await hits(), 3);
  assert.equal((await browser.get(path)).json, { data: [{ ...rule, hits: 3 }], ...done });
  const undone = await browser.post(`${path}/1/undo`, {});
  assert.equal([undone.status, undone.json], [200, { data: [], ...done }]);
  assert.is(await hits(), 6);
  assert.is((await browser.post(`${path}/1/undo`, {})).status, 404);
  await dashboard.close();
});

test('days are those of the question, and the plan’s limit holds', async () => {
  const dashboard = await startDashboard();
  const { browser, path, hits } = await withHits(dashboard);
  await browser.post(path, { search: 'path^=/wp-&from=2026-11-19&to=2026-11-19', reason: '' });
  const [first] = (await browser.get(path)).json.data;
  assert.equal([first.period, first.hits, first.reason], ['2026-11-19_2026-11-19', 1, null]);
  assert.is(await hits(), 5);
  // The days that a range means now. Each rule counts all of its hits.
  await browser.post(path, { search: 'path^=/wp-&range=7d', reason: '' });
  const { data } = (await browser.get(path)).json;
  assert.equal([data[0].period, data[0].hits], ['2026-11-14_2026-11-20', 3]);
  assert.is(await hits(), 3);
  await browser.post(`${path}/${first.id}/undo`, {});
  assert.is(await hits(), 3);
  await dashboard.close();
});

test('hits that come later stay', async () => {
  const dashboard = await startDashboard();
  const { browser, path, hits } = await withHits(dashboard);
  await browser.post(path, { search: 'path^=/wp-', reason: '' });
  const day = Math.floor(dashboard.clock.now / dayMs);
  const late = { siteId: 1, day, visitId: day, at: dashboard.clock.now + 1, path: '/wp-login' };
  recorder(dashboard.db).write([recordedEntry(hitRecord(late))]);
  dashboard.clock.now += 1000;
  assert.is(await hits(), 4);
  assert.is((await browser.get(path)).json.data[0].hits, 3);
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
    const refused = await browser.post(path, { search, reason: '' });
    assert.equal([refused.status, refused.json.field], [400, 'search']);
    assert.match(refused.json.error, error);
  }
  assert.is((await dashboard.browser().get(path)).status, 401);
  assert.is(
    (await browser.post(path, { search: 'path=/', reason: '' }, { origin: 'https://evil.example' })).status,
    403,
  );
  assert.is((await browser.get('/app/sites/nobody.example/removals')).status, 404);
  assert.is((await browser.post(`${path}/7/undo`, {})).status, 404);
  assert.is(await hits(), 6);
  await dashboard.close();
});

test('a cluster says why no rule can be made', async () => {
  const asked: number[] = [];
  let reason: string | null = '3 of these hits came to collectors on days that are not over.';
  const whyNoRule = async ({ siteId }: { siteId: number }) => {
    asked.push(siteId);
    return reason;
  };
  const dashboard = await startDashboard({ whyNoRule });
  const { browser, path, hits } = await withHits(dashboard);
  const refused = await browser.post(path, { search: 'path=/', reason: '' });
  assert.equal([refused.status, refused.json], [400, { error: reason, field: 'search' }]);
  assert.is(await hits(), 6);
  reason = null;
  assert.is((await browser.post(path, { search: 'path=/', reason: '' })).status, 200);
  assert.is(await hits(), 3);
  assert.equal(asked, [1, 1]);
  await dashboard.close();
});

test('a reason is not long, and rules are not too many', async () => {
  const dashboard = await startDashboard();
  const { browser, path } = await withHits(dashboard);
  const long = await browser.post(path, { search: 'path=/', reason: 'a'.repeat(201) });
  assert.equal([long.status, long.json.field], [400, 'reason']);
  for (let i = 0; i < rulesMax; i++)
    assert.is((await browser.post(path, { search: `path=/${i}`, reason: '' })).status, 200);
  const refused = await browser.post(path, { search: 'path=/more', reason: '' });
  assert.equal([refused.status, refused.json.field], [400, 'search']);
  assert.match(refused.json.error, /50 rules already/);
  await dashboard.close();
});

test('rules of another account’s site are not there', async () => {
  const dashboard = await startDashboard();
  const { browser, path, hits } = await withHits(dashboard);
  const other = addSite(dashboard.db, { domain: 'other.example' });
  const of = { siteId: other.id, from: 0, to: 4e12, filters: [], filtersText: '', period: 'all', madeBy: null };
  const { id } = addRule(rules(dashboard.db), { ...of, reason: null }, dashboard.clock.now);
  assert.is((await browser.post(`${path}/${id}/undo`, {})).status, 404);
  assert.is(rules(dashboard.db).ofSite(other.id).length, 1);
  assert.is(await hits(), 6);
  await dashboard.close();
});

test.run();
