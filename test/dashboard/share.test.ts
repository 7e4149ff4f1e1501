/** Public pages: their address is the credential, and reads one site. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { hideableParts } from '../../src/model/grant.ts';
import { type PublicPart, publicPartNames } from '../../src/model/public-parts.ts';
import { accounts } from '../../src/store/accounts/accounts.ts';
import { type Browser, berlin, makePublic, startDashboard, stateOf, type TestDashboard } from './helpers.ts';

const withShared = async (dashboard: TestDashboard) => {
  const { browser } = await dashboard.signedIn();
  const add = async (domain: string) => (await browser.post('/app/sites', { domain, ...berlin })).json;
  const site = await add('a.example');
  const other = await add('b.example');
  return { browser, site, other, ...(await makePublic(browser, site.id)) };
};

const stats = (browser: Browser, id: string, token: string) =>
  browser.get(`/api/v1/sites/${id}/stats`, { authorization: `Share ${token}` });

const noWays = { password: false, passkey: false, provider: null };

test('a public page shows one site and nothing of its owner', async () => {
  const dashboard = await startDashboard();
  const { browser, site, token } = await withShared(dashboard);
  const { id, domain, timezone, currency, identityMode } = site;
  for (const reader of [dashboard.browser(), browser]) {
    for (const path of ['', '/events', '/visits?range=7d']) {
      const page = await reader.get(`/share/${token}${path}`);
      assert.is(page.status, 200);
      assert.equal(stateOf(page), {
        language: 'en',
        me: null,
        share: { id, domain, timezone, currency, identityMode, hidden: hideableParts, isRollup: false },
        ways: noWays,
      });
      assert.is(page.headers.get('x-robots-tag'), 'noindex, nofollow');
      assert.match(page.text, /<meta name="robots" content="noindex, nofollow">/);
      assert.match(page.text, /<title>a\.example<\/title>/);
      assert.is(page.headers.get('set-cookie'), null);
    }
  }
  await dashboard.close();
});

test('pages of the hosts that its owner names may show a public page in a frame, and no other page of ours', async () => {
  const dashboard = await startDashboard();
  const { browser, site, token } = await withShared(dashboard);
  const ancestors = async (path: string): Promise<string | undefined> =>
    /frame-ancestors ([^;]*)/.exec((await browser.get(path)).headers.get('content-security-policy')!)?.[1];
  assert.is(await ancestors(`/share/${token}`), "'none'");
  const hosts = ['Blog.example', '*.a.example', '', 'localhost:8080', 'blog.example'];
  const changed = await browser.post(`/app/sites/${site.id}`, { embedHosts: hosts });
  assert.equal(changed.json.embedHosts, ['blog.example', '*.a.example', 'localhost:8080']);
  for (const path of ['', '/events']) {
    assert.is(await ancestors(`/share/${token}${path}`), 'blog.example *.a.example localhost:8080');
  }
  for (const path of ['/sites/a.example', '/settings', '/share/nothing']) assert.is(await ancestors(path), "'none'");
  for (const host of ["a.example 'self'", 'a.example; script-src *', 'https://a.example', '*', 'a,b', 'ä.example']) {
    const refused = await browser.post(`/app/sites/${site.id}`, { embedHosts: [host] });
    assert.equal([refused.status, refused.json.field], [400, 'embedHosts'], host);
  }
  const many = Array.from({ length: 21 }, (_, i) => `${i}.example`);
  assert.is((await browser.post(`/app/sites/${site.id}`, { embedHosts: many })).status, 400);
  await dashboard.close();
});

test('the token reads its own site through the API and nothing else', async () => {
  const dashboard = await startDashboard();
  const { site, other, token } = await withShared(dashboard);
  const stranger = dashboard.browser();
  assert.is((await stats(stranger, site.id, token)).status, 200);
  assert.is((await stats(stranger, site.publicKey, token)).status, 200);
  assert.is((await stats(stranger, other.id, token)).status, 404);
  assert.is((await stats(stranger, site.id, `${token}x`)).status, 401);
  const listed = await stranger.get('/api/v1/sites', { authorization: `Share ${token}` });
  assert.equal(
    listed.json.data.map(({ domain }: { domain: string }) => domain),
    ['a.example'],
  );
  const exported = await stranger.get(`/api/export/${site.id}?share=${token}`);
  assert.equal([exported.status, exported.headers.get('content-type')], [200, 'text/csv; charset=utf-8']);
  assert.is((await stranger.get(`/api/export/${other.id}?share=${token}`)).status, 404);
  assert.is((await stranger.get(`/api/export/${site.id}?share=${token}x`)).status, 401);
  await dashboard.close();
});

test('the public page of a rollup does not tell which sites it reads', async () => {
  const dashboard = await startDashboard();
  const { browser, site } = await withShared(dashboard);
  const made = await browser.post('/app/rollups', { name: 'All', sites: [site.id] });
  const shared = await browser.post(`/app/rollups/${made.json.id}`, {});
  assert.is(shared.status, 200);
  const { token } = await makePublic(browser, made.json.id);
  const stranger = dashboard.browser();
  const authorization = `Share ${token}`;
  const path = `/api/ext/sites/${made.json.id}/members`;
  const refused = await stranger.get(path, { authorization });
  assert.equal([refused.status, refused.json], [403, { error: 'the sites of a rollup are not public' }]);
  assert.is((await stranger.get(`/api/v1/sites/${made.json.id}/stats`, { authorization })).status, 200);
  assert.is((await browser.get(path)).status, 200);
  await dashboard.close();
});

test('a public page shows no single visit, whose traits may name somebody', async () => {
  const dashboard = await startDashboard();
  const { browser, site, token, path: link } = await withShared(dashboard);
  const stranger = dashboard.browser();
  const ext = `/api/ext/sites/${site.id}`;
  for (const path of [`${ext}/visits`, `${ext}/hits?visit=x`, `/api/export/${site.id}?mode=sessions`]) {
    const asked = path.includes('export') ? `${path}&share=${token}` : path;
    const refused = await stranger.get(asked, path.includes('export') ? {} : { authorization: `Share ${token}` });
    assert.equal([refused.status, refused.json], [403, { error: 'single visits are not public' }], path);
    assert.is((await browser.get(path)).status, 200, path);
  }
  await browser.post(link, { parts: publicPartNames });
  const funnel = `${ext}/funnel?step=path%3D/&step=${encodeURIComponent('path=/a&trait:email*=@')}`;
  const questions = ['stats', 'series', 'breakdown', 'events', 'realtime'].flatMap(name =>
    ['trait:email=a', 'visit:trait:id!=1', 'trait:name='].map(filter => `/api/v1/sites/${site.id}/${name}?${filter}`),
  );
  for (const path of [...questions, funnel, `${ext}/journey?trait:email=a`]) {
    const refused = await stranger.get(path, { authorization: `Share ${token}` });
    assert.equal([refused.status, refused.json], [403, { error: 'single visits are not public' }], path);
    assert.is((await browser.get(path)).status, 200, path);
  }
  const definitions = `/app/sites/${site.id}/definitions`;
  await browser.post(definitions, { kind: 'segment', name: 'Ada', filters: 'trait:email=ada@example.com' });
  await browser.post(definitions, { kind: 'segment', name: 'Docs', filters: 'path^=/docs/' });
  const shown = await stranger.get(`${ext}/segments`, { authorization: `Share ${token}` });
  assert.equal(shown.json.data, [{ name: 'Docs', filters: 'path^=/docs/' }]);
  const named = await stranger.get(`/api/v1/sites/${site.id}/stats?segment=Ada`, { authorization: `Share ${token}` });
  assert.equal([named.status, named.json.error], [403, 'single visits are not public']);
  for (const name of ['vitals', 'suspects'])
    assert.is((await stranger.get(`${ext}/${name}`, { authorization: `Share ${token}` })).status, 200, name);
  await dashboard.close();
});

/** Parts that no field of a hit tells of. */
const nothing = { outcomes: [], funnels: [], notes: [], crawlers: [], revenue: [] };

/** What tells of a part that a public page does not show by itself. */
const questionsOf = (part: PublicPart): string[] => {
  const filters = {
    queries: ['query=a', 'query!=a', 'query*=@', 'query^=', 'query!*=x', 'query$=x'],
    networks: ['network^=AS1'],
    events: ['event*=Signup', 'event!=a', 'visit:event=Signup'],
    ...nothing,
  };
  const properties = ['propKey=mail', 'propValue*=@', 'propKey!=a&propValue!=b'];
  const filtered = { ...filters, properties }[part].flatMap(filter =>
    ['stats', 'series', 'breakdown', 'events', 'realtime', 'events?event=a&series=1'].map(
      name => `${name}${name.includes('?') ? '&' : '?'}${filter}`,
    ),
  );
  const direct = {
    queries: ['breakdown?dimension=query', 'breakdown?range=7d&dimension=query&limit=1'],
    properties: [
      'events?event=a',
      'events?event=a&series=0',
      'events?event=a&property=b',
      'events?event=a&property=b&histogram=1',
      'events?event=a&event=b&series=false',
      'breakdown?dimension=prop:mail',
    ],
    networks: ['breakdown?dimension=network'],
    events: ['breakdown?dimension=event', 'events', 'events?event=a&series=1'],
    ...nothing,
  };
  return [...filtered, ...direct[part]];
};

/** Under /api/ext. */
const beyond: Partial<Record<PublicPart, string[]>> = {
  outcomes: ['outcomes'],
  notes: ['notes'],
  funnels: ['funnels'],
  crawlers: ['crawlers', 'crawlers?by=path'],
  revenue: ['series?metrics=revenue', 'table?metrics=revenue', 'table?metrics=visitors&sort=revenue'],
  events: [
    'table?dimension=event&metrics=visitors',
    'journey?show=events',
    'journey?show=all',
    'journey?via=event%3Da&show=all',
  ],
};

test('money is in no answer to a public page that does not show it, and events are in none', async () => {
  const dashboard = await startDashboard();
  const { browser, site, token, path: link } = await withShared(dashboard);
  const headers = { authorization: `Share ${token}` };
  const stranger = dashboard.browser();
  const goal = { kind: 'goal', name: 'Home', conditions: 'path=/', value: '500' };
  await browser.post(`/app/sites/${site.id}/definitions`, goal);
  const moneyOf = async () => {
    const { json: shown } = await stranger.get(`/api/v1/sites/${site.id}/stats?range=7d`, headers);
    const { json: goals } = await stranger.get(`/api/ext/sites/${site.id}/goals`, headers);
    const { text } = await stranger.get(`/api/export/${site.id}?share=${token}`);
    const [reached] = goals.data;
    return [shown.revenue, shown.previous.revenue, reached.revenue, reached.totalValue, /Revenue/.test(text)];
  };
  assert.equal(await moneyOf(), [null, null, null, null, false]);
  await browser.post(link, { parts: ['revenue'] });
  assert.equal(await moneyOf(), [0, 0, 0, 0, true]);
  const live = await stranger.get(`/api/v1/sites/${site.id}/realtime`, headers);
  assert.equal(live.json.topEvents, []);
  await dashboard.close();
});

test('a public page answers for numbers alone, and for more only as its owner says', async () => {
  const dashboard = await startDashboard();
  const { browser, site, token, path: link } = await withShared(dashboard);
  const stranger = dashboard.browser();
  const headers = { authorization: `Share ${token}` };
  const statusesOf = async (part: PublicPart, hasEvents: boolean): Promise<Set<string>> => {
    const seen = new Set<string>();
    const asks = questionsOf(part).filter(ask => hasEvents || part === 'events' || !ask.startsWith('events'));
    for (const ask of asks) {
      const { status, json } = await stranger.get(`/api/v1/sites/${site.id}/${ask}`, headers);
      seen.add(`${status} ${json.error}`);
    }
    for (let i = 0; i < asks.length; i += 20) {
      const asked = new URLSearchParams(asks.slice(i, i + 20).map(ask => ['ask', ask]));
      const { text } = await stranger.get(`/api/ext/sites/${site.id}/answers?${asked}`, headers);
      for (const line of text.trim().split('\n')) seen.add(`${JSON.parse(line).status} ${JSON.parse(line).body.error}`);
    }
    for (const [, filter] of asks.flatMap(ask => [...ask.matchAll(/^stats\?(.*)/g)])) {
      const { status, json } = await stranger.get(`/api/export/${site.id}?share=${token}&${filter}`);
      seen.add(`${status} ${json?.error}`);
    }
    const filter = {
      properties: 'propKey=a',
      queries: 'query*=a',
      networks: 'network*=a',
      events: 'event=a',
      ...{ outcomes: null, funnels: null, notes: null, crawlers: null, revenue: null },
    }[part];
    for (const name of filter === null ? [] : ['funnel?step=path%3D/&step=', 'journey?anchor=path%3D/%7C']) {
      const condition = encodeURIComponent(`path=/&${filter}`);
      const { status, json } = await stranger.get(`/api/ext/sites/${site.id}/${name}${condition}`, headers);
      seen.add(`${status} ${json.error}`);
    }
    for (const path of beyond[part] ?? []) {
      const { status, json } = await stranger.get(`/api/ext/sites/${site.id}/${path}`, headers);
      seen.add(`${status} ${json.error}`);
    }
    return seen;
  };

  const alone = publicPartNames.map((part): PublicPart[] => (part === 'properties' ? ['events', part] : [part]));
  for (const shown of [[], ...alone, publicPartNames]) {
    // What an event carried is a question about events.
    const isShown = (part: PublicPart): boolean => shown.includes(part);
    const changed = await browser.post(link, { parts: shown });
    assert.equal([changed.status, changed.json.data[0].parts], [200, shown]);
    const rest = hideableParts.filter(part => !shown.some(name => name === part));
    assert.equal(stateOf(await stranger.get(`/share/${token}`)).share!.hidden, rest);
    for (const part of publicPartNames) {
      if (part === 'properties' && !isShown('events')) continue;
      const want = isShown(part) ? '200 undefined' : `403 ${part} ${part === 'revenue' ? 'is' : 'are'} not public`;
      assert.equal([...(await statusesOf(part, isShown('events')))], [want], `${part} of a page that shows ${shown}`);
    }
    // Its owner, and what every page shows, are not concerned.
    assert.is((await browser.get(`/api/ext/sites/${site.id}/outcomes`)).status, 200);
    assert.is((await browser.get(`/api/v1/sites/${site.id}/events?event=a&propKey=b&query=c`)).status, 200);
  }
  const wrong = await browser.post(link, { parts: ['visits'] });
  assert.equal([wrong.status, wrong.json.field], [400, 'parts']);
  await dashboard.close();
});

test('no link makes a browser fetch cells with formulas: that takes a key, or a page of this host', async () => {
  const dashboard = await startDashboard();
  const { browser, site, token } = await withShared(dashboard);
  const path = `/api/export/${site.id}?raw=1`;
  const { key } = (await browser.post('/app/keys', { name: 'k' })).json;
  const status = async (by: Browser, asked: string, headers?: Record<string, string>) =>
    (await by.get(asked, headers)).status;
  const refused = await browser.get(path, { 'sec-fetch-site': 'cross-site' });
  assert.equal([refused.status, refused.json], [403, { error: 'raw needs an API key' }]);
  for (const from of ['none', 'same-site'])
    assert.is(await status(browser, path, { 'sec-fetch-site': from }), 403, from);
  assert.is(await status(browser, path), 403, 'a browser that does not say where the link was');
  assert.is(await status(browser, path.replace('raw=1', 'raw=0&raw=1')), 403);
  assert.is(await status(dashboard.browser(), `${path}&share=${token}`), 403);
  assert.is(await status(browser, path, { 'sec-fetch-site': 'same-origin' }), 200);
  assert.is(await status(dashboard.browser(), path, { authorization: `Bearer ${key}` }), 200);
  assert.is(await status(browser, path.replace('raw=1', ''), { 'sec-fetch-site': 'cross-site' }), 200);
  await dashboard.close();
});

test('the token changes nothing', async () => {
  const dashboard = await startDashboard();
  const { site, token } = await withShared(dashboard);
  const stranger = dashboard.browser();
  stranger.cookie = `daybook=${token}`;
  const headers = { authorization: `Share ${token}` };
  for (const path of ['', '/shares', '/shares/1', '/shares/1/address', '/shares/1/remove', '/reset', '/remove'])
    assert.is((await stranger.post(`/app/sites/${site.id}${path}?share=${token}`, {}, headers)).status, 401, path);
  for (const path of ['/app/me', '/app/keys', `/app/sites/${site.id}/imports`])
    assert.is((await stranger.get(`${path}?share=${token}`, headers)).status, 401, path);
  await dashboard.close();
});

test('a renewed page has a new address, and a removed one none', async () => {
  const dashboard = await startDashboard();
  const { browser, site, token, path: link } = await withShared(dashboard);
  const stranger = dashboard.browser();
  const renewed = (await browser.post(`${link}/address`)).json.data[0].url.split('/share/')[1];
  assert.is.not(renewed, token);
  const alive = async (of: string) => [
    (await stranger.get(`/share/${of}`)).status,
    (await stats(stranger, site.id, of)).status,
    (await stranger.get(`/api/export/${site.id}?share=${of}`)).status,
  ];
  assert.equal(await alive(token), [404, 401, 401]);
  assert.equal(await alive(renewed), [200, 200, 200]);
  // Its owner sees what everybody sees, though the browser sends the cookie along.
  assert.is((await stats(browser, site.id, token)).status, 401);
  assert.is((await browser.get(`/api/export/${site.id}?share=${token}`)).status, 401);

  assert.equal((await browser.post(`${link}/remove`)).json.data, []);
  assert.equal(await alive(renewed), [404, 401, 401]);
  for (const path of ['/share', '/share/', '/share/undefined', '/share/%00'])
    assert.is((await stranger.get(path)).status, 404, path);
  await dashboard.close();
});

test('people who are signed in read every site of their account through the API, on every plan', async () => {
  const dashboard = await startDashboard();
  const { browser, site, other } = await withShared(dashboard);
  accounts(dashboard.db).setPlan(1, 'hobby');
  for (const { id } of [site, other]) {
    assert.is((await browser.get(`/api/v1/sites/${id}/stats`)).status, 200);
    assert.is((await browser.get(`/api/ext/sites/${id}/crawlers`)).status, 200);
    assert.is((await browser.get(`/api/export/${id}`)).status, 200);
  }
  const { key } = (await browser.post('/app/keys', { name: 'k' })).json;
  const byKey = await browser.get('/api/v1/sites', { authorization: `Bearer ${key}` });
  assert.equal([byKey.status, byKey.json], [403, { error: 'API access requires a paid plan' }]);
  const badKey = await browser.get('/api/v1/sites', { authorization: 'Bearer tk_live_none' });
  assert.is(badKey.status, 401, 'a wrong key is not made good by a cookie');
  await browser.post('/app/sign-out');
  assert.is((await browser.get(`/api/v1/sites/${site.id}/stats`)).status, 401);
  await dashboard.close();
});

test.run();
