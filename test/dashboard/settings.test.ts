/** API keys, and the account's own e-mail and password. */
import { randomBytes } from 'node:crypto';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { keysMax } from '../../src/model/limits.ts';
import { minuteMs } from '../../src/model/time.ts';
import { accounts, apiKeys } from '../../src/store/accounts/accounts.ts';
import { credentials } from '../../src/store/accounts/credentials.ts';
import { persons } from '../../src/store/accounts/persons.ts';
import { signInLinks } from '../../src/store/accounts/sign-in-links.ts';
import { berlin, email, makePublic, password, startDashboard, stateOf } from './helpers.ts';

test('a key is shown once, listed by its last four characters, and fails at once when revoked', async () => {
  const dashboard = await startDashboard();
  const { browser } = await dashboard.signedIn();
  assert.equal((await browser.get('/app/keys')).json, { data: [] });
  const { key, ...view } = (await browser.post('/app/keys', { name: ' Grafana ' })).json;
  assert.match(key, /^tk_live_[\dA-Za-z]{32}$/);
  assert.equal(view, {
    id: 1,
    name: 'Grafana',
    lastFour: key.slice(-4),
    createdAt: '2026-11-20T12:00:00.000Z',
    lastUsedAt: null,
    ...{ scopes: ['read', 'notes', 'ingest'], sites: null, expiresAt: null },
  });
  const listed = await browser.get('/app/keys');
  assert.equal(listed.json, { data: [view] });

  const withKey = { authorization: `Bearer ${key}` };
  assert.is((await dashboard.browser().get('/api/v1/sites', withKey)).status, 200);
  apiKeys(dashboard.db).stampUsed(new Map([[1, dashboard.clock.now]]));
  assert.is((await browser.get('/app/keys')).json.data[0].lastUsedAt, '2026-11-20T12:00:00.000Z');

  assert.equal((await browser.post('/app/keys/1/revoke')).json, { done: true });
  assert.is((await dashboard.browser().get('/api/v1/sites', withKey)).status, 401);
  assert.equal((await browser.get('/app/keys')).json, { data: [] });
  assert.is((await browser.post('/app/keys/1/revoke')).status, 404);
  assert.equal((await browser.post('/app/keys', { name: ' ' })).json, {
    error: 'A name needs 1 to 100 characters.',
    field: 'name',
  });
  await dashboard.close();
});

test('an account has a bounded number of keys', async () => {
  const dashboard = await startDashboard();
  const { browser } = await dashboard.signedIn();
  const add = async (): Promise<[number, unknown]> => {
    const { status, json } = await browser.post('/app/keys', { name: 'k' });
    return [status, json.error];
  };
  for (let i = 0; i < keysMax; i++) assert.equal(await add(), [200, undefined]);
  assert.equal(await add(), [400, 'An account has at most 100 API keys.']);
  await browser.post('/app/keys/1/revoke');
  assert.is((await add())[0], 200);
  await dashboard.close();
});

test('keys of another account cannot be seen or revoked', async () => {
  const dashboard = await startDashboard();
  const { browser } = await dashboard.signedIn();
  const acme = accounts(dashboard.db).add('acme', 'pro', 0);
  const { id } = apiKeys(dashboard.db).add(acme.id, 'theirs', 'tk_live_theirs', 0);
  assert.equal((await browser.get('/app/keys')).json, { data: [] });
  const refused = await browser.post(`/app/keys/${id}/revoke`);
  assert.equal([refused.status, refused.json], [404, { error: 'There is no such key.' }]);
  assert.ok(apiKeys(dashboard.db).find('tk_live_theirs'));
  await dashboard.close();
});

test('changing the password signs out everywhere else', async () => {
  const dashboard = await startDashboard();
  const { browser, me } = await dashboard.signedIn();
  const elsewhere = dashboard.browser();
  await elsewhere.post('/app/sign-in', { email, password });
  const short = await browser.post('/app/account/password', { newPassword: 'short' });
  assert.equal([short.status, short.json.field], [400, 'newPassword']);
  assert.is((await elsewhere.get('/app/me')).status, 200);

  const changed = await browser.post('/app/account/password', { newPassword: 'new password' });
  assert.equal([changed.status, changed.json], [200, me]);
  assert.equal([(await browser.get('/app/me')).status, (await elsewhere.get('/app/me')).status], [200, 401]);
  assert.is((await elsewhere.post('/app/sign-in', { email, password })).status, 401);
  assert.is((await elsewhere.post('/app/sign-in', { email, password: 'new password' })).status, 200);
  await dashboard.close();
});

test('a new password may revoke keys and public pages, and ends a link to set one', async () => {
  const dashboard = await startDashboard();
  const { browser } = await dashboard.signedIn();
  const { id } = (await browser.post('/app/sites', { domain: 'a.example', ...berlin })).json;
  const { path: link } = await makePublic(browser, id);
  const links = async () => (await browser.get(link.replace(/\/\d+$/, ''))).json.data.length;
  await browser.post('/app/keys', { name: 'k' });
  signInLinks(dashboard.db).putForAccount(1, 'found', dashboard.clock.now);
  const change = (more: object) => browser.post('/app/account/password', { newPassword: password, ...more });
  const left = async () => (await browser.get('/app/keys')).json.data.length;

  assert.is((await change({ revokeKeys: 'yes' })).json.field, 'revokeKeys');
  const kept = await change({});
  assert.equal([kept.status, await links(), await left()], [200, 1, 1]);
  assert.is((await dashboard.browser().post('/app/link', { token: 'found' })).status, 404);
  const revoked = await change({ revokeKeys: true, withdrawPages: true });
  assert.equal([revoked.status, await links(), await left()], [200, 0, 0]);
  const common = await browser.post('/app/account/password', { newPassword: 'sunshine' });
  assert.equal([common.status, common.json.field], [400, 'newPassword']);
  await dashboard.close();
});

test('changing the e-mail takes an unused address', async () => {
  const dashboard = await startDashboard();
  const { browser } = await dashboard.signedIn();
  persons(dashboard.db).add('acme@example.com', 0);
  const change = (to: string) => browser.post('/app/account/email', { email: to });
  assert.equal((await change('new')).json.field, 'email');
  const taken = await change('Acme@example.com');
  assert.equal([taken.status, taken.json.field], [409, 'email']);
  assert.is((await change('new@example.com')).json.person.email, 'new@example.com');
  assert.is((await browser.post('/app/sign-in', { email, password })).status, 401);
  assert.is((await browser.post('/app/sign-in', { email: 'new@example.com', password })).status, 200);
  await dashboard.close();
});

test('a new password keeps what another request has changed meanwhile', async () => {
  let meanwhile = (): void => {};
  const random = (bytes: number): Buffer => {
    const once = meanwhile;
    meanwhile = () => {};
    once();
    return randomBytes(bytes);
  };
  const dashboard = await startDashboard({ random });
  const { browser } = await dashboard.signedIn();
  const store = credentials(dashboard.db);
  const own = store.ofEmail(email)!;
  const change = () => browser.post('/app/account/password', { newPassword: 'new password' });

  const reset = { ...own, password: 'scrypt$8$8$1$AAAA$AAAA' };
  meanwhile = () => store.set(reset);
  const refused = await change();
  assert.is(refused.status, 401);
  assert.equal(store.ofEmail(email), reset);

  store.set(own);
  meanwhile = () => store.set({ ...own, email: 'new@example.com' });
  assert.is((await change()).status, 200);
  const signIn = await browser.post('/app/sign-in', { email: 'new@example.com', password: 'new password' });
  assert.is(signIn.status, 200);
  await dashboard.close();
});

test('an open screen is not enough for a change: after ten minutes it takes the password', async () => {
  const dashboard = await startDashboard();
  const { browser } = await dashboard.signedIn();
  const change = () => browser.post('/app/account/password', { newPassword: password });
  dashboard.clock.now += 10 * minuteMs - 1;
  assert.is((await change()).status, 200);
  dashboard.clock.now += 1;
  const asked = await change();
  assert.equal([asked.status, asked.json], [403, { error: 'Prove once more who you are.', ways: ['password'] }]);
  assert.is((await browser.post('/app/account/email', { email: 'new@example.com' })).status, 403);

  const wrong = await browser.post('/app/prove', { password: 'wrong horse' });
  assert.equal([wrong.status, wrong.json], [400, { error: 'This is not your current password.', field: 'password' }]);
  assert.is((await change()).status, 403);
  const before = browser.cookie;
  assert.is((await browser.post('/app/prove', { password })).status, 200);
  assert.is.not(browser.cookie, before, 'who may do more has another token');
  assert.is((await change()).status, 200);
  browser.cookie = before;
  assert.is((await browser.get('/app/me')).status, 401, 'the old one is worth nothing');
  await dashboard.close();
});

test('password guesses from a signed-in browser are limited', async () => {
  const dashboard = await startDashboard();
  const { browser } = await dashboard.signedIn();
  for (let i = 0; i < 10; i++) assert.is((await browser.post('/app/prove', { password: `guess ${i}` })).status, 400);
  const refused = await browser.post('/app/prove', { password });
  assert.equal([refused.status, refused.json.retryAfterSeconds], [429, 900]);
  await dashboard.close();
});

test('language and formats are kept with the account, and its pages are in them', async () => {
  const dashboard = await startDashboard();
  const { browser } = await dashboard.signedIn();
  const choice = { language: 'de', region: 'CH', firstDay: 7, clock: 12 };
  const changed = await browser.post('/app/account/locale', choice);
  assert.is(changed.status, 200);
  assert.equal(changed.json.person.locale, choice);
  assert.equal((await browser.get('/app/me')).json, changed.json);
  const page = await browser.get('/settings', { 'accept-language': 'fr' });
  assert.match(page.text, '<html lang="de">');
  assert.match(page.text, '/assets/part-de.js');
  assert.is(stateOf(page).language, 'fr');

  for (const [field, value] of [
    ['language', 'xx'],
    ['region', 'de'],
    ['firstDay', '1'],
    ['clock', 13],
  ] as const) {
    const refused = await browser.post('/app/account/locale', { ...choice, [field]: value });
    assert.equal([refused.status, refused.json], [400, { error: 'Choose one from the list.', field }]);
  }
  const none = await browser.post('/app/account/locale', {});
  assert.equal(none.json.person.locale, { language: null, region: null, firstDay: null, clock: null });
  assert.match((await browser.get('/settings', { 'accept-language': 'fr' })).text, '<html lang="fr">');
  await dashboard.close();
});

test('failures are in the language of whoever asked', async () => {
  const dashboard = await startDashboard();
  const { browser } = await dashboard.signedIn();
  const inFrench = { 'accept-language': 'fr' };
  const wrong = { email: 'nobody@example.com', password: 'wrong password' };
  assert.equal((await dashboard.browser().post('/app/sign-in', wrong, inFrench)).json, {
    error: 'L’e-mail ou le mot de passe est incorrect.',
  });
  await browser.post('/app/account/locale', { language: 'de' });
  assert.equal((await browser.post('/app/sites', { ...berlin, domain: 'no domain' }, inFrench)).json, {
    error: 'Das ist keine Domain. Schreiben Sie sie wie example.com.',
    field: 'domain',
  });
  // What no page sends stays English, and so does the API.
  assert.equal((await browser.post('/app/sites', {})).json, { error: 'This field needs a text.', field: 'domain' });
  assert.equal((await browser.get('/api/v1/nowhere', inFrench)).json, { error: 'not found' });
  await dashboard.close();
});

test.run();
