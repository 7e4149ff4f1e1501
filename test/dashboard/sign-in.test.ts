import { randomBytes } from 'node:crypto';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createSessions } from '../../src/dashboard/sessions.ts';
import { dayMs, minuteMs } from '../../src/model/time.ts';
import { accounts } from '../../src/store/accounts/accounts.ts';
import { logins } from '../../src/store/accounts/logins.ts';
import { email, password, startDashboard } from './helpers.ts';

test('people sign in and out', async () => {
  const dashboard = await startDashboard();
  const { me } = await dashboard.signedIn();
  const browser = dashboard.browser();
  assert.is((await browser.get('/app/me')).status, 401);

  const signedIn = await browser.post('/app/sign-in', { email: 'ADA@example.com ', password });
  assert.equal([signedIn.status, signedIn.json], [200, me]);
  assert.equal((await browser.get('/app/me')).json, me);

  const token = browser.cookie;
  const out = await browser.post('/app/sign-out');
  assert.equal([out.status, out.json], [200, { done: true }]);
  assert.is(out.headers.get('set-cookie'), 'daybook=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax');
  browser.cookie = token;
  assert.is((await browser.get('/app/me')).status, 401, 'the token is worth nothing any more');
  assert.is((await browser.post('/app/sign-out')).status, 200, 'once more does no harm');
  await dashboard.close();
});

test('a wrong e-mail and a wrong password get the same answer', async () => {
  const dashboard = await startDashboard();
  await dashboard.signedIn();
  for (const body of [
    { email, password: 'wrong horse' },
    { email: 'eve@example.com', password },
    { email: 'no address', password: '' },
  ]) {
    const { status, json, headers } = await dashboard.browser().post('/app/sign-in', body);
    assert.equal([status, json], [401, { error: 'The e-mail or the password is wrong.' }]);
    assert.is(headers.get('set-cookie'), null);
  }
  await dashboard.close();
});

test('the cookie is hidden from scripts, stays on this host, and is Secure on https', async () => {
  const plain = await startDashboard();
  await plain.signedIn();
  const body = { email, password };
  const cookieOf = async (dashboard: typeof plain, headers = {}) =>
    (await dashboard.browser().post('/app/sign-in', body, headers)).headers.get('set-cookie');
  assert.match(
    String(await cookieOf(plain)),
    /^daybook=[\dA-Za-z]{43}; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Lax$/,
  );
  assert.match(String(await cookieOf(plain, { 'x-forwarded-proto': 'https' })), /; Secure$/);
  await plain.close();

  const secure = await startDashboard({ baseUrl: 'https://stats.example.com' });
  await secure.signedIn();
  assert.match(
    String(await cookieOf(secure, { origin: 'https://stats.example.com' })),
    /; HttpOnly; SameSite=Lax; Secure$/,
  );
  await secure.close();
});

test('a login lasts 30 days after its last use, and pages renew the cookie', async () => {
  const dashboard = await startDashboard();
  const { browser } = await dashboard.signedIn();
  const idle = dashboard.browser();
  await idle.post('/app/sign-in', { email, password });
  dashboard.clock.now += 29 * dayMs;
  const page = await browser.get('/settings');
  assert.is(page.headers.get('set-cookie'), `${browser.cookie}; Path=/; Max-Age=2592000; HttpOnly; SameSite=Lax`);
  dashboard.clock.now += 29 * dayMs;
  assert.is((await browser.get('/app/me')).status, 200);
  assert.is((await idle.get('/app/me')).status, 401);
  dashboard.clock.now += 30 * dayMs;
  assert.is((await browser.get('/app/me')).status, 401);
  await dashboard.close();
});

test('an account has a bounded number of logins, and the longest unused goes first', async () => {
  const dashboard = await startDashboard();
  const store = logins(dashboard.db);
  const { me } = await dashboard.signedIn();
  assert.ok(me);
  const start = dashboard.clock.now;
  const tokens = Array.from({ length: 101 }, (_, i) => `token ${i}`);
  for (const [i, token] of tokens.entries()) store.begin(1, token, start + i * 1000);
  assert.is(store.use(tokens[0]!, start), undefined);
  assert.equal([store.use(tokens[1]!, start), store.use(tokens[100]!, start)], [1, 1]);
  assert.is(dashboard.db.prepare('select count(*) from login').pluck().get(), 100);
  await dashboard.close();
});

test('attempts are limited per account, from any address, and a good one resets the limit', async () => {
  const dashboard = await startDashboard();
  const { browser } = await dashboard.signedIn();
  const attempt = async (tried: string, i: number) =>
    dashboard.browser().post('/app/sign-in', { email, password: tried }, { 'x-test-address': `192.0.2.${i}` });
  for (let i = 0; i < 9; i++) assert.is((await attempt('wrong horse', i)).status, 401);
  assert.is((await attempt(password, 9)).status, 200);
  for (let i = 0; i < 10; i++) assert.is((await attempt('wrong horse', i)).status, 401);

  dashboard.clock.now += 5 * minuteMs;
  const refused = await attempt(password, 100);
  assert.equal(
    [refused.status, refused.json, refused.headers.get('retry-after')],
    [429, { error: 'Too many attempts.', retryAfterSeconds: 600 }, '600'],
  );
  const other = await dashboard.browser().post('/app/sign-in', { email: 'eve@example.com', password });
  assert.is(other.status, 401, 'another account is not held up');
  assert.is((await browser.get('/app/me')).status, 200, 'nor is who is signed in');

  dashboard.clock.now += 10 * minuteMs;
  assert.is((await attempt(password, 101)).status, 200);
  await dashboard.close();
});

test('attempts are limited per network, for any account', async () => {
  const { db, close } = await startDashboard();
  const passwords = { record: async () => '', matches: async (tried: string) => tried === password };
  const sessions = createSessions({
    accounts: accounts(db),
    logins: logins(db),
    passwords,
    now: () => 0,
    random: randomBytes,
  });
  let user = 0;
  const attempt = (address: string, tried = 'wrong horse') =>
    sessions.checkPassword(`user${user++}@example.com`, undefined, tried, address);
  // A customer of IPv6 has as many addresses as they like; those who sign in do not count.
  for (let i = 0; i < 50; i++) assert.not(await attempt(`2001:db8:1:2::${i}`));
  for (let i = 0; i < 100; i++) assert.ok(await attempt('2001:db8:1:3::1', password));
  const refused = await attempt('2001:db8:1:2::99').catch(error => error.reply.status);
  assert.is(refused, 429);
  assert.not(await attempt('2001:db8:1:3::1'));
  assert.not(await attempt('192.0.2.1'));
  await close();
});

test('people who sign in at once wait in turn, and beyond a limit are asked to try again', async () => {
  // So much work that they all arrive before the first few are through.
  const dashboard = await startDashboard({ passwordCost: { logN: 14, r: 8, p: 1 } });
  await dashboard.signedIn();
  // Accounts that do not exist take their time like those that do: else this many would not pile up.
  const answers = await Promise.all(
    Array.from({ length: 40 }, (_, i) =>
      dashboard.browser().post('/app/sign-in', { email: `user${i}@example.com`, password }),
    ),
  );
  const busy = answers.filter(({ status }) => status === 503);
  assert.equal(new Set(answers.map(({ status }) => status)), new Set([401, 503]));
  assert.is(busy[0]!.headers.get('retry-after'), '3');
  await dashboard.close();
});

test.run();
