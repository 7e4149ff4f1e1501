/** Rollups as the dashboard makes, changes and removes them. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { rollupSitesMax } from '../../src/model/limits.ts';
import { berlin, makePublic, startDashboard } from './helpers.ts';

test('somebody reads several of their sites as one', async () => {
  const dashboard = await startDashboard();
  const { browser } = await dashboard.signedIn();
  const add = async (domain: string) => (await browser.post('/app/sites', { domain, ...berlin })).json.id as string;
  const [a, b] = [await add('a.example'), await add('b.example')];
  const made = await browser.post('/app/rollups', { name: ' Both ', sites: [a, b, a] });
  assert.is(made.status, 200);
  const { id, domain, members, timezone } = made.json;
  assert.equal([domain, members, timezone], ['Both', [a, b], berlin.timezone]);
  assert.equal(
    (await browser.get('/app/me')).json.sites.map((site: { domain: string }) => site.domain),
    ['Both', 'a.example', 'b.example'],
  );
  assert.is((await browser.get(`/api/v1/sites/${id}/stats?range=7d`)).json.visitors, 0);
  assert.is((await browser.get('/sites/Both')).status, 200);

  const changed = await browser.post(`/app/rollups/${id}`, { name: 'One & only', sites: [b] });
  assert.equal([changed.json.domain, changed.json.members], ['One & only', [b]]);
  assert.is((await browser.post(`/app/sites/${id}`, { currency: 'usd' })).json.currency, 'USD');
  const { url } = await makePublic(browser, id);
  assert.is((await dashboard.browser().get(new URL(url).pathname)).status, 200);

  const refused = async (path: string, body: object, want: [number, string | undefined]) => {
    const { status, json } = await browser.post(path, body);
    assert.equal([status, json.field], want, path);
  };
  await refused('/app/rollups', { name: 'a/b', sites: [a] }, [400, 'name']);
  await refused('/app/rollups', { name: 'One & only', sites: [a] }, [409, 'name']);
  await refused('/app/rollups', { name: 'None', sites: [] }, [400, 'sites']);
  await refused('/app/rollups', { name: 'None' }, [400, 'sites']);
  await refused('/app/rollups', { name: 'Nested', sites: [id] }, [400, 'sites']);
  await refused('/app/rollups', { name: 'Strange', sites: ['nobody.example'] }, [400, 'sites']);
  await refused(`/app/sites/${id}`, { aliases: ['c.example'] }, [400, undefined]);
  await refused(`/app/sites/${id}/reset`, { domain: 'One & only' }, [400, undefined]);
  await refused(`/app/sites/${id}/removals`, { search: 'path=/' }, [400, undefined]);
  await refused(`/app/rollups/${a}/remove`, {}, [404, undefined]);

  const many = [];
  for (let i = 0; i <= rollupSitesMax; i++) many.push(await add(`${i}.example`));
  await refused('/app/rollups', { name: 'Many', sites: many }, [400, 'sites']);
  await refused(`/app/rollups/${id}`, { sites: many.slice(1) }, [200, undefined]);

  assert.is((await browser.post(`/app/rollups/${id}/remove`)).status, 200);
  assert.is((await browser.get(`/api/v1/sites/${id}/stats`)).status, 404);
  assert.is((await browser.get(`/api/v1/sites/${b}/stats`)).status, 200);
  await dashboard.close();
});

test.run();
