import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { hourMs } from '../../src/model/time.ts';
import { alerts } from '../../src/store/alerts/alerts.ts';
import { openDatabase } from '../../src/store/database.ts';
import { sites } from '../../src/store/sites.ts';
import { berlin, makePublic, startDashboard, tokenOf } from './helpers.ts';

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
  assert.equal((await browser.get(path)).json, { data: [], sendsMail: false });
  const { token } = await makePublic(browser, id);
  const authorization = `Share ${token}`;
  assert.is((await dashboard.browser().get(`/api/v1/sites/${id}/stats`, { authorization })).status, 200);
  assert.is((await dashboard.browser().get(path, { authorization })).status, 404);
});

const inGerman = { 'accept-language': 'de' };

test('who may not see revenue sees no alert about it, and makes none', async () => {
  const dashboard = await startDashboard();
  const { browser, me } = await dashboard.signedIn();
  const { id } = (await browser.post('/app/sites', { domain: 'a.example', ...berlin })).json;
  const db = openDatabase(dashboard.dataDir);
  const siteId = sites(db)
    .list()
    .find(({ uuid }) => uuid === id)!.id;
  const made = { muteToken: '', madeBy: 'cli', createdAt: 0, channelIds: [], mailOwners: false, enabled: true };
  const above = { comparison: 'above', number: 1, minutes: 60 } as const;
  const add = (name: string, metric: 'revenue' | 'visits', filters = ''): unknown =>
    alerts(db).add({
      ...{ ...made, siteId, name, filters, muteToken: name },
      rule: { kind: 'threshold', params: { ...above, metric } },
    });
  add('Sales', 'revenue');
  add('Visits', 'visits');
  add('Buyers', 'visits', 'event=Purchase');
  const namesFor = async (reader: typeof browser): Promise<string[]> =>
    (await reader.get(`/api/ext/sites/${id}/alerts`)).json.data.map(({ name }: { name: string }) => name);
  assert.equal(await namesFor(browser), ['Sales', 'Visits', 'Buyers']);
  const invited = { email: 'bob@example.com', role: 'editor', hidden: ['revenue', 'events'] };
  const { url } = (await browser.post(`/app/teams/${me.teams[0]!.id}/invitations`, invited)).json;
  const bob = dashboard.browser();
  const accepted = { token: tokenOf(url), name: 'Bob', password: 'correct horse' };
  assert.is((await bob.post('/app/invitation/accept', accepted)).status, 200);
  assert.equal(await namesFor(bob), ['Visits']);
  const path = `/app/sites/${id}/alerts`;
  const sales = { kind: 'threshold', name: 'x', params: { ...above, metric: 'revenue' } };
  for (const to of [path, `${path}/try`]) assert.is((await bob.post(to, sales)).status, 403, to);
  const [hiddenId] = alerts(db)
    .list(siteId)
    .map(({ id }) => id);
  for (const to of [`${path}/${hiddenId}/remove`, `${path}/${hiddenId}/mute`])
    assert.is((await bob.post(to, { hours: 1 })).status, 404, to);
  const visits = { kind: 'threshold', name: 'Mine', params: { ...above, metric: 'visits' } };
  const german = await browser.post(`/app/teams/${me.teams[0]!.id}/channels`, { kind: 'ntfy', target: 'x' }, inGerman);
  assert.equal([german.status, german.json.field], [400, 'target']);
  assert.match(german.json.error, /^Dieses Ziel ist nicht möglich/);
  const mine = await bob.post(path, visits);
  assert.equal([mine.status, mine.json.madeBy], [200, 'bob@example.com']);
  assert.is((await bob.post(`${path}/${mine.json.id}/remove`)).status, 200);
  db.close();
  await dashboard.close();
});

test.run();
