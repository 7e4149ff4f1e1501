import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { totpCode } from '../../../src/dashboard/factors/totp.ts';
import { dayMs, minuteMs } from '../../../src/model/time.ts';
import { accounts } from '../../../src/store/accounts/accounts.ts';
import { logins } from '../../../src/store/accounts/logins.ts';
import { signInLinks } from '../../../src/store/accounts/sign-in-links.ts';
import { type Browser, email, fromBase32, password, startDashboard, type TestDashboard } from '../helpers.ts';

/** Somebody who has turned their app on, and its codes. */
const withApp = async (dashboard: TestDashboard) => {
  const { browser } = await dashboard.signedIn();
  const { secret, uri } = (await browser.post('/app/totp/begin')).json;
  const codeNow = (steps = 0): string => totpCode(fromBase32(secret), Math.floor(dashboard.clock.now / 30_000) + steps);
  const turnedOn = await browser.post('/app/totp', { code: codeNow() });
  assert.is(turnedOn.status, 200);
  assert.match(uri, `secret=${secret}`);
  dashboard.clock.now += 30_000;
  return { browser, codeNow, codes: turnedOn.json.codes as string[] };
};

const begin = async (dashboard: TestDashboard, address = '203.0.113.7'): Promise<Browser> => {
  const browser = dashboard.browser();
  const { status, json } = await browser.post('/app/sign-in', { email, password }, { 'x-test-address': address });
  assert.equal([status, json, browser.cookie], [200, { factor: true }, undefined], 'a password alone gives no login');
  return browser;
};
const give = (browser: Browser, code: string) => browser.post('/app/sign-in/code', { code });

test('with an app a password is half of it, and its code the rest', async () => {
  const dashboard = await startDashboard();
  const { codeNow } = await withApp(dashboard);
  const browser = await begin(dashboard);
  assert.is((await browser.get('/app/me')).status, 401);
  const wrong = await give(browser, '000000');
  assert.equal([wrong.status, wrong.json.field], [400, 'code']);
  assert.is((await give(browser, codeNow())).status, 200);
  assert.is((await browser.get('/app/me')).status, 200);
  assert.is((await give(browser, codeNow(1))).status, 400, 'the half-login is used up');
  await dashboard.close();
});

test('a code counts once, and so does a recovery code', async () => {
  const dashboard = await startDashboard();
  const { codeNow, codes } = await withApp(dashboard);
  const code = codeNow();
  assert.is((await give(await begin(dashboard), code)).status, 200);
  assert.is((await give(await begin(dashboard), code)).status, 400);
  assert.is((await give(await begin(dashboard), codeNow(-1))).status, 400, 'nor an older one');
  const [first, second] = codes;
  assert.is((await give(await begin(dashboard), first!.toUpperCase())).status, 200);
  assert.is((await give(await begin(dashboard), first!)).status, 400);
  const last = await begin(dashboard);
  assert.is((await give(last, second!)).status, 200);
  assert.is((await last.get('/app/account/factors')).json.codesLeft, 8);
  assert.is((await last.post('/app/totp/codes')).json.codes.length, 10);
  assert.is((await give(await begin(dashboard), codes[2]!)).status, 400, 'the old ones are void');
  await dashboard.close();
});

test('a sixth guess is refused, right or wrong, but not in a browser that is known', async () => {
  const dashboard = await startDashboard();
  const { browser: own, codeNow } = await withApp(dashboard);
  const thief = await begin(dashboard);
  for (let i = 0; i < 5; i++) assert.is((await give(thief, `00000${i}`)).status, 400);
  const sixth = await give(thief, codeNow());
  assert.equal([sixth.status, sixth.json.retryAfterSeconds], [429, 900]);
  assert.is((await give(await begin(dashboard), codeNow())).status, 429, 'in another browser, too');

  await own.post('/app/sign-out');
  await own.post('/app/sign-in', { email, password });
  assert.is((await give(own, codeNow())).status, 200, 'the owner’s browser has a limit of its own');
  dashboard.clock.now += 15 * minuteMs;
  assert.is((await give(await begin(dashboard), codeNow())).status, 200);
  await dashboard.close();
});

test('a thousand guesses by strangers do not lock the owner out', async () => {
  const dashboard = await startDashboard();
  const { browser: own, codeNow } = await withApp(dashboard);
  await own.post('/app/sign-out');
  for (let i = 0; i < 1000; i++) {
    const address = { 'x-test-address': `10.${i >> 8}.${i & 255}.1` };
    const stranger = dashboard.browser();
    const guess = i % 2 ? { email, password: `guess ${i}` } : { code: String(i).padStart(6, '0') };
    const { status } = await stranger.post(i % 2 ? '/app/sign-in' : '/app/sign-in/code', guess, address);
    assert.ok([400, 401, 429].includes(status));
  }
  assert.equal((await own.post('/app/sign-in', { email, password })).json, { factor: true });
  assert.is((await give(own, codeNow())).status, 200);
  await dashboard.close();
});

test('a half-login is over after five minutes, and is worth nothing in another browser', async () => {
  const dashboard = await startDashboard();
  const { codeNow } = await withApp(dashboard);
  const slow = await begin(dashboard);
  assert.is((await give(dashboard.browser(), codeNow())).status, 400);
  dashboard.clock.now += 5 * minuteMs;
  const late = await give(slow, codeNow());
  assert.equal([late.status, late.json.error], [400, 'This took too long. Begin again.']);
  await dashboard.close();
});

test('a link to set a password asks for the code, too', async () => {
  const dashboard = await startDashboard();
  const { codeNow } = await withApp(dashboard);
  signInLinks(dashboard.db).putForAccount(1, 'found', dashboard.clock.now);
  const browser = dashboard.browser();
  const used = await browser.post('/app/link/use', { token: 'found', email, password: 'another password' });
  assert.equal([used.json, browser.cookie], [{ factor: true }, undefined]);
  assert.is((await give(browser, codeNow())).status, 200);
  await dashboard.close();
});

test('an app is turned on by its code, and off by somebody who proves who they are', async () => {
  const dashboard = await startDashboard();
  const { browser } = await dashboard.signedIn();
  assert.is((await browser.post('/app/totp', { code: '123456' })).status, 400, 'nothing was begun');
  await browser.post('/app/totp/begin');
  assert.is((await browser.post('/app/totp', { code: '12345' })).json.field, 'code');
  assert.is((await browser.get('/app/account/factors')).json.totp, false);
  assert.is((await browser.post('/app/totp/codes')).status, 400);
  await dashboard.close();

  const other = await startDashboard();
  const { browser: own } = await withApp(other);
  other.clock.now += 10 * minuteMs;
  for (const path of ['/app/totp/begin', '/app/totp/remove', '/app/totp/codes', '/app/passkeys/options'])
    assert.equal((await own.post(path)).json.ways, ['password'], path);
  await own.post('/app/prove', { password });
  assert.is((await own.post('/app/totp/remove')).json.totp, false);
  assert.is((await other.browser().post('/app/sign-in', { email, password })).json.person.email, email);
  await other.close();
});

test('who may begin an app in another’s place gets nothing', async () => {
  const dashboard = await startDashboard();
  const { browser } = await dashboard.signedIn();
  const { secret } = (await browser.post('/app/totp/begin')).json;
  const code = totpCode(fromBase32(secret), Math.floor(dashboard.clock.now / 30_000));
  const other = dashboard.browser();
  await other.post('/app/sign-in', { email, password });
  assert.is((await other.post('/app/totp', { code })).status, 400, 'another browser has begun nothing');
  assert.is((await browser.post('/app/totp', { code })).status, 200);
  await dashboard.close();
});

test('programs that sign in with a password are refused where there is an app', async () => {
  const dashboard = await startDashboard();
  await withApp(dashboard);
  const login = await dashboard.passwordLogins().begin({ headers: {} } as never, email, password);
  assert.is(login, undefined);
  await dashboard.close();
});

test('where a team asks for a second factor, who has none sees their settings alone', async () => {
  const dashboard = await startDashboard();
  const { browser } = await dashboard.signedIn();
  const site = (await browser.post('/app/sites', { domain: 'a.example', timezone: 'UTC', currency: 'EUR' })).json;
  dashboard.db.prepare('update account set second_factor = 1').run();
  assert.is((await browser.get('/app/me')).json.lacksFactor, true);
  const numbers = await browser.get(`/api/v1/sites/${site.id}/stats`);
  assert.is(numbers.status, 403);
  assert.is((await browser.get('/app/keys')).status, 403);
  assert.is(
    (await browser.post('/app/keys', { name: 'k' })).json.error,
    'Your team asks for a second factor: set one up in your settings.',
  );
  const { secret } = (await browser.post('/app/totp/begin')).json;
  await browser.post('/app/totp', { code: totpCode(fromBase32(secret), Math.floor(dashboard.clock.now / 30_000)) });
  assert.is((await browser.get('/app/me')).json.lacksFactor, false);
  assert.is((await browser.get(`/api/v1/sites/${site.id}/stats`)).status, 200);
  await dashboard.close();
});

test('people see where they are signed in, and end it', async () => {
  const dashboard = await startDashboard();
  const { browser } = await dashboard.signedIn();
  const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
  const [other, third] = [dashboard.browser(), dashboard.browser()];
  await other.post('/app/sign-in', { email, password }, { 'user-agent': firefox });
  await third.post('/app/sign-in', { email, password });
  const list = async () => (await browser.get('/app/account/logins')).json.data;
  const found = await list();
  assert.is(found.length, 3);
  const one = found.find(({ label }: { label: string }) => label === 'Firefox, Linux');
  assert.equal([one.method, one.isThis, one.begunAt], ['password', false, '2026-11-20T12:00:00.000Z']);
  assert.equal(found.filter(({ isThis }: { isThis: boolean }) => isThis).length, 1);

  assert.is((await browser.post(`/app/account/logins/${one.id}/end`)).json.data.length, 2);
  assert.is((await other.get('/app/me')).status, 401);
  assert.is((await browser.post(`/app/account/logins/${one.id}/end`)).status, 404);
  assert.is((await browser.post('/app/account/logins/end-others')).json.data.length, 1);
  assert.equal([(await third.get('/app/me')).status, (await browser.get('/app/me')).status], [401, 200]);
  await dashboard.close();
});

test('nobody ends another person’s login', async () => {
  const dashboard = await startDashboard();
  const { browser } = await dashboard.signedIn();
  const acme = accounts(dashboard.db).add('acme', 'pro', 0);
  signInLinks(dashboard.db).putForAccount(acme.id, 'theirs', dashboard.clock.now);
  const stranger = dashboard.browser();
  await stranger.post('/app/link/use', { token: 'theirs', email: 'eve@example.com', password: 'eve’s password' });
  const [own] = (await browser.get('/app/account/logins')).json.data;
  assert.is((await stranger.post(`/app/account/logins/${own.id}/end`)).status, 404);
  assert.is((await browser.get('/app/me')).status, 200);
  await dashboard.close();
});

test('a login ends when the settings say so, used or not', async () => {
  const bounds = { idleMs: 30 * minuteMs, maxMs: 120 * minuteMs, providerMs: dayMs };
  const dashboard = await startDashboard({ bounds });
  const { browser } = await dashboard.signedIn();
  const page = await browser.get('/settings');
  assert.match(page.headers.get('set-cookie') ?? '', 'Max-Age=1800;');
  for (let i = 0; i < 7; i++) {
    dashboard.clock.now += 15 * minuteMs;
    assert.is((await browser.get('/app/me')).status, 200);
  }
  dashboard.clock.now += 15 * minuteMs;
  assert.is((await browser.get('/app/me')).status, 401, 'after two hours');
  await browser.post('/app/sign-in', { email, password });
  dashboard.clock.now += 30 * minuteMs;
  assert.is((await browser.get('/app/me')).status, 401, 'half an hour without use');
  await dashboard.close();
});

test('a sign-in gives another token than the one before', async () => {
  const dashboard = await startDashboard();
  const { browser } = await dashboard.signedIn();
  const before = browser.cookie!;
  await browser.post('/app/sign-in', { email, password });
  assert.is.not(browser.cookie, before);
  const [, token] = before.split('=');
  assert.is(logins(dashboard.db).use('browser', token!, dashboard.clock.now), undefined);
  await dashboard.close();
});

test.run();
