import { createHash, createHmac, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createPasswords } from '../../src/dashboard/passwords.ts';
import { dayMs, hourMs, minuteMs } from '../../src/model/time.ts';
import { credentials } from '../../src/store/accounts/credentials.ts';
import { logins } from '../../src/store/accounts/logins.ts';
import { type Browser, email, password, startDashboard, type TestDashboard } from './helpers.ts';

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
  assert.equal([out.status, out.json], [200, { done: true, next: null }]);
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

test('the cookies are hidden from scripts, stay on this host, and are bound to it on https', async () => {
  const plain = await startDashboard();
  await plain.signedIn();
  const cookiesOf = async (dashboard: typeof plain, headers = {}) => {
    const answer = await dashboard.browser().post('/app/sign-in', { email, password }, headers);
    return [answer.headers.getSetCookie().map(set => set.replace(/^([^=]+)=[^;]+/, '$1=…')), answer.headers.get(hsts)];
  };
  const hsts = 'strict-transport-security';
  assert.equal(await cookiesOf(plain), [
    [
      'daybook=…; Path=/; Max-Age=2592000; HttpOnly; SameSite=Lax',
      'daybook-known-1=…; Path=/; Max-Age=34560000; HttpOnly; SameSite=Lax',
    ],
    null,
  ]);
  const onHttps = [
    [
      '__Host-daybook=…; Path=/; Max-Age=2592000; HttpOnly; SameSite=Lax; Secure',
      'daybook=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax; Secure',
      '__Host-daybook-known-1=…; Path=/; Max-Age=34560000; HttpOnly; SameSite=Lax; Secure',
      'daybook-known-1=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax; Secure',
    ],
    'max-age=31536000',
  ];
  assert.equal(await cookiesOf(plain, { 'x-forwarded-proto': 'https' }), onHttps);
  assert.is(
    (await plain.browser().get('/sign-in', { 'x-forwarded-proto': 'https' })).headers.get(hsts),
    'max-age=31536000',
  );
  assert.is((await plain.browser().get('/sign-in')).headers.get(hsts), null);
  await plain.close();

  const secure = await startDashboard({ baseUrl: 'https://stats.example.com' });
  await secure.signedIn();
  assert.equal(await cookiesOf(secure, { origin: 'https://stats.example.com' }), onHttps);
  await secure.close();
});

test('on https only the cookies that are bound to the host count', async () => {
  const dashboard = await startDashboard();
  const { browser } = await dashboard.signedIn();
  const [, token] = browser.cookie!.split('=');
  const https = { 'x-forwarded-proto': 'https' };
  // As a login from before, or of a neighbour, comes.
  assert.is((await browser.get('/app/me', https)).status, 401);
  browser.cookie = `__Host-daybook=${token}`;
  assert.is((await browser.get('/app/me', https)).status, 200);

  // A neighbour under the same domain can plant only the other name.
  const planted = dashboard.browser();
  planted.cookie = `daybook=${'x'.repeat(43)}; ${browser.cookie}`;
  assert.is((await planted.get('/app/me', https)).status, 200);
  const out = await browser.post('/app/sign-out', {}, { ...https, origin: dashboard.url.replace('http', 'https') });
  assert.equal([out.status, browser.cookie], [200, undefined]);
  await dashboard.close();
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
  for (const [i, token] of tokens.entries()) store.begin('browser', 1, token, start + i * 1000);
  const use = (i: number) => store.use('browser', tokens[i]!, start)?.personId;
  assert.equal([use(0), use(1), use(100)], [undefined, 1, 1]);
  // Programs that sign in all the time end none of them, and are bounded, too.
  for (let i = 0; i < 1001; i++) store.begin('program', 1, `program ${i}`, start + i * 1000);
  assert.equal([use(1), use(100)], [1, 1]);
  assert.equal(dashboard.db.prepare('select kind, count(*) from login group by kind order by kind').raw().all(), [
    ['browser', 100],
    ['known', 1],
    ['program', 1000],
  ]);
  for (const kind of ['browser', 'known'] as const) assert.is(store.use(kind, 'program 1000', start), undefined, kind);
  await dashboard.close();
});

const attempting =
  (dashboard: TestDashboard, browser: () => Browser = dashboard.browser) =>
  async (tried: string, address: string, as = email) =>
    browser().post('/app/sign-in', { email: as, password: tried }, { 'x-test-address': address });
const wrong = 'wrong horse';

test('attempts are limited per account and network, and a good one resets the limit', async () => {
  const dashboard = await startDashboard();
  const { browser } = await dashboard.signedIn();
  const attempt = attempting(dashboard);
  for (let i = 0; i < 9; i++) assert.is((await attempt(wrong, `192.0.2.${i}`)).status, 401);
  assert.is((await attempt(password, '192.0.2.9')).status, 200);
  for (let i = 0; i < 10; i++) assert.is((await attempt(wrong, `192.0.2.${i}`)).status, 401);

  dashboard.clock.now += 5 * minuteMs;
  const refused = await attempt(password, '192.0.2.100');
  assert.equal(
    [refused.status, refused.json, refused.headers.get('retry-after')],
    [429, { error: 'Too many attempts.', retryAfterSeconds: 600 }, '600'],
  );
  assert.is((await attempt(wrong, '192.0.2.1', 'eve@example.com')).status, 401, 'another account is not held up');
  assert.is((await browser.get('/app/me')).status, 200, 'nor is who is signed in');
  assert.is((await attempt(password, '198.51.100.1')).status, 200, 'nor the owner elsewhere');

  dashboard.clock.now += 10 * minuteMs;
  assert.is((await attempt(password, '192.0.2.101')).status, 200);
  await dashboard.close();
});

test('a browser that has signed in to the account before is let through, to a limit of its own', async () => {
  const dashboard = await startDashboard();
  const { browser: known } = await dashboard.signedIn();
  await known.post('/app/sign-out');
  const stranger = attempting(dashboard);
  const here = '192.0.2.1';
  for (let i = 0; i < 10; i++) await stranger(wrong, here);
  assert.is((await stranger(password, here)).status, 429);

  const owner = attempting(dashboard, () => known);
  for (let i = 0; i < 9; i++) assert.is((await owner(wrong, here)).status, 401);
  assert.is((await owner(password, here)).status, 200);
  for (let i = 0; i < 10; i++) assert.is((await owner(wrong, here)).status, 401);
  assert.is((await owner(password, here)).status, 429);
  assert.is((await stranger(wrong, '198.51.100.1')).status, 401, 'which is nobody else’s');

  // It is known to this account alone, and a forged cookie is worth nothing.
  const other = await owner(wrong, here, 'eve@example.com');
  assert.is(other.status, 401);
  const [[name, value] = ['', '']] = known.others;
  assert.match(name, /^daybook-known-1$/);
  const { password: record } = credentials(dashboard.db).ofEmail(email)!;
  const until = dashboard.clock.now + dayMs;
  const id = 'A'.repeat(43);
  const text = `known browser\n1\n${id}\n${until}`;
  for (const forged of [
    value.replace(/.$/, last => (last === 'A' ? 'B' : 'A')),
    '',
    // Made of what a backup holds.
    `${id}.${until}.${createHmac('sha256', record!).update(text).digest('base64url')}`,
    createHash('sha256').update(value).digest('base64url'),
    known.cookie!.split('=')[1]!,
  ]) {
    const thief = dashboard.browser();
    thief.others.set(name, forged);
    assert.is((await attempting(dashboard, () => thief)(password, here)).status, 429, forged);
  }
  await dashboard.close();
});

test('a browser is known for 400 days, and until the password is another', async () => {
  const dashboard = await startDashboard();
  const { browser: known } = await dashboard.signedIn();
  const copy = dashboard.browser();
  copy.others = new Map(known.others);
  const strangers = attempting(dashboard);
  const lockOut = async () => {
    for (let i = 0; i < 10; i++) await strangers(wrong, '192.0.2.1');
  };
  await lockOut();
  assert.is((await attempting(dashboard, () => copy)(password, '192.0.2.1')).status, 200);
  copy.others = new Map(known.others);
  await known.post('/app/account/password', { password, newPassword: 'battery staple' });
  assert.is((await attempting(dashboard, () => copy)('battery staple', '192.0.2.1')).status, 429);
  await known.post('/app/sign-out');
  assert.is((await attempting(dashboard, () => known)('battery staple', '192.0.2.1')).status, 200);

  dashboard.clock.now += 400 * dayMs;
  await lockOut();
  assert.is((await attempting(dashboard, () => known)('battery staple', '192.0.2.1')).status, 429);
  await dashboard.close();
});

test('attempts are limited per network, for any account, and those refused do not count', async () => {
  const dashboard = await startDashboard();
  await dashboard.signedIn();
  const attempt = attempting(dashboard);
  let user = 0;
  const guess = async (address: string) => (await attempt(wrong, address, `user${user++}@example.com`)).status;
  // A customer of IPv6 has as many addresses as they like; those who sign in do not count.
  for (let i = 0; i < 10; i++) await attempt(wrong, `2001:db8:1:${i}::1`);
  for (let i = 0; i < 100; i++) assert.is((await attempt(wrong, '2001:db8:1:2::1')).status, 429);
  for (let i = 0; i < 40; i++) assert.is(await guess(`2001:db8:1:${i}::${i}`), 401);
  for (let i = 0; i < 60; i++) assert.is((await attempt(password, '2001:db8:2::1')).status, 200);
  assert.is(await guess('2001:db8:1:2::99'), 429);
  assert.is(await guess('2001:db8:2::1'), 401);
  assert.is(await guess('192.0.2.1'), 401);
  await dashboard.close();
});

test('what strangers may try together is bounded, and locks out nobody who is known', async () => {
  const dashboard = await startDashboard();
  const { browser: known } = await dashboard.signedIn();
  await known.post('/app/sign-out');
  const attempt = attempting(dashboard);
  const statuses: number[] = [];
  for (let i = 0; i < 310; i++) statuses.push((await attempt(wrong, `10.${i % 256}.${i >> 8}.1`)).status);
  assert.equal(
    statuses,
    Array.from({ length: 310 }, (_, i) => (i < 300 ? 401 : 429)),
  );
  assert.is((await attempt(password, '198.51.100.1')).status, 429);
  assert.is((await attempting(dashboard, () => known)(password, '10.0.0.1')).status, 200);
  const settings = { password, newPassword: 'battery staple' };
  assert.is((await known.post('/app/account/password', settings)).status, 200);
  dashboard.clock.now += 15 * minuteMs;
  assert.is((await attempt('battery staple', '198.51.100.1')).status, 200);
  await dashboard.close();
});

test('a network at its limit is refused before its body is read', async () => {
  const dashboard = await startDashboard();
  await dashboard.signedIn();
  const attempt = attempting(dashboard);
  for (let i = 0; i < 50; i++) await attempt(wrong, '192.0.2.1', `user${i}@example.com`);
  const host = dashboard.url.slice('http://'.length);
  const head = ['POST /app/sign-in HTTP/1.1', `Host: ${host}`, `Origin: http://${host}`, 'Content-Length: 1000'];
  const socket = connect(Number(new URL(dashboard.url).port), '127.0.0.1');
  socket.write([...head, 'Content-Type: application/json', 'X-Test-Address: 192.0.2.7', '', ''].join('\r\n'));
  const [answer] = await once(socket, 'data');
  assert.match(String(answer), /^HTTP\/1\.1 429 /);
  socket.destroy();
  await dashboard.close();
});

test('a record of another cost is verified, and made anew at the next sign-in', async () => {
  const dashboard = await startDashboard();
  const { browser } = await dashboard.signedIn();
  const store = credentials(dashboard.db);
  const older = await createPasswords(randomBytes, { logN: 7, r: 8, p: 1 }).record(password);
  const own = { ...store.ofEmail(email)!, password: older };
  store.set(own);
  assert.is((await browser.post('/app/sign-in', { email, password: wrong })).status, 401);
  assert.equal(store.ofEmail(email), own);
  assert.is((await browser.post('/app/sign-in', { email, password })).status, 200);
  const renewed = store.ofEmail(email)!.password;
  assert.match(renewed!, /^scrypt\$8\$8\$1\$/);
  assert.is((await browser.post('/app/sign-in', { email, password })).status, 200);
  assert.is(store.ofEmail(email)!.password, renewed);
  await dashboard.close();
});

test('a disk that takes no more writing keeps nobody who is signed in from reading', async () => {
  const dashboard = await startDashboard();
  const { browser } = await dashboard.signedIn();
  dashboard.clock.now += 2 * hourMs;
  dashboard.db.pragma('query_only = on');
  assert.is((await browser.get('/app/me')).status, 200);
  assert.is((await browser.get('/settings')).status, 200);
  dashboard.db.pragma('query_only = off');
  dashboard.clock.now += minuteMs;
  assert.is((await browser.get('/app/me')).status, 200);
  assert.is(dashboard.db.prepare('select max(used_at) from login').pluck().get(), dashboard.clock.now);
  await dashboard.close();
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
  assert.is(busy[0]!.headers.get('retry-after'), '5');
  await dashboard.close();
});

test.run();
