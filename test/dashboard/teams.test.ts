/** Members, invitations, leaving, keys with limits, and what is written down of it. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { AuditView, InvitationView, MemberView, TeamView } from '../../src/dashboard/wire.ts';
import { openInvitationsMax } from '../../src/model/limits.ts';
import { dayMs, hourMs } from '../../src/model/time.ts';
import { accounts, apiKeys } from '../../src/store/accounts/accounts.ts';
import { auditStore } from '../../src/store/accounts/audit.ts';
import { invitationMs, invitations } from '../../src/store/accounts/invitations.ts';
import { members } from '../../src/store/accounts/members.ts';
import { persons } from '../../src/store/accounts/persons.ts';
import { type Browser, berlin, email, password, startDashboard, type TestDashboard, tokenOf } from './helpers.ts';

/** An owner with two sites. */
const begin = async () => {
  const dashboard = await startDashboard();
  const { browser: owner, me } = await dashboard.signedIn();
  const add = async (domain: string) => (await owner.post('/app/sites', { domain, ...berlin })).json;
  const [a, b] = [await add('a.example'), await add('b.example')];
  return { dashboard, owner, team: `/app/teams/${me.teams[0]!.id}`, a, b };
};

/** Somebody who was invited and accepted. */
const joined = async (
  dashboard: TestDashboard,
  by: Browser,
  team: string,
  invite: { email: string; role?: string; sites?: string[]; hidden?: string[] },
): Promise<Browser> => {
  const made = await by.post(`${team}/invitations`, invite);
  assert.is(made.status, 200, made.text);
  const browser = dashboard.browser();
  const accepted = await browser.post('/app/invitation/accept', { token: tokenOf(made.json.url), name: 'X', password });
  assert.is(accepted.status, 200, accepted.text);
  return browser;
};

const idOf = (dashboard: TestDashboard, of: string): string => persons(dashboard.db).ofEmail(of)!.uuid;

test('an invitation is for one e-mail, one team and one use', async () => {
  const { dashboard, owner, team, a } = await begin();
  const made = await owner.post(`${team}/invitations`, {
    ...{ email: ' Vi@Example.com', role: 'viewer', sites: [a.id] },
  });
  const { url, mailed, ...view } = made.json;
  assert.is(mailed, false, 'no mail server is set');
  assert.equal(view, {
    ...{ id: '1', email: 'vi@example.com', role: 'viewer', sites: [a.id], hidden: ['visits'], invitedBy: email },
    expiresAt: new Date(dashboard.clock.now + invitationMs).toISOString(),
  });
  assert.match(url, new RegExp(`^${dashboard.url}/invitation#\\w{43}$`));
  assert.not(dashboard.db.serialize().includes(tokenOf(url)), 'the token is kept nowhere');
  const listed = (await owner.get(`${team}/members`)).json;
  assert.equal(listed.invitations, [view]);

  const vi = dashboard.browser();
  const token = tokenOf(url);
  const offer = { team: 'default', email: 'vi@example.com', role: 'viewer', invitedBy: email };
  assert.equal((await vi.post('/app/invitation', { token })).json, {
    ...offer,
    sites: ['a.example'],
    hasPerson: false,
  });
  const weak = await vi.post('/app/invitation/accept', { token, name: 'Vi', password: 'password1' });
  assert.equal([weak.status, weak.json.field], [400, 'password']);
  const me = await vi.post('/app/invitation/accept', { token, name: ' Vi ', password, email: 'eve@example.com' });
  assert.equal([me.json.person.email, me.json.person.name, me.json.person.isOperator], ['vi@example.com', 'Vi', false]);
  assert.equal(
    me.json.sites.map(({ id }: { id: string }) => id),
    [a.id],
  );
  assert.is((await vi.get('/app/me')).status, 200);
  for (const path of ['/app/invitation', '/app/invitation/accept']) {
    const again = await dashboard.browser().post(path, { token, password });
    assert.equal([again.status, again.json], [404, { error: 'This link has expired or was already used.' }]);
  }
  const all: MemberView[] = (await owner.get(`${team}/members`)).json.data;
  assert.equal(
    all.map(one => [one.email, one.role, one.sites, one.hidden]),
    [
      [email, 'owner', null, []],
      ['vi@example.com', 'viewer', [a.id], ['visits']],
    ],
  );
  await dashboard.close();
});

test('whoever is there already joins as themself alone', async () => {
  const { dashboard, owner, team } = await begin();
  const second = await owner.post('/app/teams', { name: 'second' });
  const other = second.json.teams.find(({ name }: TeamView) => name === 'second').id;
  await joined(dashboard, owner, team, { email: 'vi@example.com' });
  const { url } = (await owner.post(`/app/teams/${other}/invitations`, { email: 'vi@example.com', role: 'editor' }))
    .json;
  const token = tokenOf(url);
  assert.is((await dashboard.browser().post('/app/invitation', { token })).json.hasPerson, true);
  const stranger = await dashboard.browser().post('/app/invitation/accept', { token, password: 'another one' });
  assert.is(stranger.status, 401, 'no link sets a password of somebody who is there');
  assert.is((await owner.post('/app/invitation/accept', { token })).status, 409, 'as somebody else');
  const vi = dashboard.browser();
  await vi.post('/app/sign-in', { email: 'vi@example.com', password });
  const me = await vi.post('/app/invitation/accept', { token });
  assert.equal(
    me.json.teams.map(({ name, role }: TeamView) => [name, role]),
    [
      ['default', 'viewer'],
      ['second', 'editor'],
    ],
  );
  const again = await owner.post(`/app/teams/${other}/invitations`, { email: 'Vi@example.com', role: 'viewer' });
  assert.equal([again.status, again.json.field], [409, 'email']);
  await dashboard.close();
});

test('an invitation is replaced, made anew, taken back, and runs out', async () => {
  const { dashboard, owner, team } = await begin();
  const invite = async (role = 'viewer') =>
    tokenOf((await owner.post(`${team}/invitations`, { email: 'vi@example.com', role })).json.url);
  const look = async (token: string) => (await dashboard.browser().post('/app/invitation', { token })).status;
  const first = await invite();
  const second = await invite('editor');
  assert.equal([await look(first), await look(second)], [404, 200]);
  const [only, ...others]: InvitationView[] = (await owner.get(`${team}/members`)).json.invitations;
  assert.equal([only!.role, others.length], ['editor', 0]);
  const third = tokenOf((await owner.post(`${team}/invitations/${only!.id}/again`)).json.url);
  assert.equal([await look(second), await look(third)], [404, 200]);
  dashboard.clock.now += invitationMs - 1;
  assert.is(await look(third), 200);
  dashboard.clock.now++;
  assert.is(await look(third), 404);
  const fourth = await invite();
  const [{ id }] = (await owner.get(`${team}/members`)).json.invitations;
  assert.is((await owner.post(`${team}/invitations/${id}/remove`)).status, 200);
  assert.is(await look(fourth), 404);
  assert.is((await owner.post(`${team}/invitations/${id}/remove`)).status, 404);
  await dashboard.close();
});

test('invitations have bounds: so many an hour, and so many open', async () => {
  const { dashboard, owner, team } = await begin();
  const invite = (i: number) => owner.post(`${team}/invitations`, { email: `p${i}@example.com`, role: 'viewer' });
  for (let i = 0; i < 20; i++) assert.is((await invite(i)).status, 200);
  assert.is((await invite(20)).status, 429);
  dashboard.clock.now += hourMs;
  const store = invitations(dashboard.db);
  const given = { accountId: 1, role: 'viewer' as const, sites: null, hidden: [], invitedBy: email, madeBy: null };
  for (let i = 20; i < openInvitationsMax; i++)
    store.put({ ...given, email: `p${i}@example.com` }, `t${i}`, dashboard.clock.now);
  assert.equal((await invite(openInvitationsMax)).json.field, 'email');
  assert.is((await invite(1)).status, 200, 'one that is replaced is no further one');
  await dashboard.close();
});

test('an admin neither makes owners nor touches them, and a team keeps its last one', async () => {
  const { dashboard, owner, team, a } = await begin();
  const admin = await joined(dashboard, owner, team, { email: 'admin@example.com', role: 'admin' });
  const viewer = await joined(dashboard, admin, team, { email: 'vi@example.com' });
  const [own, vi] = [idOf(dashboard, email), idOf(dashboard, 'vi@example.com')];
  const change = (by: Browser, who: string, body: object) => by.post(`${team}/members/${who}`, body);
  for (const [who, body] of [
    [own, { role: 'viewer' }],
    [vi, { role: 'owner' }],
  ] as const)
    assert.is((await change(admin, who, body)).status, 403);
  assert.is((await admin.post(`${team}/members/${own}/remove`)).status, 403);
  assert.is((await admin.post(`${team}/invitations`, { email: 'o@example.com', role: 'owner' })).status, 403);
  assert.is((await change(viewer, vi, { role: 'admin' })).status, 403);
  for (const path of [`${team}/members/${own}/remove`, `${team}/leave`])
    assert.is((await owner.post(path)).status, 409, path);
  assert.is((await change(owner, own, { role: 'admin' })).status, 409);
  assert.is((await owner.get('/app/me')).json.teams[0].role, 'owner', 'what was refused has not happened');

  // Whoever may make keys and invite is not limited.
  await change(owner, vi, { role: 'admin', sites: [a.id], hidden: ['revenue'] });
  assert.equal(members(dashboard.db).ofAccount(1)[2]!.sites, null);
  assert.is((await change(owner, vi, { role: 'editor', sites: [] })).status, 400);
  assert.is((await change(owner, vi, { role: 'editor', sites: ['nothing'] })).status, 404);
  assert.is((await change(owner, vi, { role: 'editor', hidden: ['members'] })).status, 400);
  assert.is((await change(owner, vi, { role: 'editor', sites: [a.id], hidden: ['revenue'] })).status, 200);
  assert.is((await change(owner, vi, { sites: null })).status, 200);
  const { sites, hidden, role } = members(dashboard.db).ofAccount(1)[2]!;
  assert.equal([role, sites, hidden], ['editor', null, ['revenue']]);

  assert.is((await change(owner, vi, { role: 'owner' })).status, 200);
  persons(dashboard.db).setDisabled(persons(dashboard.db).ofEmail('vi@example.com')!.id, 1);
  assert.is((await owner.post(`${team}/leave`)).status, 409, 'an owner who may not sign in is none');
  persons(dashboard.db).setDisabled(persons(dashboard.db).ofEmail('vi@example.com')!.id, null);
  assert.is((await owner.post(`${team}/leave`)).status, 200);
  const left = await owner.get('/app/me');
  assert.equal([left.status, left.json.teams, left.json.sites], [200, [], []]);
  await dashboard.close();
});

test('removing a person acts at their next request, and ends the keys that they made if asked', async () => {
  const { dashboard, owner, team, a } = await begin();
  const admin = await joined(dashboard, owner, team, { email: 'admin@example.com', role: 'admin' });
  const { key } = (await admin.post('/app/keys', { name: 'theirs' })).json;
  const { key: ours } = (await owner.post('/app/keys', { name: 'ours' })).json;
  const stats = `/api/v1/sites/${a.id}/stats`;
  assert.is((await admin.get(stats)).status, 200);
  await owner.post(`${team}/members/${idOf(dashboard, 'admin@example.com')}/remove`, { revokeKeys: true });
  assert.is((await admin.get(stats)).status, 401);
  assert.is((await admin.get(`/app/sites/${a.id}/imports`)).status, 404);
  const status = async (token: string) =>
    (await dashboard.browser().get(stats, { authorization: `Bearer ${token}` })).status;
  assert.equal([await status(key), await status(ours)], [401, 200]);
  await dashboard.close();
});

test('keys do what their scopes say, about their sites, until they expire', async () => {
  const { dashboard, owner, a, b } = await begin();
  const made = await owner.post('/app/keys', { name: 'k', scopes: ['read'], sites: [a.id], days: '30' });
  const { key, ...view } = made.json;
  assert.equal([view.scopes, view.sites], [['read'], [a.id]]);
  const authorization = `Bearer ${key}`;
  const stranger = dashboard.browser();
  const get = async (id: string) => (await stranger.get(`/api/v1/sites/${id}/stats`, { authorization })).status;
  assert.equal([await get(a.id), await get(b.id), await get('b.example')], [200, 404, 404]);
  const note = await stranger.post(
    `/api/ext/sites/${a.id}/notes`,
    { date: '2026-11-20', text: 'x' },
    { authorization },
  );
  assert.equal([note.status, note.json], [403, { error: 'this key may not write notes', scope: 'notes' }]);
  const { key: only } = (await owner.post('/app/keys', { name: 'i', scopes: ['ingest'] })).json;
  const unread = await stranger.get('/api/v1/sites', { authorization: `Bearer ${only}` });
  assert.equal([unread.status, unread.json.scope], [403, 'read']);
  dashboard.clock.now += 30 * dayMs;
  // The clock of the login went on, too.
  assert.is(await get(a.id), 401);
  for (const body of [{ scopes: [] }, { scopes: ['all'] }, { days: '0' }, { days: '9999' }, { sites: [] }])
    assert.is(
      (await (await again(dashboard)).post('/app/keys', { name: 'k', ...body })).status,
      400,
      JSON.stringify(body),
    );
  await dashboard.close();
});

const again = async (dashboard: TestDashboard): Promise<Browser> => {
  const browser = dashboard.browser();
  await browser.post('/app/sign-in', { email, password });
  return browser;
};

test('teams are made by operators, named by owners, and end when they are empty', async () => {
  const { dashboard, owner, team } = await begin();
  assert.is((await owner.post('/app/teams', { name: 'default' })).status, 409);
  const made = (await owner.post('/app/teams', { name: 'shop' })).json.teams[1];
  assert.is(made.role, 'owner');
  const which = await owner.post('/app/sites', { domain: 'c.example', ...berlin });
  assert.equal([which.status, which.json.field], [400, 'team'], 'of two teams, one has to be named');
  const path = `/app/teams/${made.id}`;
  const added = await owner.post('/app/sites', { team: made.id, domain: 'a.example', ...berlin });
  assert.is(added.json.team, made.id);
  assert.is((await owner.get(`/api/v1/sites/${added.json.id}/stats`)).status, 200, 'the same domain, by its id');
  assert.is((await owner.post(path, { name: 'Shop & Co' })).json.teams[1].name, 'Shop & Co');
  assert.is((await owner.post(path, { name: 'default' })).status, 409);
  assert.is((await owner.post(`${path}/remove`, { name: 'shop' })).status, 400);
  assert.is((await owner.post(`${path}/remove`, { name: 'Shop & Co' })).status, 409);
  await owner.post(`/app/sites/${added.json.id}/remove`, { domain: 'a.example' });
  assert.is((await owner.post(`${path}/remove`, { name: 'Shop & Co' })).status, 200);
  assert.is((await owner.get('/app/me')).json.teams.length, 1);
  const admin = await joined(dashboard, owner, team, { email: 'admin@example.com', role: 'admin' });
  assert.is((await admin.get('/app/teams')).status, 403);
  assert.equal(
    (await owner.get('/app/teams')).json.data.map(({ name, members, sites }: Record<string, unknown>) => [
      name,
      members,
      sites,
    ]),
    [['default', 2, 2]],
  );
  await dashboard.close();
});

test('what people do is written down, chained, and read by admins of the team', async () => {
  const { dashboard, owner, team, a } = await begin();
  const viewer = await joined(dashboard, owner, team, { email: 'vi@example.com' });
  await viewer.post('/app/keys', { name: 'k' });
  await owner.post(`/app/sites/${a.id}`, { excludedIps: ['203.0.113.77'] });
  await dashboard
    .browser()
    .post('/app/sign-in', { email, password: 'wrong horse' }, { 'x-test-address': '203.0.113.9' });
  const rows: AuditView[] = (await owner.get(`${team}/audit`)).json.data;
  assert.equal(
    rows.map(({ actor, action, subject }) => [actor, action, subject]),
    [
      [email, 'site-changed', 'a.example'],
      ['vi@example.com', 'refused', '/app/keys'],
      ['vi@example.com', 'joined', ''],
      [email, 'invited', 'vi@example.com'],
      [email, 'site-added', 'b.example'],
      [email, 'site-added', 'a.example'],
      [email, 'joined', ''],
    ],
  );
  assert.equal(rows[0]!.details, { settings: ['excludedIps'] });
  const store = auditStore(dashboard.db);
  const [failed] = store.list({ action: 'sign-in-failed', limit: 1 });
  assert.equal([failed!.actor, failed!.network], [email, '203.0.113.0/24']);
  const text = JSON.stringify(store.list({ limit: 100 }));
  for (const secret of ['203.0.113.77', '203.0.113.9', password, 'wrong horse']) assert.not(text.includes(secret));
  const page = (await owner.get(`${team}/audit?limit=2&before=${rows[0]!.id}`)).json.data;
  assert.equal(page, rows.slice(1, 3));
  assert.is((await owner.get(`${team}/audit?action=joined`)).json.data.length, 2);
  assert.is((await owner.get(`${team}/audit?person=${idOf(dashboard, 'vi@example.com')}`)).json.data.length, 2);
  assert.is((await owner.get(`${team}/audit?action=nothing`)).status, 400);
  assert.is((await viewer.get(`${team}/audit`)).status, 403);
  const csv = (await owner.get(`${team}/audit.csv`)).text.split('\n');
  assert.is(csv[0], 'id,time,actor,action,subject,details,network');
  assert.ok(csv.some(line => /,ada@example\.com,site-changed,a\.example,/.test(line)));
  // At most ten in a minute: a page that polls fills nothing.
  for (let i = 0; i < 15; i++) await viewer.get(`${team}/audit`);
  assert.is(store.list({ action: 'refused', limit: 100 }).length, 10);
  await dashboard.close();
});

test('a row that is changed or taken out shows, and what is pruned does not', async () => {
  const { dashboard } = await begin();
  const { db } = dashboard;
  const store = auditStore(db);
  const event = { accountId: 1, personId: null, actor: 'cli', subject: '', details: {}, network: '' };
  db.exec('delete from audit');
  db.exec(`delete from sqlite_sequence where name = 'audit'`);
  for (let day = 0; day < 10; day++) store.add({ ...event, at: day * dayMs, action: 'signed-in' });
  assert.equal(store.firstBroken(), { rows: 10, broken: null });
  const trying = (sql: string): number | null => {
    db.exec('begin');
    db.exec(sql);
    const { broken } = store.firstBroken();
    db.exec('rollback');
    return broken;
  };
  assert.is(trying('delete from audit where id = 4'), 5);
  assert.is(trying('delete from audit where id = 1'), 2);
  assert.is(trying(`update audit set actor = 'nobody' where id = 7`), 7);
  assert.is(trying('update audit set at = at + 1 where id = 10'), 10);
  store.prune(0, 100 * dayMs);
  assert.is(store.firstBroken().rows, 10);
  store.prune(5, 10 * dayMs);
  assert.equal(store.firstBroken(), { rows: 6, broken: null });
  assert.is(store.list({ limit: 1 })[0]!.action, 'pruned');
  store.prune(2, 10 * dayMs);
  assert.equal(store.firstBroken().broken, null);
  assert.is(trying('delete from audit where id = (select min(id) from audit)') === null, false);
  await dashboard.close();
});

test('a thousand members', async () => {
  const { dashboard, owner, team } = await begin();
  const { db } = dashboard;
  db.exec(`
    insert into person (email, created_at)
      with recursive n (i) as (select 1 union all select i + 1 from n where i < 1000) select 'p' || i, i from n;
    insert into member (account_id, person_id, role, created_at) select 1, id, 'viewer', id from person where id > 1`);
  assert.is((await owner.get(`${team}/members`)).json.data.length, 1001);
  assert.is(accounts(db).list().length + apiKeys(db).list().length, 1);
  await dashboard.close();
});

test('who changes owners, makes keys that may manage, or ends a team proves again who they are', async () => {
  const { dashboard, owner, team } = await begin();
  await joined(dashboard, owner, team, { email: 'co@example.com', role: 'owner' });
  const co = `${team}/members/${idOf(dashboard, 'co@example.com')}`;
  const asked: [path: string, body: object][] = [
    ['/app/keys', { name: 'all', scopes: ['read', 'manage'] }],
    [`${team}/invitations`, { email: 'third@example.com', role: 'owner' }],
    [co, { role: 'admin' }],
    [`${co}/remove`, {}],
    [`${team}/remove`, { name: 'default' }],
  ];
  dashboard.clock.now += hourMs;
  for (const [path, body] of asked) {
    const { status, json } = await owner.post(path, body);
    assert.equal([path, status, json.ways], [path, 403, ['password']]);
  }
  assert.is((await owner.post('/app/keys', { name: 'numbers', scopes: ['read'] })).status, 200);
  assert.is((await owner.post(`${team}/invitations`, { email: 'vi@example.com' })).status, 200);
  assert.is((await owner.post('/app/prove', { password })).status, 200);
  for (const [path, body] of asked.slice(0, 4)) assert.is((await owner.post(path, body)).status, 200, path);
});

test.run();
