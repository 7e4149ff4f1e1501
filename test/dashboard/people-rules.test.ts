/** What people may not do to each other: invite after their time, overwrite what they do not see, flood the audit. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { totpCode } from '../../src/dashboard/factors/totp.ts';
import type { ListedPerson } from '../../src/dashboard/wire.ts';
import { hourMs, minuteMs } from '../../src/model/time.ts';
import { accounts } from '../../src/store/accounts/accounts.ts';
import { auditStore } from '../../src/store/accounts/audit.ts';
import { logins } from '../../src/store/accounts/logins.ts';
import { members } from '../../src/store/accounts/members.ts';
import { persons } from '../../src/store/accounts/persons.ts';
import { secondFactors } from '../../src/store/accounts/second-factors.ts';
import { notes } from '../../src/store/notes.ts';
import { type Browser, berlin, email, password, startDashboard, type TestDashboard, tokenOf } from './helpers.ts';

const begin = async () => {
  const dashboard = await startDashboard();
  const { browser: owner, me } = await dashboard.signedIn();
  return { dashboard, owner, team: `/app/teams/${me.teams[0]!.id}` };
};

/** A member who is signed in. */
const memberOf = (
  { db, clock, browser: open }: TestDashboard,
  name: string,
  role: 'owner' | 'admin' | 'editor',
  hidden: ('events' | 'notes' | 'funnels')[] = [],
): { id: number; uuid: string; browser: Browser } => {
  const { id, uuid } = persons(db).add(`${name}@example.com`, 0);
  members(db).set({ accountId: 1, personId: id, role, sites: null, hidden, createdAt: 0 });
  const browser = open();
  logins(db).begin('browser', id, name.padEnd(43, 'x'), clock.now);
  browser.cookie = `daybook=${name.padEnd(43, 'x')}`;
  return { id, uuid, browser };
};

test('an invitation is dead once who made it may not invite: demoted, removed or disabled', async () => {
  const { dashboard, owner, team } = await begin();
  const { db } = dashboard;
  const look = async (token: string) => (await dashboard.browser().post('/app/invitation', { token })).status;
  const listed = async () => (await owner.get(`${team}/members`)).json.invitations.length;
  const invite = async (by: Browser, to: string, role = 'viewer') => {
    const made = await by.post(`${team}/invitations`, { email: `${to}@example.com`, role });
    assert.is(made.status, 200, made.text);
    return tokenOf(made.json.url);
  };
  const ends: [name: string, end: (of: { id: number; uuid: string }) => Promise<unknown> | unknown][] = [
    ['demoted', ({ uuid }) => owner.post(`${team}/members/${uuid}`, { role: 'editor' })],
    ['removed', ({ uuid }) => owner.post(`${team}/members/${uuid}/remove`)],
    ['disabled', ({ id }) => persons(db).setDisabled(id, dashboard.clock.now)],
    ['gone', ({ id }) => persons(db).remove(id)],
  ];
  for (const [name, end] of ends) {
    const admin = memberOf(dashboard, name, 'admin');
    const token = await invite(admin.browser, `${name}-guest`);
    const before = await listed();
    assert.is(await look(token), 200, name);
    await end(admin);
    assert.equal([await look(token), await listed()], [404, before - 1], name);
    const used = await dashboard.browser().post('/app/invitation/accept', { token, name: 'X', password });
    assert.is(used.status, 404, name);
  }
  // Who is an admin still, and no owner any more, invites viewers but no owners.
  const second = memberOf(dashboard, 'second', 'owner');
  const [toOwner, toViewer] = [await invite(second.browser, 'o', 'owner'), await invite(second.browser, 'v')];
  await owner.post(`${team}/members/${second.uuid}`, { role: 'admin' });
  assert.equal([await look(toOwner), await look(toViewer)], [404, 200]);
  // Somebody else invites anew in their place.
  await persons(db).setDisabled(second.id, dashboard.clock.now);
  const again = await invite(owner, 'v');
  assert.equal([await look(toViewer), await look(again)], [404, 200]);
  await dashboard.close();
});

test('what is hidden from an editor is not theirs to overwrite, by whichever name', async () => {
  const { dashboard, owner } = await begin();
  const { id } = (await owner.post('/app/sites', { domain: 'a.example', ...berlin })).json;
  const definitions = `/app/sites/${id}/definitions`;
  const given = [
    { kind: 'goal', name: 'G', conditions: 'event=Signup' },
    { kind: 'segment', name: 'S', filters: 'event=Signup' },
    { kind: 'funnel', name: 'F', question: 'step=path%3D/' },
  ];
  for (const one of given) assert.is((await owner.post(definitions, one)).status, 200);
  const editor = memberOf(dashboard, 'editor', 'editor', ['events', 'notes', 'funnels']).browser;
  const plain = { conditions: 'path=/', filters: 'path=/', question: 'step=path%3D/x' };
  const before = (await owner.get(definitions)).json;
  for (const { kind, name } of given) {
    assert.is((await editor.post(definitions, { kind, name, ...plain })).status, 404, kind);
    assert.is((await editor.post(definitions, { kind, name, newName: 'mine', ...plain })).status, 404, kind);
    assert.is((await editor.post(`${definitions}/remove`, { kind, name })).status, 404, kind);
    await editor.post(definitions, { kind, name: 'own', ...plain });
    const taken = await editor.post(definitions, { kind, name: 'own', newName: name, ...plain });
    assert.ok(taken.status === 404 || taken.status === 409, kind);
  }
  const after = (await owner.get(definitions)).json;
  for (const kind of ['goals', 'segments', 'funnels'])
    assert.equal(
      after[kind].filter(({ name }: { name: string }) => name !== 'own'),
      before[kind],
    );
  const siteId = dashboard.directory.find(id)!.id;
  const note = notes(dashboard.db).add(siteId, 'person', '2026-11-19', 'ours', 0)!;
  const write = { date: '2026-11-19', text: 'theirs' };
  for (const path of ['', `/${note.id}`, `/${note.id}/remove`])
    assert.is((await editor.post(`/app/sites/${id}/notes${path}`, write)).status, 403, path);
  assert.equal(
    notes(dashboard.db)
      .list(siteId)
      .map(({ text }) => text),
    ['ours'],
  );
  await dashboard.close();
});

test('an editor does not change what a public page shows, by its segment or a goal in it', async () => {
  const { dashboard, owner } = await begin();
  const { id } = (await owner.post('/app/sites', { domain: 'a.example', ...berlin })).json;
  const definitions = `/app/sites/${id}/definitions`;
  await owner.post(definitions, { kind: 'goal', name: 'G', conditions: 'path=/a' });
  await owner.post(definitions, { kind: 'segment', name: 'S', filters: 'goal=G' });
  await owner.post(`/app/sites/${id}/shares`, { name: 'x', segment: 'S' });
  const { browser: editor } = memberOf(dashboard, 'editor', 'editor');
  const changes = [
    [definitions, { kind: 'segment', name: 'S', filters: 'path^=/' }],
    [definitions, { kind: 'goal', name: 'G', conditions: 'path^=/' }],
    [`${definitions}/remove`, { kind: 'segment', name: 'S' }],
    [`${definitions}/remove`, { kind: 'goal', name: 'G' }],
  ] as const;
  for (const [path, body] of changes) assert.is((await editor.post(path, body)).status, 403, JSON.stringify(body));
  const renamed = { kind: 'segment', name: 'S', newName: 'T', filters: 'goal=G' };
  assert.is((await editor.post(definitions, renamed)).status, 200, 'a name changes no numbers');
  assert.is((await editor.post(definitions, { kind: 'goal', name: 'other', conditions: 'path=/b' })).status, 200);
  assert.is((await owner.post(definitions, { kind: 'segment', name: 'T', filters: 'path^=/' })).status, 200);
  await dashboard.close();
});

test('wrong passwords write ten rows an hour for a person, and as many for all who are nobody', async () => {
  const { dashboard } = await begin();
  const failed = () => auditStore(dashboard.db).list({ action: 'sign-in-failed', limit: 1000 });
  let address = 0;
  const attack = async (of: (i: number) => string): Promise<void> => {
    for (let i = 0; i < 25; i++)
      await dashboard
        .browser()
        .post('/app/sign-in', { email: of(i), password: 'wrong' }, { 'x-test-address': `10.${address++}.0.1` });
  };
  await attack(() => email);
  await attack(i => `nobody${i}@example.com`);
  assert.is(failed().length, 20);
  assert.is(failed().filter(({ personId }) => personId !== null).length, 10);
  dashboard.clock.now += hourMs;
  await attack(() => email);
  assert.is(failed().length, 30);
  await dashboard.close();
});

test('an owner asks for second factors once they have one, and members without one see their settings alone', async () => {
  const { dashboard, owner, team } = await begin();
  const { db, clock } = dashboard;
  const set = (by: Browser, body: object) => by.post(team, body);
  const { browser: admin } = memberOf(dashboard, 'admin', 'admin');
  assert.is((await set(admin, { requireSecondFactor: true })).status, 403);
  assert.is((await set(owner, { requireSecondFactor: 'yes' })).json.field, 'requireSecondFactor');
  const early = await set(owner, { requireSecondFactor: true });
  assert.equal([early.status, early.json.error], [409, 'Set up a second factor for yourself first.']);

  const person = persons(db).ofEmail(email)!;
  const secret = Buffer.alloc(20, 1);
  secondFactors(db).set(person.id, secret, 0, []);
  clock.now += hourMs;
  assert.equal((await set(owner, { requireSecondFactor: true })).json.ways, ['password'], 'it takes proof');
  await owner.post('/app/prove', { password });
  const on = await set(owner, { requireSecondFactor: true });
  assert.equal([on.status, on.json.teams[0].requireSecondFactor], [200, true]);
  assert.is((await owner.get(`${team}/members`)).status, 200);
  assert.equal(
    [(await admin.get('/app/me')).json.lacksFactor, (await admin.get(`${team}/members`)).status],
    [true, 403],
  );
  // The name alone leaves it as it is.
  const other = accounts(db).add('shop', 'unlimited', 0);
  members(db).set({ accountId: other.id, personId: person.id, role: 'owner', sites: null, hidden: [], createdAt: 0 });
  const shop = `/app/teams/${other.uuid}`;
  assert.is((await owner.post(shop, { requireSecondFactor: true })).status, 200);
  const named = (await owner.post(shop, { name: 'Shop' })).json.teams.find(
    ({ id }: { id: string }) => id === other.uuid,
  );
  assert.equal([named.name, named.requireSecondFactor], ['Shop', true]);
  assert.is((await owner.post(team, { name: 'mine' })).json.field, 'name', 'commands know the first by its name');

  const half = dashboard.browser();
  assert.equal((await half.post('/app/sign-in', { email, password })).json, { factor: true });
  const code = totpCode(secret, Math.floor(clock.now / 30_000));
  assert.is((await half.post('/app/sign-in/code', { code })).status, 200);
  assert.is((await set(owner, { requireSecondFactor: false })).status, 200);
  assert.is((await admin.get('/app/me')).json.lacksFactor, false);
  const details = auditStore(db)
    .list({ action: 'team-changed', accountId: 1, limit: 10 })
    .map(row => row.details);
  assert.equal(details, [{ requireSecondFactor: false }, { requireSecondFactor: true }]);
  await dashboard.close();
});

test('an operator disables people at once, but not themself, and no last owner', async () => {
  const { dashboard, owner: operator } = await begin();
  const { db, clock } = dashboard;
  const { browser: editor, uuid } = memberOf(dashboard, 'editor', 'editor');
  const of = (id: string, what: string) => operator.post(`/app/persons/${id}/${what}`);
  const list: ListedPerson[] = (await operator.get('/app/persons')).json.data;
  assert.equal(
    list.map(one => [one.email, one.isOperator, one.isDisabled, one.teams]),
    [
      [email, true, false, [{ name: 'default', role: 'owner' }]],
      ['editor@example.com', false, false, [{ name: 'default', role: 'editor' }]],
    ],
  );
  assert.is((await of(list[0]!.id, 'disable')).json.error, 'Somebody else has to do this with you.');
  assert.is((await of('nobody', 'disable')).status, 404);
  clock.now += 11 * minuteMs;
  assert.equal((await of(uuid, 'disable')).json.ways, ['password']);
  await operator.post('/app/prove', { password });
  assert.is((await editor.get('/app/me')).status, 200);
  assert.is((await of(uuid, 'disable')).json.data[1].isDisabled, true);
  assert.is((await editor.get('/app/me')).status, 401);
  assert.is((await of(uuid, 'enable')).json.data[1].isDisabled, false);
  const sole = persons(db).add('sole@example.com', 0);
  const theirs = accounts(db).add('theirs', 'unlimited', 0);
  members(db).set({ accountId: theirs.id, personId: sole.id, role: 'owner', sites: null, hidden: [], createdAt: 0 });
  assert.equal([(await of(sole.uuid, 'disable')).status, persons(db).byId(sole.id)!.disabledAt], [409, null]);
  const written = auditStore(db)
    .list({ accountId: 1, limit: 2 })
    .map(({ action, subject }) => `${action} ${subject}`);
  assert.equal(written, ['enabled editor@example.com', 'disabled editor@example.com']);
  await dashboard.close();
});

test.run();
