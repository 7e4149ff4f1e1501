import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { OidcSettings } from '../../../src/model/oidc.ts';
import { hourMs, minuteMs } from '../../../src/model/time.ts';
import { accounts } from '../../../src/store/accounts/accounts.ts';
import { invitations } from '../../../src/store/accounts/invitations.ts';
import { members } from '../../../src/store/accounts/members.ts';
import { persons } from '../../../src/store/accounts/persons.ts';
import { type Answer, type Browser, email, password, startDashboard, stateOf, type TestDashboard } from '../helpers.ts';
import { clientId, clientSecret, type Liar, lies, startLiar } from './liar.ts';

const baseUrl = 'http://localhost:8080';
const baseSettings: OidcSettings = {
  ...{ issuer: '', clientId, clientSecret, name: 'Provider', scopes: 'openid email', create: 'invited' },
  ...{ domains: ['example.com'], role: 'viewer', account: 'default', groupsClaim: 'groups', groups: null },
  ...{ isOnly: false, lastsMs: 12 * hourMs },
};

/** A dashboard that people sign in to with a provider, and its owner, ada@example.com. */
const startWith = async (liar: Liar, more: Partial<OidcSettings> = {}): Promise<TestDashboard> => {
  const dashboard = await startDashboard({ baseUrl, oidc: { ...baseSettings, issuer: liar.issuer, ...more } });
  await dashboard.signedIn();
  dashboard.clock.now = Date.now();
  return dashboard;
};

/** Goes to the provider and back. */
const come = async (browser: Browser, path = '/sign-in/oidc'): Promise<Answer> => {
  const there = await browser.get(path);
  const location = there.headers.get('location')!;
  if (!location.startsWith('http://127.0.0.1')) return there;
  const back = await fetch(location, { redirect: 'manual' });
  return browser.get(back.headers.get('location')!.replace(baseUrl, ''));
};
const locationOf = ({ headers }: Answer): string | null => headers.get('location');
const meOf = async (browser: Browser) => (await browser.get('/app/me')).json;

test('somebody signs in with the provider, and goes on where they wanted', async () => {
  const liar = await startLiar();
  const dashboard = await startWith(liar);
  const browser = dashboard.browser();
  assert.equal(stateOf(await browser.get('/sign-in')).ways, { password: true, passkey: true, provider: 'Provider' });
  const there = await come(browser, '/sign-in/oidc?next=%2Fsettings%3F_section%3Dkeys');
  assert.equal([there.status, locationOf(there)], [303, '/settings?_section=keys']);
  assert.is((await meOf(browser)).person.email, email);
  const [login] = (await browser.get('/app/account/logins')).json.data;
  assert.is(login.method, 'oidc');
  assert.is(locationOf(await come(browser)), '/', 'who is signed in stays');
  for (const next of [
    'https://evil.example/',
    '//evil.example/',
    '/\\evil.example',
    'javascript:alert(1)',
    '/..//evil.example',
  ])
    assert.match(
      locationOf(await come(dashboard.browser(), `/sign-in/oidc?next=${encodeURIComponent(next)}`))!,
      /^\/([^/\\]|$)/,
      next,
    );
  await dashboard.close();
  await liar.close();
});

test('none of the lies gives a sign-in or takes somebody over', async () => {
  const liar = await startLiar();
  const dashboard = await startWith(liar, { create: 'anybody' });
  await come(dashboard.browser());
  const before = dashboard.db.prepare('select * from identity').all();
  const people = persons(dashboard.db).list();
  assert.ok(Object.keys(lies).length >= 25);
  for (const [name, lie] of Object.entries(lies)) {
    liar.lie = lie;
    // A provider that was away is asked again after a while.
    dashboard.clock.now += 2 * hourMs;
    const browser = dashboard.browser();
    const answer = await come(browser);
    assert.match(locationOf(answer)!, /^\/sign-in\?failed=(refused|away|expired)/, name);
    assert.is(browser.cookie, undefined, name);
    assert.is((await browser.get('/app/me')).status, 401, name);
  }
  assert.equal(dashboard.db.prepare('select * from identity').all(), before);
  assert.equal(persons(dashboard.db).list(), people);
  liar.lie = {};
  dashboard.clock.now += 2 * hourMs;
  const browser = dashboard.browser();
  await come(browser);
  assert.is((await browser.get('/app/me')).status, 200, 'the truth still gives one');
  await dashboard.close();
  await liar.close();
});

test('nobody becomes somebody else by an e-mail', async () => {
  const liar = await startLiar();
  const rows: [name: string, user: object, more: Partial<OidcSettings>][] = [
    ['one that is not verified', { email_verified: false }, {}],
    ['one of which nobody says that it is', { email_verified: undefined }, {}],
    ['one of a domain that the provider does not vouch for', {}, { domains: ['other.example'] }],
    ['one where the provider vouches for none', {}, { domains: [] }],
    ['one of a domain that ends alike', {}, { domains: ['ample.com', '.com'] }],
    ['another domain with the same letters', {}, { domains: ['exampl\u0435.com'] }],
  ];
  for (const [name, user, more] of rows) {
    liar.user = { sub: 'mallory', email, email_verified: true, ...user };
    const dashboard = await startWith(liar, { create: 'anybody', ...more });
    const browser = dashboard.browser();
    assert.match(locationOf(await come(browser))!, /^\/sign-in\?link=1/, name);
    assert.is(browser.cookie, undefined, name);
    await dashboard.close();
  }
  await liar.close();
});

test('an e-mail that is not vouched for is linked after the person has proved who they are', async () => {
  const liar = await startLiar();
  const dashboard = await startWith(liar, { domains: [] });
  const browser = dashboard.browser();
  await come(browser);
  assert.is((await browser.post('/app/sign-in', { email, password: 'wrong horse' })).status, 401);
  assert.is((await browser.post('/app/sign-in', { email, password })).status, 200);
  await browser.post('/app/sign-out');
  assert.is(locationOf(await come(browser)), '/');
  assert.is((await meOf(browser)).person.email, email);
  await dashboard.close();
  await liar.close();
});

test('nobody waits under an e-mail for whom the provider will name by it', async () => {
  const liar = await startLiar();
  const dashboard = await startWith(liar);
  const owner = dashboard.browser();
  assert.is((await owner.post('/app/sign-in', { email, password })).status, 200);
  const team = `/app/teams/${(await meOf(owner)).teams[0].id}`;
  const refused = async (answer: Promise<Answer>) => {
    const { status, json } = await answer;
    assert.equal([status, json.error], [403, 'The provider says who has this e-mail: sign in with it.']);
  };
  await refused(owner.post('/app/account/email', { email: 'boss@example.com' }));
  assert.is((await owner.post('/app/account/email', { email: 'ada@home.example' })).status, 200);
  const { url } = (await owner.post(`${team}/invitations`, { email: 'ceo@example.com' })).json;
  const token = new URL(url).hash.slice(1);
  await refused(dashboard.browser().post('/app/invitation/accept', { token, name: 'CEO', password }));

  // Who has a subject of the provider already is not found by an e-mail that went to another.
  liar.user = { sub: 'ceo', email: 'ceo@example.com', email_verified: true };
  assert.is(locationOf(await come(dashboard.browser())), '/');
  liar.user = { sub: 'other', email: 'ceo@example.com', email_verified: true };
  assert.match(locationOf(await come(dashboard.browser()))!, /^\/sign-in\?link=1/);
  await dashboard.close();
  await liar.close();
});

test('somebody else who signs in links nobody', async () => {
  const liar = await startLiar();
  const dashboard = await startWith(liar, { domains: [], create: 'anybody' });
  liar.user = { sub: 'eve', email: 'eve@example.com', email_verified: true };
  await come(dashboard.browser());
  liar.user = { sub: 'mallory', email: 'eve@example.com', email_verified: true };
  const browser = dashboard.browser();
  assert.match(locationOf(await come(browser))!, /link=1/);
  await browser.post('/app/sign-in', { email, password });
  const subjects = dashboard.db.prepare('select subject from identity').pluck().all();
  assert.equal(subjects, ['eve'], 'ada’s password links no identity that waits for eve');
  await dashboard.close();
  await liar.close();
});

test('who comes for the first time comes in as the settings say', async () => {
  const liar = await startLiar();
  const newcomer = { sub: 'bo', email: 'Bo@Example.com', email_verified: true, name: 'Bo' };
  const rows: [more: Partial<OidcSettings>, user: object, want: string][] = [
    [{ create: 'invited' }, {}, '/sign-in?failed=not-invited&next=%2F'],
    [{ create: 'domain' }, {}, '/'],
    [{ create: 'domain' }, { email: 'bo@other.example' }, '/sign-in?failed=not-invited&next=%2F'],
    [{ create: 'domain' }, { email_verified: false }, '/sign-in?failed=not-verified&next=%2F'],
    [{ create: 'anybody' }, { email: 'bo@other.example' }, '/'],
    [{ create: 'anybody' }, { email_verified: false }, '/sign-in?failed=not-verified&next=%2F'],
    [{ create: 'anybody' }, { email: undefined }, '/sign-in?failed=no-email&next=%2F'],
    [{ create: 'anybody' }, { email: 'no address' }, '/sign-in?failed=no-email&next=%2F'],
    [{ create: 'anybody', account: 'nobody’s' }, {}, '/sign-in?failed=no-account&next=%2F'],
  ];
  for (const [more, user, want] of rows) {
    liar.user = { ...newcomer, ...user };
    const dashboard = await startWith(liar, more);
    assert.is(locationOf(await come(dashboard.browser())), want, JSON.stringify([more, user]));
    const bo = persons(dashboard.db).ofEmail(String(liar.user.email).toLowerCase());
    assert.is(bo !== undefined, want === '/');
    if (bo !== undefined) {
      const [member] = members(dashboard.db).ofPerson(bo.id);
      assert.equal([bo.name, member?.role, member?.hidden], ['Bo', 'viewer', ['visits']]);
    }
    await dashboard.close();
  }
  await liar.close();
});

test('an invitation lets in who has its e-mail, with what it says, and once', async () => {
  const liar = await startLiar();
  const dashboard = await startWith(liar);
  const store = invitations(dashboard.db);
  const invite = () => {
    const place = { role: 'editor' as const, sites: null, hidden: [] };
    store.put(
      { accountId: 1, email: 'bo@example.com', invitedBy: email, madeBy: null, ...place },
      'token',
      dashboard.clock.now,
    );
  };
  invite();
  liar.user = { sub: 'bo', email: 'bo@example.com', email_verified: false };
  assert.is(locationOf(await come(dashboard.browser())), '/sign-in?failed=not-verified&next=%2F');
  liar.user = { sub: 'bo', email: 'bo@example.com', email_verified: true };
  assert.is(locationOf(await come(dashboard.browser())), '/');
  const { id } = persons(dashboard.db).ofEmail('bo@example.com')!;
  assert.is(members(dashboard.db).find(1, id)?.role, 'editor');
  assert.equal(store.ofEmail('bo@example.com', dashboard.clock.now), [], 'it is used up');
  const actions = dashboard.db.prepare('select action from audit where person_id = ? order by id').pluck().all(id);
  assert.equal(actions, ['joined', 'signed-in']);
  await dashboard.close();
  await liar.close();
});

test('roles and sites follow the groups at each sign-in', async () => {
  const liar = await startLiar();
  const groups: OidcSettings['groups'] = [
    { group: 'admins', role: 'admin', site: undefined },
    { group: 'marketing', role: 'viewer', site: 'shop.example' },
    { group: 'press', role: 'viewer', site: 'news.example' },
  ];
  const dashboard = await startWith(liar, { create: 'domain', groups });
  const owner = dashboard.browser();
  await owner.post('/app/sign-in', { email, password });
  const add = async (domain: string) =>
    (await owner.post('/app/sites', { domain, timezone: 'UTC', currency: 'EUR' })).json.id as string;
  const [shop, news] = [await add('shop.example'), await add('news.example')];
  const store = members(dashboard.db);
  const as = async (claim: unknown) => {
    liar.user = { sub: 'bo', email: 'bo@example.com', email_verified: true, groups: claim };
    const answer = await come(dashboard.browser());
    const bo = persons(dashboard.db).ofEmail('bo@example.com');
    const member = bo && store.ofPerson(bo.id)[0];
    return [locationOf(answer), member?.role, member?.sites?.toSorted()];
  };
  const out = '/sign-in?failed=no-group&next=%2F';
  assert.equal(await as([]), [out, undefined, undefined]);
  assert.equal(await as(['others', 'marketing']), ['/', 'viewer', [shop]]);
  assert.equal(await as(['press', 'marketing']), ['/', 'viewer', [shop, news].toSorted()]);
  assert.equal(await as(['marketing', 'admins']), ['/', 'admin', undefined]);
  assert.equal(await as('press'), ['/', 'viewer', [news]]);
  assert.equal((await as({ admins: true }))[0], out);
  assert.equal((await as(undefined))[0], out, 'a group that is gone');
  // The only owner stays one, whatever the groups say.
  liar.user = { sub: 'ada', email, email_verified: true, groups: ['marketing'] };
  assert.is(locationOf(await come(dashboard.browser())), '/');
  assert.is(store.find(1, persons(dashboard.db).ofEmail(email)!.id)?.role, 'owner');
  await dashboard.close();
  await liar.close();
});

test('an e-mail that changes at the provider changes here, where it is vouched for and free', async () => {
  const liar = await startLiar();
  const dashboard = await startWith(liar);
  await come(dashboard.browser());
  persons(dashboard.db).add('taken@example.com', 0);
  const after = async (user: object): Promise<string> => {
    liar.user = { ...liar.user, ...user };
    const browser = dashboard.browser();
    await come(browser);
    return (await meOf(browser)).person.email;
  };
  assert.is(await after({ email: 'taken@example.com' }), email);
  assert.is(await after({ email: 'ada@other.example' }), email);
  assert.is(await after({ email: 'lovelace@example.com', email_verified: false }), email);
  assert.is(await after({ email: 'Lovelace@example.com', email_verified: true }), 'lovelace@example.com');
  await dashboard.close();
  await liar.close();
});

test('who is disabled, or in no team, does not come in', async () => {
  const liar = await startLiar();
  const dashboard = await startWith(liar);
  await come(dashboard.browser());
  const store = persons(dashboard.db);
  const { id } = store.ofEmail(email)!;
  store.setDisabled(id, 1);
  assert.is(locationOf(await come(dashboard.browser())), '/sign-in?failed=disabled&next=%2F');
  store.setDisabled(id, null);
  assert.is(locationOf(await come(dashboard.browser())), '/');
  await dashboard.close();
  await liar.close();
});

test('a callback without its browser, or a second time, is worth nothing', async () => {
  const liar = await startLiar();
  const dashboard = await startWith(liar);
  const [browser, thief] = [dashboard.browser(), dashboard.browser()];
  const there = await browser.get('/sign-in/oidc');
  const back = (await fetch(locationOf(there)!, { redirect: 'manual' })).headers.get('location')!.replace(baseUrl, '');
  assert.is(locationOf(await thief.get(back)), '/sign-in?failed=expired&next=%2F');
  // A browser that began its own way: the state is another’s, as when somebody is sent a link.
  await thief.get('/sign-in/oidc');
  assert.is(locationOf(await thief.get(back)), '/sign-in?failed=refused&next=%2F');
  assert.is(locationOf(await browser.get(back)), '/');
  assert.is(locationOf(await browser.get(back)), '/sign-in?failed=expired&next=%2F');
  const slow = dashboard.browser();
  await slow.get('/sign-in/oidc');
  dashboard.clock.now += 10 * minuteMs;
  assert.is(locationOf(await slow.get('/sign-in/oidc/callback?code=a&state=b')), '/sign-in?failed=expired&next=%2F');
  await dashboard.close();
  await liar.close();
});

test('a provider that says no is quoted by its code alone, and one that is away leaves the password', async () => {
  const liar = await startLiar();
  const dashboard = await startWith(liar);
  const says = (error: string) => {
    liar.lie = {
      back(parameters) {
        parameters.delete('code');
        parameters.set('error', error);
        parameters.set('error_description', '<script>alert(1)</script>');
      },
    };
  };
  says('access_denied');
  assert.is(locationOf(await come(dashboard.browser())), '/sign-in?failed=denied&code=access_denied&next=%2F');
  says('<b>no</b>');
  assert.is(locationOf(await come(dashboard.browser())), '/sign-in?failed=denied&next=%2F');
  await liar.close();
  dashboard.clock.now += hourMs;
  assert.is(locationOf(await come(dashboard.browser())), '/sign-in?failed=away&next=%2F');
  assert.is((await dashboard.browser().post('/app/sign-in', { email, password })).status, 200);
  await dashboard.close();
});

test('where the provider is the only way, passwords are none', async () => {
  const liar = await startLiar();
  const dashboard = await startWith(liar, { isOnly: true });
  const browser = dashboard.browser();
  assert.equal(stateOf(await browser.get('/sign-in')).ways, { password: false, passkey: true, provider: 'Provider' });
  assert.is((await browser.post('/app/sign-in', { email, password })).status, 403);
  assert.is(await dashboard.passwordLogins().begin({ headers: {} } as never, email, password), undefined);
  await come(browser);
  dashboard.clock.now += 10 * minuteMs;
  const asked = await browser.post('/app/account/email', { email: 'new@example.com' });
  assert.equal([asked.status, asked.json.ways], [403, ['oidc']]);
  assert.is((await browser.post('/app/prove', { password })).status, 403);
  await dashboard.close();
  await liar.close();
});

test('somebody proves at the provider who they are, and nobody else does it for them', async () => {
  const liar = await startLiar();
  const dashboard = await startWith(liar);
  const browser = dashboard.browser();
  await come(browser);
  dashboard.clock.now += 10 * minuteMs;
  const change = async () => (await browser.post('/app/account/email', { email })).status;
  assert.is(await change(), 403);
  liar.user = { ...liar.user, sub: 'mallory' };
  assert.is(locationOf(await come(browser, '/sign-in/oidc?prove=1&next=%2Fsettings')), '/settings');
  assert.is(await change(), 403);
  liar.user = { ...liar.user, sub: 'sub-1' };
  await come(browser, '/sign-in/oidc?prove=1&next=%2Fsettings');
  assert.is(await change(), 200);
  await dashboard.close();
  await liar.close();
});

test('signing out leads to the provider, and signing out there ends the login here', async () => {
  const liar = await startLiar();
  const dashboard = await startWith(liar);
  const logout = (token: string) =>
    dashboard.browser().post('/sign-in/oidc/backchannel', `logout_token=${token}`, {
      ...{ 'content-type': 'application/x-www-form-urlencoded', origin: undefined, 'sec-fetch-site': undefined },
    });
  const enter = async (): Promise<Browser> => {
    const browser = dashboard.browser();
    await come(browser);
    return browser;
  };
  const statusOf = async (browser: Browser) => (await browser.get('/app/me')).status;
  const out = await (await enter()).post('/app/sign-out');
  assert.match(out.json.next, `${liar.issuer}/end?`);

  const byPassword = dashboard.browser();
  await byPassword.post('/app/sign-in', { email, password });
  const [first, second] = [await enter(), await enter()];
  for (const bad of ['', 'abc', await liar.logoutToken({ nonce: 'n' }), await liar.logoutToken({}, liar.otherKey)])
    assert.is((await logout(bad)).status, 400);
  assert.is(await statusOf(first), 200);
  liar.user = { ...liar.user, sid: 'sid-2' };
  const third = await enter();
  assert.is((await logout(await liar.logoutToken({ sid: 'sid-2' }))).status, 200);
  assert.equal([await statusOf(first), await statusOf(third)], [200, 401], 'one session of the provider');
  const token = await liar.logoutToken();
  assert.is((await logout(token)).status, 200);
  assert.equal([await statusOf(first), await statusOf(second)], [401, 401], 'all of the person');
  assert.is((await logout(token)).status, 400, 'a second time');
  assert.is(await statusOf(byPassword), 200, 'what the provider did not give it does not take');
  await dashboard.close();
  await liar.close();
});

test('a sign-in with the provider lasts as long as the settings say, and needs no code', async () => {
  const liar = await startLiar();
  const dashboard = await startWith(liar);
  dashboard.db.prepare('update account set second_factor = 1').run();
  const browser = dashboard.browser();
  await come(browser);
  assert.is((await meOf(browser)).lacksFactor, false);
  dashboard.clock.now += 12 * hourMs;
  assert.is((await browser.get('/app/me')).status, 401);
  assert.ok(accounts(dashboard.db).list().length === 1);
  await dashboard.close();
  await liar.close();
});

test('without settings there is no such page', async () => {
  const dashboard = await startDashboard();
  await dashboard.signedIn();
  const answer = await dashboard.browser().get('/sign-in/oidc');
  assert.equal([answer.status, locationOf(answer)], [200, null], 'the page of signing in');
  assert.is((await dashboard.browser().post('/sign-in/oidc/backchannel', {})).status, 405);
  await dashboard.close();
});

test.run();
