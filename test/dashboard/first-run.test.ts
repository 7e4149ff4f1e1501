import { randomBytes } from 'node:crypto';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createPasswords } from '../../src/dashboard/passwords.ts';
import type { Me, TeamView } from '../../src/dashboard/wire.ts';
import { noLocaleChoice } from '../../src/model/locale.ts';
import { rightNames } from '../../src/model/rights.ts';
import { accounts, apiKeys } from '../../src/store/accounts/accounts.ts';
import { credentials } from '../../src/store/accounts/credentials.ts';
import { linkMs, signInLinks } from '../../src/store/accounts/sign-in-links.ts';
import { berlin, email, makePublic, password, startDashboard, stateOf, tokenOf } from './helpers.ts';

test('the first run leads from a link to a password, a site and its tag', async () => {
  const dashboard = await startDashboard();
  const browser = dashboard.browser();
  assert.match(String(dashboard.firstRunPath()), /^\/first-run#[\dA-Za-z]{43}$/);
  const token = tokenOf(dashboard.firstRunPath());

  assert.equal(stateOf(await browser.get('/first-run')), {
    ...{ language: 'en', me: null, share: null },
    ways: { password: true, passkey: false, provider: null },
  });
  const looked = await browser.post('/app/link', { token });
  assert.equal([looked.status, looked.json], [200, { account: 'default', email: null }]);

  const used = await browser.post('/app/link/use', { token, email: ' Ada@Example.com ', password });
  assert.is(used.status, 200);
  const { person, teams, sites } = used.json as Me;
  const { id: personId, ...about } = person;
  assert.match(personId, /^[\da-f]{32}$/);
  assert.equal(about, { email, name: '', locale: noLocaleChoice, isOperator: true });
  assert.equal(
    teams.map(({ id, ...team }) => team),
    [
      {
        name: 'default',
        role: 'owner',
        rights: rightNames,
        hidden: [],
        plan: 'unlimited',
        requireSecondFactor: false,
        retentionDays: null,
      },
    ],
  );
  assert.equal(sites, []);
  assert.equal((await browser.get('/app/me')).json, used.json);
  assert.is((await browser.get('/')).status, 200, 'without a site there is a page to add one');

  const added = await browser.post('/app/sites', { domain: 'https://Example.com/', ...berlin });
  assert.is(added.status, 200);
  const { id, publicKey, ...rest } = added.json;
  assert.equal(rest, {
    domain: 'example.com',
    ...berlin,
    identityMode: 'hash',
    createdAt: '2026-11-20T12:00:00.000Z',
    isRollup: false,
    team: teams[0]!.id,
    hidden: [],
    aliases: [],
    excludedIps: [],
    excludedPaths: [],
    allowedHosts: [],
    excludedCountries: [],
    senderHits: null,
    senderBurst: null,
    keepDays: null,
    embedHosts: [],
    leftOut: [],
    managed: null,
    members: null,
    tag: `<script defer src="${dashboard.url}/t.js" data-site="${publicKey}"></script>`,
  });
  assert.match(id, /^[\da-f-]{36}$/);
  assert.match(publicKey, /^pk_live_[\dA-Za-z]{24}$/);
  const home = await browser.get('/');
  assert.equal([home.status, home.headers.get('location')], [302, '/sites/example.com']);
  await dashboard.close();
});

test('the link works once', async () => {
  const dashboard = await startDashboard();
  const token = tokenOf(dashboard.firstRunPath());
  const { browser } = await dashboard.signedIn();
  assert.is(dashboard.firstRunPath(), null);
  for (const path of ['/app/link', '/app/link/use']) {
    const again = await dashboard.browser().post(path, { token, email: 'eve@example.com', password: 'password' });
    assert.equal([again.status, again.json], [404, { error: 'This link has expired or was already used.' }]);
  }
  assert.is((await browser.get('/app/me')).json.person.email, email);
  await dashboard.close();
});

test('of two people who use the link at once, one gets in', async () => {
  const dashboard = await startDashboard();
  const token = tokenOf(dashboard.firstRunPath());
  const both = await Promise.all(
    ['a@example.com', 'b@example.com'].map(email =>
      dashboard.browser().post('/app/link/use', { token, email, password }),
    ),
  );
  assert.equal(both.map(({ status }) => status).sort(), [200, 404]);
  await dashboard.close();
});

test('each start makes a new link until there is a password', async () => {
  const dashboard = await startDashboard();
  const first = tokenOf(dashboard.firstRunPath());
  await dashboard.restart();
  const second = tokenOf(dashboard.firstRunPath());
  assert.is.not(first, second);
  assert.is((await dashboard.browser().post('/app/link', { token: first })).status, 404);
  assert.is((await dashboard.browser().post('/app/link', { token: second })).status, 200);
  await dashboard.signedIn();
  await dashboard.restart();
  assert.is(dashboard.firstRunPath(), null);
  await dashboard.close();
});

test('wrong values are reported by field and leave the link valid', async () => {
  const dashboard = await startDashboard();
  const token = tokenOf(dashboard.firstRunPath());
  const rows: [body: object, status: number, field: string | undefined, error: RegExp][] = [
    [{ token, email: 'ada', password }, 400, 'email', /"ada" is not an e-mail address/],
    [{ token, email, password: '1234567' }, 400, 'password', /at least 8 characters/],
    [{ token, email, password: 'Password1' }, 400, 'password', /one of the first that anybody would guess/],
    [{ token, email, password: 'IloveYou' }, 400, 'password', /one of the first/],
    [{ token, email, password: '‐‐‐‐‐‐‐‐‐' }, 400, 'password', /one of the first/],
    [{ token, email, password: email.toUpperCase() }, 400, 'password', /one of the first/],
    [{ token, email: 'ada.lovelace@example.com', password: 'Ada.Lovelace' }, 400, 'password', /one of the first/],
    [{ token, email, password, revokeKeys: 1 }, 400, 'revokeKeys', /true or false/],
    [{ token, email }, 400, 'password', /needs a text/],
    [{ token, email: 1, password }, 400, 'email', /needs a text/],
    [{ email, password }, 400, 'token', /needs a text/],
    [{ token: `${token}x`, email, password }, 404, undefined, /expired or was already used/],
  ];
  for (const [body, status, field, error] of rows) {
    const refused = await dashboard.browser().post('/app/link/use', body);
    assert.equal([refused.status, refused.json.field], [status, field]);
    assert.match(refused.json.error, error);
    assert.is(refused.headers.get('set-cookie'), null);
  }
  assert.ok((await dashboard.signedIn()).me.person);
  await dashboard.close();
});

test('an account’s link resets the password, signs out everywhere, and expires', async () => {
  const dashboard = await startDashboard();
  const { browser } = await dashboard.signedIn();
  const { id } = accounts(dashboard.db).named('default', 0);
  const links = signInLinks(dashboard.db);

  links.putForAccount(id, 'late', dashboard.clock.now - linkMs);
  assert.is((await browser.post('/app/link', { token: 'late' })).status, 404);
  links.putForAccount(id, 'just', dashboard.clock.now - linkMs + 1);
  assert.equal((await browser.post('/app/link', { token: 'just' })).json, { account: 'default', email });

  const other = dashboard.browser();
  assert.is((await other.post('/app/link/use', { token: 'just', email, password: 'another one' })).status, 200);
  assert.is((await browser.get('/app/me')).status, 401);
  assert.is((await other.get('/app/me')).status, 200);
  assert.is((await dashboard.browser().post('/app/sign-in', { email, password })).status, 401);
  assert.is((await dashboard.browser().post('/app/sign-in', { email, password: 'another one' })).status, 200);
  await dashboard.close();
});

test('who resets a password may revoke keys and public pages of the account, and no others', async () => {
  const dashboard = await startDashboard();
  const { browser } = await dashboard.signedIn();
  const acme = accounts(dashboard.db).add('acme', 'pro', 0);
  apiKeys(dashboard.db).add(acme.id, 'theirs', 'tk_live_theirs', 0);
  const { key } = (await browser.post('/app/keys', { name: 'k' })).json;
  const { id } = (await browser.post('/app/sites', { domain: 'a.example', ...berlin })).json;
  const { url } = await makePublic(browser, id);
  const alive = async () => [
    (await dashboard.browser().get('/api/v1/sites', { authorization: `Bearer ${key}` })).status,
    (await dashboard.browser().get(new URL(url).pathname)).status,
  ];
  const reset = async (revocation: object) => {
    signInLinks(dashboard.db).putForAccount(1, 'reset', dashboard.clock.now);
    const body = { token: 'reset', email, password, ...revocation };
    return (await dashboard.browser().post('/app/link/use', body)).status;
  };
  assert.equal([await reset({}), await alive()], [200, [200, 200]]);
  assert.equal([await reset({ revokeKeys: true, withdrawPages: false }), await alive()], [200, [401, 200]]);
  assert.equal([await reset({ withdrawPages: true }), await alive()], [200, [401, 404]]);
  assert.ok(apiKeys(dashboard.db).find('tk_live_theirs'));
  await dashboard.close();
});

test('an e-mail belongs to one account', async () => {
  const dashboard = await startDashboard();
  await dashboard.signedIn();
  const acme = accounts(dashboard.db).add('acme', 'pro', 0);
  signInLinks(dashboard.db).putForAccount(acme.id, 'acme-token', dashboard.clock.now);
  const body = { token: 'acme-token', email, password };
  const taken = await dashboard.browser().post('/app/link/use', body);
  assert.equal(
    [taken.status, taken.json],
    [409, { error: 'There is a person with the e-mail ada@example.com already.', field: 'email' }],
  );
  const used = await dashboard.browser().post('/app/link/use', { ...body, email: 'acme@example.com' });
  assert.equal(
    used.json.teams.map(({ name, role, plan, retentionDays }: TeamView) => [name, role, plan, retentionDays]),
    [['acme', 'owner', 'pro', 730]],
  );
  assert.equal([used.json.person.email, used.json.person.isOperator], ['acme@example.com', false]);
  await dashboard.close();
});

test('neither password nor token is in the database', async () => {
  const dashboard = await startDashboard();
  const token = tokenOf(dashboard.firstRunPath());
  const holds = (secret: string): boolean => dashboard.db.serialize().includes(secret);
  const { browser } = await dashboard.signedIn();
  assert.ok(holds(email));
  for (const secret of [token, password, browser.cookie!.slice('daybook='.length)]) assert.not(holds(secret));
  assert.match(credentials(dashboard.db).ofEmail(email)!.password!, /^scrypt\$8\$8\$1\$[\w-]{22}\$[\w-]{43}$/);
  assert.match(await createPasswords(randomBytes).record(password), /^scrypt\$17\$8\$1\$[\w-]{22}\$[\w-]{43}$/);
  await dashboard.close();
});

test.run();
