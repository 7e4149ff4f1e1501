/** Every route, asked by everybody: nobody gets more than the table of rights says, nor less. */
import { randomBytes } from 'node:crypto';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createDashboard } from '../../src/dashboard/dashboard.ts';
import { type MemberRole, memberRoles } from '../../src/model/person.ts';
import { isAtLeast, type Right, rights } from '../../src/model/rights.ts';
import { accounts, apiKeys } from '../../src/store/accounts/accounts.ts';
import { logins } from '../../src/store/accounts/logins.ts';
import { members } from '../../src/store/accounts/members.ts';
import { persons } from '../../src/store/accounts/persons.ts';
import { sites } from '../../src/store/sites.ts';
import { assetsDir, type Browser, berlin, startDashboard } from './helpers.ts';

const dashboard = await startDashboard();
const { db, clock } = dashboard;
const { browser: owner, me } = await dashboard.signedIn();
const team = me.teams[0]!.id;
const account = accounts(db).named('default', 0);
const site = (await owner.post('/app/sites', { domain: 'a.example', ...berlin })).json;
const second = (await owner.post('/app/sites', { domain: 'b.example', ...berlin })).json;
const both = (await owner.post('/app/rollups', { name: 'Both', sites: [site.id, second.id] })).json;
const rollup = (await owner.post('/app/rollups', { name: 'One', sites: [second.id] })).json;
const other = accounts(db).add('other', 'unlimited', 0);

interface Who {
  browser: Browser;
  role: MemberRole | null;
  /** Ids of the sites that they may read; null for all. */
  reads: string[] | null;
  isOperator: boolean;
}

const personOf = (name: string): number => persons(db).add(`${name}@example.com`, 0).id;
const signIn = (personId: number): Browser => {
  const browser = dashboard.browser();
  const token = randomBytes(32).toString('hex').slice(0, 43);
  logins(db).begin('browser', personId, token, clock.now);
  browser.cookie = `daybook=${token}`;
  return browser;
};
const join = (accountId: number, personId: number, role: MemberRole, limits: object = {}): void =>
  members(db).set({ accountId, personId, role, sites: null, hidden: [], createdAt: 0, ...limits });

const member = (role: MemberRole, name: string = role, limits: { sites?: string[]; hidden?: string[] } = {}): Who => {
  const id = personOf(name);
  join(account.id, id, role, limits);
  return { browser: signIn(id), role, reads: limits.sites ?? null, isOperator: false };
};
const outside = (name: string): { id: number; who: Who } => {
  const id = personOf(name);
  return { id, who: { browser: signIn(id), role: null, reads: null, isOperator: false } };
};

const operator = outside('operator');
persons(db).setOperator(operator.id, true);
const neighbour = outside('neighbour');
join(other.id, neighbour.id, 'owner');
const removed = outside('removed');
join(account.id, removed.id, 'owner');
assert.is((await removed.who.browser.get('/app/me')).json.sites.length, 4);
members(db).remove(account.id, removed.id);
const disabled = outside('disabled');
join(account.id, disabled.id, 'admin');
persons(db).setDisabled(disabled.id, clock.now);

const people: Record<string, Who> = {
  nobody: { browser: dashboard.browser(), role: null, reads: null, isOperator: false },
  disabled: disabled.who,
  viewer: member('viewer'),
  'viewer of one site': member('viewer', 'limited', { sites: [site.id] }),
  'viewer of a site that is gone': member('viewer', 'gone', { sites: [] }),
  'viewer with hidden parts': member('viewer', 'hidden', { hidden: ['visits', 'revenue', 'events'] }),
  editor: member('editor'),
  admin: member('admin'),
  owner: member('owner', 'second-owner'),
  'operator without a team': { ...operator.who, isOperator: true },
  'owner of another team': neighbour.who,
  removed: removed.who,
};

/** The same routes as the server's. */
const { routes } = createDashboard({
  ...({
    engine: null,
    directory: dashboard.directory,
    now: () => 0,
    random: randomBytes,
    log: () => {},
  } as never as object),
  ...({
    db,
    addressOf: () => '',
    baseUrl: null,
    collectorUrl: () => null,
    dropRows: () => {},
    work: null,
  } as never as object),
  ...({ uploads: null, nodes: () => [], assetsDir: assetsDir() } as never as object),
} as never);
const asked = routes.filter(({ path, right }) => path.startsWith('/app/') && right !== 'anybody');

/** Ids that are nobody's, in the place of what a path names within a site or team. */
const filled = (path: string, ids: { site: string; team: string }): string =>
  path.replace(':site', ids.site).replace(':team', ids.team).replace(/:\w+/g, '99999');

const isSignedIn = (name: string): boolean => name !== 'nobody' && name !== 'disabled';

/** What a route answers first: 0 for somebody who may, whatever becomes of the empty request. */
const wanted = (name: string, who: Who, path: string, right: string, siteId: string): number => {
  if (!isSignedIn(name)) return 401;
  if (right === 'self') return 0;
  if (right === 'operator') return who.isOperator ? 0 : 403;
  const reads = who.role !== null && (who.reads === null || who.reads.includes(siteId));
  if (path.includes(':site') && !reads) return 404;
  if (path.includes(':team') && who.role === null) return 404;
  if (who.role === null) return name === 'owner of another team' ? 0 : 403;
  return isAtLeast(who.role, rights[right as Right]) ? 0 : 403;
};

/** What would change what the next question finds. */
const ends = /\/(leave|remove)$/;

test('every route that needs somebody is asked by everybody', async () => {
  assert.ok(asked.length > 35, String(asked.length));
  let count = 0;
  for (const { method, path, right } of asked) {
    for (const [name, who] of Object.entries(people)) {
      for (const of of [site, second, both, rollup]) {
        if (!path.includes(':site') && of !== site) continue;
        if (path.startsWith('/app/rollups/') && !of.isRollup) continue;
        const at = filled(path, { site: of.id, team });
        const reads = of === both || of === rollup ? 'rollup' : of.id;
        const want = wanted(name, who, path, right, reads);
        if (want === 0 && (ends.test(path) || path.endsWith('/sign-out'))) continue;
        const type = path.includes(':upload') ? { 'content-type': 'application/octet-stream' } : {};
        const { status, text } = method === 'GET' ? await who.browser.get(at) : await who.browser.post(at, {}, type);
        const label = `${method} ${at} by ${name}: ${status} ${text.slice(0, 100)}`;
        count++;
        if (want !== 0) {
          // A form without the team in its address may say which first.
          const isOther = want === 403 && status === 404 && method === 'GET' && who.role === null;
          assert.ok(status === want || isOther, `${label}, and not ${want}`);
        } else assert.ok(status !== 401 && status !== 403 && !/no such (site|team)/.test(text), label);
      }
    }
  }
  assert.ok(count > 1000, String(count));
});

test('ids of another team in path, body and filter lead nowhere', async () => {
  const { browser } = neighbour.who;
  for (const { method, path } of asked.filter(({ path }) => /:site|:team/.test(path))) {
    const at = filled(path, { site: site.id, team });
    const { status } = method === 'GET' ? await browser.get(at) : await browser.post(at, {});
    assert.ok([404, 415].includes(status), `${method} ${at} ${status}`);
  }
  const theirs = (await browser.get('/app/me')).json.teams[0].id;
  const rows: [path: string, body: object][] = [
    ['/app/sites', { team, domain: 'c.example', ...berlin }],
    ['/app/keys', { team, name: 'k' }],
    ['/app/keys', { name: 'k', sites: [site.id] }],
    ['/app/rollups', { team, name: 'r', sites: [site.id] }],
    [`/app/teams/${theirs}/invitations`, { email: 'x@example.com', role: 'viewer', sites: [site.id] }],
  ];
  for (const [path, body] of rows) assert.is((await browser.post(path, body)).status, 404, path);
  const listed = await browser.post('/app/rollups', { name: 'r', sites: [site.id] });
  assert.is(listed.status, 400);
  assert.not.match(listed.text, /a\.example/);
  for (const path of [
    `/api/v1/sites/${site.id}/stats`,
    '/api/v1/sites/a.example/stats',
    `/api/ext/sites/${site.id}/notes`,
  ])
    assert.is((await browser.get(path)).status, 404, path);
  const key = apiKeys(db).add(account.id, 'k', 'tk_live_k', 0);
  assert.is((await browser.post(`/app/keys/${key.id}/revoke`)).status, 404);
  assert.ok(apiKeys(db).find('tk_live_k'));
});

test('the API reads what the table of rights says, whichever way a site is named', async () => {
  const readable: Record<string, string[]> = {
    nobody: [],
    disabled: [],
    'viewer of one site': ['a.example'],
    'viewer of a site that is gone': [],
    'operator without a team': [],
    'owner of another team': [],
    removed: [],
  };
  for (const [name, { browser }] of Object.entries(people)) {
    const want = readable[name] ?? ['a.example', 'b.example'];
    for (const one of [site, second]) {
      for (const id of [one.id, one.domain, one.publicKey]) {
        const { status } = await browser.get(`/api/v1/sites/${id}/stats?range=7d`);
        const isOut = !isSignedIn(name) || name === 'removed' || name === 'operator without a team';
        assert.is(status, want.includes(one.domain) ? 200 : isOut ? 401 : 404, `${name} ${id}`);
      }
    }
    const rollups = await browser.get(`/api/v1/sites/${both.id}/stats`);
    assert.is(rollups.status === 200, want.length === 2, `${name} sees the rollup`);
    const listed = (await browser.get('/api/v1/sites')).json?.data ?? [];
    assert.equal(
      listed.map(({ domain }: { domain: string }) => domain),
      want,
      name,
    );
  }
});

test('hidden parts are refused by the API, in lists and filters, too', async () => {
  const hidden = people['viewer with hidden parts']!.browser;
  const viewer = people.viewer!.browser;
  const base = `/api/ext/sites/${site.id}`;
  const refused = [
    `${base}/visits`,
    `${base}/hits`,
    `${base}/latest-hits`,
    `${base}/table?dimension=path&metrics=visitors,revenue`,
    `${base}/table?dimension=event&metrics=visitors`,
    `/api/v1/sites/${site.id}/events`,
    `/api/v1/sites/${site.id}/stats?event=Signup`,
    `/api/v1/sites/${site.id}/stats?trait:email=a`,
    `/api/export/${site.id}?mode=sessions`,
  ];
  for (const path of refused) {
    assert.is((await hidden.get(path)).status, 403, path);
    assert.is.not((await viewer.get(path)).status, 403, path);
  }
  await owner.post(`/app/sites/${site.id}/definitions`, { kind: 'segment', name: 'S', filters: 'event=Signup' });
  await owner.post(`/app/sites/${site.id}/definitions`, { kind: 'segment', name: 'T', filters: 'country=DE' });
  const names = async (browser: Browser) =>
    (await browser.get(`/app/sites/${site.id}/definitions`)).json.segments.map(({ name }: { name: string }) => name);
  assert.equal(await names(hidden), ['T']);
  assert.equal(await names(viewer), ['S', 'T']);
});

test('settings that take another right are refused, and those who may not change any see none', async () => {
  await owner.post(`/app/sites/${site.id}`, { excludedIps: ['203.0.113.7'] });
  const change = (who: string, body: object) => people[who]!.browser.post(`/app/sites/${site.id}`, body);
  assert.is((await change('editor', { timezone: 'Europe/Paris' })).status, 200);
  for (const body of [{ domain: 'z.example' }, { identityMode: 'cookie' }, { embedHosts: ['a.example'] }])
    assert.is((await change('editor', body)).status, 403, JSON.stringify(body));
  assert.is((await change('admin', { embedHosts: ['a.example'] })).status, 200);
  const seen = async (who: string) => {
    const { sites: all } = (await people[who]!.browser.get('/app/me')).json;
    return all.find(({ id }: { id: string }) => id === site.id).excludedIps;
  };
  assert.equal([await seen('viewer'), await seen('editor')], [[], ['203.0.113.7']]);
});

test('a rollup of which somebody may not read a site is not there for them', async () => {
  const { browser } = people['viewer of one site']!;
  const uuids = (await browser.get('/app/me')).json.sites.map(({ id }: { id: string }) => id);
  assert.equal(uuids, [site.id]);
  // Without its other site it is one that they may read wholly.
  sites(db).remove(
    sites(db)
      .list()
      .find(({ uuid }) => uuid === second.id)!.id,
  );
  dashboard.directory.reload();
  const after = (await browser.get('/app/me')).json.sites.map(({ id }: { id: string }) => id);
  assert.equal(after.sort(), [both.id, site.id].sort());
  assert.ok(!after.includes(rollup.id), 'a rollup without any site is nobody’s who is limited');
});

test('each right has a role, and a higher role has all rights of a lower one', () => {
  for (const role of memberRoles)
    for (const least of Object.values(rights))
      assert.is(isAtLeast(role, least), memberRoles.indexOf(role) >= memberRoles.indexOf(least));
});

test.after(() => dashboard.close());
test.run();
