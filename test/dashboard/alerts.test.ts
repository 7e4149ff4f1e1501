import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { hourMs } from '../../src/model/time.ts';
import { alerts } from '../../src/store/alerts/alerts.ts';
import { openDatabase } from '../../src/store/database.ts';
import { sites } from '../../src/store/sites.ts';
import { berlin, makePublic, startDashboard } from './helpers.ts';

test('whoever has the link in a message mutes its alert by a button, and no look at it does', async () => {
  const dashboard = await startDashboard();
  const { browser } = await dashboard.signedIn();
  const { id } = (await browser.post('/app/sites', { domain: 'a.example', ...berlin })).json;
  const db = openDatabase(dashboard.dataDir);
  const siteId = sites(db)
    .list()
    .find(({ uuid }) => uuid === id)!.id;
  const store = alerts(db);
  store.add({
    ...{ siteId, name: 'Silent', rule: { kind: 'silent', params: { hours: 24 } }, filters: '', channelIds: [] },
    ...{ mailOwners: false, enabled: true, muteToken: 'secret-token', madeBy: 'server', createdAt: 0 },
  });
  const mutedUntil = () => store.list(siteId)[0]!.mutedUntil;
  const stranger = dashboard.browser();
  assert.is((await stranger.get('/mute')).status, 200);
  const offer = { name: 'Silent', site: 'a.example', isMuted: false };
  assert.equal((await stranger.post('/app/mute', { token: 'secret-token' })).json, offer);
  assert.equal((await stranger.post('/app/mute', { token: 'secret-token', hours: 5 })).json, offer);
  assert.is(mutedUntil(), null);
  assert.is((await stranger.post('/app/mute', { token: 'other', hours: 1 })).status, 404);
  assert.equal((await stranger.post('/app/mute', { token: 'secret-token', hours: 1 })).json, {
    ...offer,
    isMuted: true,
  });
  assert.is(mutedUntil(), dashboard.clock.now + hourMs);
  db.close();
});

test('people of a team read its alerts, and nobody who looks at a public page', async () => {
  const dashboard = await startDashboard();
  const { browser } = await dashboard.signedIn();
  const { id } = (await browser.post('/app/sites', { domain: 'a.example', ...berlin })).json;
  const path = `/api/ext/sites/${id}/alerts`;
  assert.equal((await browser.get(path)).json, { data: [] });
  const { token } = await makePublic(browser, id);
  const authorization = `Share ${token}`;
  assert.is((await dashboard.browser().get(`/api/v1/sites/${id}/stats`, { authorization })).status, 200);
  assert.is((await dashboard.browser().get(path, { authorization })).status, 404);
});

test.run();
