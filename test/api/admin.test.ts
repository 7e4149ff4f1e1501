/** The admin API over real HTTP, on a whole server. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { scopeNames } from '../../src/model/scopes.ts';
import { dayMs } from '../../src/model/time.ts';
import { accounts, apiKeys } from '../../src/store/accounts/accounts.ts';
import { auditStore } from '../../src/store/accounts/audit.ts';
import { members } from '../../src/store/accounts/members.ts';
import { persons } from '../../src/store/accounts/persons.ts';
import { addSite } from '../helpers.ts';
import { startTestServer } from '../start-server.ts';

const server = await startTestServer();
const { db } = server;
const account = accounts(db).named('default', 0);
const owner = persons(db).add('ada@example.com', 0);
persons(db).setOperator(owner.id, true);
members(db).set({ accountId: account.id, personId: owner.id, role: 'owner', sites: null, hidden: [], createdAt: 0 });

let made = 0;
const keyWith = (limits: Parameters<ReturnType<typeof apiKeys>['add']>[4], accountId = account.id): string => {
  const key = `tk_live_${String(++made).padStart(32, 'k')}`;
  apiKeys(db).add(accountId, `key ${made}`, key, 0, limits);
  return key;
};
const managing = keyWith({ scopes: [...scopeNames], madeBy: owner.id });
const ofCommand = keyWith({ scopes: [...scopeNames] });
const reading = keyWith({ scopes: ['read'] });

interface Got {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  body: any;
}
const ask = async (method: string, path: string, body?: unknown, key = managing): Promise<Got> => {
  const response = await fetch(`${server.url}/api/ext${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: await response.json() };
};

test('a site is made, changed, read and removed by its domain', async () => {
  const path = '/sites/by-domain/shop.example';
  assert.is((await ask('GET', path)).status, 404);
  const id = '5b0f6a52-7c1e-4c58-9d2c-0d6a3f6f2d11';
  const publicKey = `pk_live_${'p'.repeat(24)}`;
  const put = { id, publicKey, timezone: 'Europe/Berlin', currency: 'EUR', excludedPaths: ['/admin/**'] };
  const first = await ask('PUT', path, put);
  assert.equal([first.status, first.body.id, first.body.publicKey], [201, id, publicKey]);
  assert.equal((await ask('GET', `/sites/${id}/notes`)).body.data, [], 'its zone has not changed');
  const again = await ask('PUT', path, put);
  assert.equal([again.status, again.body], [200, first.body], 'once more changes nothing');
  assert.equal((await ask('GET', path)).body, first.body);

  const patched = await ask('PATCH', path, { timezone: 'UTC' });
  assert.equal(patched.body, { ...first.body, timezone: 'UTC' }, 'what is not given stays');
  assert.is((await ask('PUT', path, { id: id.replace('5', '6') })).status, 400);
  assert.equal(await ask('PUT', path, { timezone: 'Berlinn' }).then(({ status, body }) => [status, body.field]), [
    400,
    'timezone',
  ]);
  const renamed = await ask('PATCH', path, { domain: 'store.example' });
  assert.is(renamed.body.domain, 'store.example');

  const gone = '/sites/by-domain/store.example';
  assert.is((await ask('DELETE', gone)).status, 400, 'it takes a confirmation');
  assert.is((await ask('DELETE', `${gone}?confirm=shop.example`)).status, 400);
  assert.is((await ask('DELETE', `${gone}?confirm=store.example`)).status, 200);
  assert.is((await ask('DELETE', `${gone}?confirm=store.example`)).status, 404);
});

test('the domain of the path is the one that counts', async () => {
  const { status, body } = await ask('PUT', '/sites/by-domain/here.example', { domain: 'there.example' });
  assert.equal([status, body.field], [400, 'domain']);
  for (const domain of ['here', 'there'])
    assert.is((await ask('GET', `/sites/by-domain/${domain}.example`)).status, 404);
  assert.is((await ask('PUT', '/sites/by-domain/here.example', { domain: 'here.example' })).status, 201);
});

test('an invalid site is not half made', async () => {
  assert.is((await ask('PUT', '/sites/by-domain/half.example', { timezone: 'nowhere' })).status, 400);
  assert.is((await ask('GET', '/sites/by-domain/half.example')).status, 404);
});

test('a taken name is a conflict', async () => {
  await ask('PUT', '/sites/by-domain/a.example', {});
  await ask('PUT', '/sites/by-domain/b.example', {});
  const { status, body } = await ask('PATCH', '/sites/by-domain/a.example', { domain: 'b.example' });
  assert.equal([status, body.field], [409, 'domain']);
});

test('goals, segments and funnels are saved by name', async () => {
  const rows: [string, object, object][] = [
    ['goals/Order', { conditions: 'event=Order', value: 1900 }, { conditions: 'event=Order', value: 1900 }],
    ['segments/Germany', { filters: 'country=DE' }, { filters: 'country=DE' }],
    ['funnels/Check%20out', { question: 'step=path%3D/' }, { question: 'step=path%3D/' }],
  ];
  for (const [path, body, saved] of rows) {
    const at = `/sites/a.example/${path}`;
    const name = decodeURIComponent(path.split('/')[1]!);
    assert.equal(await ask('PUT', at, body), { status: 201, body: { name, ...saved } });
    assert.equal(await ask('PUT', at, body), { status: 200, body: { name, ...saved } });
    assert.is((await ask('PUT', at, {})).status, 400);
    assert.is((await ask('DELETE', at)).status, 200);
    assert.is((await ask('DELETE', at)).status, 404);
  }
});

test('members are invited, changed and removed by e-mail', async () => {
  const at = '/teams/default/members/bob@example.com';
  const first = await ask('PUT', at, { role: 'viewer', sites: ['a.example'] });
  assert.equal([first.status, first.body.isInvited], [201, true]);
  assert.match(first.body.url, /\/invitation#/);
  const again = await ask('PUT', at, { role: 'viewer', sites: ['a.example'] });
  assert.equal([again.status, again.body.url], [200, undefined], 'the link that was shown goes on working');
  assert.match((await ask('PUT', at, { role: 'editor' })).body.url, /\/invitation#/);

  const bob = persons(db).add('bob@example.com', 0);
  members(db).set({ accountId: account.id, personId: bob.id, role: 'viewer', sites: null, hidden: [], createdAt: 0 });
  assert.equal((await ask('PUT', at, { role: 'editor' })).body.role, 'editor');
  assert.is((await ask('PUT', at, { role: 'owner' })).status, 403, 'owners are made by owners');
  assert.is((await ask('DELETE', '/teams/default/members/ada@example.com')).status, 403);
  assert.is((await ask('DELETE', at)).status, 200);
});

test('keys are made and revoked', async () => {
  const { status, body } = await ask('POST', '/teams/default/keys', { name: 'grafana', scopes: ['read'] });
  assert.is(status, 200);
  assert.match(body.key, /^tk_live_/);
  const listed = (await ask('GET', '/teams/default/keys')).body.data;
  assert.ok(listed.some(({ name, key }: { name: string; key?: string }) => name === 'grafana' && key === undefined));
  assert.is((await ask('DELETE', `/teams/default/keys/${body.id}`)).status, 200);
  assert.is((await ask('GET', '/rollups', undefined, body.key)).status, 401);
});

test('a key that is made by a key ends no later, and knows no more sites', async () => {
  const path = '/teams/default/keys';
  const expiresAt = Date.now() + 10 * dayMs;
  const ending = keyWith({ scopes: ['manage'], expiresAt });
  const bare = await ask('POST', path, { name: 'bare' }, ending);
  assert.equal([bare.status, bare.body.expiresAt], [200, new Date(expiresAt).toISOString()]);
  const shorter = await ask('POST', path, { name: 'shorter', days: '5' }, ending);
  assert.ok(Date.parse(shorter.body.expiresAt) < expiresAt);
  const longer = await ask('POST', path, { name: 'longer', days: '11' }, ending);
  assert.equal([longer.status, longer.body.field], [400, 'days']);
  const never = await ask('POST', path, { name: 'never', days: '' }, ending);
  assert.is(Date.parse(never.body.expiresAt), expiresAt, 'for ever is as long as the other');
  const chained = await ask('POST', path, { name: 'next', scopes: ['manage'] }, ending);
  const last = await ask('POST', path, { name: 'last', days: '300' }, chained.body.key);
  assert.is(last.status, 400, 'also over a key between');
  const site = addSite(db, { domain: 'limited.example' });
  const limited = keyWith({ scopes: ['manage'], sites: [site.uuid] });
  assert.is((await ask('POST', path, { name: 'wide' }, limited)).status, 403, 'nor does one of some sites make any');
  assert.is((await ask('POST', path, { name: 'free' })).body.expiresAt, null);
});

test('an operator’s key makes teams, and changes those that the operator owns', async () => {
  assert.is((await ask('PUT', '/teams/agency', undefined, ofCommand)).status, 403);
  const first = await ask('PUT', '/teams/agency');
  assert.equal([first.status, (await ask('PUT', '/teams/agency')).status], [201, 200]);
  assert.is((await ask('PUT', '/teams/agency/members/x@example.com', { role: 'viewer' })).status, 201);
  const others = accounts(db).add('others', 'unlimited', 0);
  assert.is((await ask('GET', '/teams/others/members')).status, 404);
  assert.is(
    (await ask('GET', '/teams/default/members', undefined, keyWith({ scopes: ['manage'] }, others.id))).status,
    404,
  );
});

test('scopes and sites of a key bound what it changes', async () => {
  assert.equal(
    await ask('PUT', '/sites/by-domain/x.example', {}, reading).then(({ status, body }) => [status, body.scope]),
    [403, 'manage'],
  );
  const one = addSite(db, { domain: 'one.example' });
  addSite(db, { domain: 'two.example' });
  const limited = keyWith({ scopes: ['manage'], sites: [one.uuid] });
  assert.is((await ask('PATCH', '/sites/by-domain/one.example', { currency: 'EUR' }, limited)).status, 200);
  assert.is((await ask('PATCH', '/sites/by-domain/two.example', { currency: 'EUR' }, limited)).status, 404);
  assert.is((await ask('PUT', '/sites/by-domain/three.example', {}, limited)).status, 403);
  for (const path of ['/teams/default/members', '/teams/default/keys', '/teams/default/audit'])
    assert.is((await ask('GET', path, undefined, limited)).status, 403, path);
});

test('the audit names the key that saved and removed definitions, alerts and reports', async () => {
  const { uuid } = addSite(db, { domain: 'audited.example' });
  const path = `/sites/${uuid}`;
  assert.is((await ask('PUT', `${path}/goals/Order`, { conditions: 'path=/order' })).status, 201);
  assert.is((await ask('DELETE', `${path}/goals/Order`)).status, 200);
  const alert = await ask('POST', `${path}/alerts`, { kind: 'goal', name: 'A', params: { goal: 'x' }, filters: '' });
  const silent = alert.status === 200 ? alert : await ask('POST', `${path}/alerts`, { kind: 'silent', name: 'A' });
  assert.is((await ask('DELETE', `${path}/alerts/${silent.body.id}`)).status, 200);
  const report = await ask('POST', `${path}/reports`, { name: 'Weekly', recipients: ['x@b.example'] });
  assert.is((await ask('DELETE', `${path}/reports/${report.body.id}`)).status, 200);
  // The first use of a key is written a second later.
  const all = auditStore(db).list({ limit: 100 });
  const rows = all.filter(({ action }) => action !== 'key-used-first').slice(0, 6);
  assert.equal([...new Set(rows.map(({ actor }) => actor))], ['key key 1 …kkk1']);
  assert.equal(
    rows.map(({ action, details }) => [action, details.done]),
    [
      ['report-changed', 'removed'],
      ['report-changed', 'added'],
      ['alert-changed', 'removed'],
      ['alert-changed', 'added'],
      ['site-changed', 'removed'],
      ['site-changed', 'saved'],
    ],
  );
  assert.equal(rows[4]!.details, { goal: 'Order', done: 'removed' });
});

test('the audit says which key did what', async () => {
  const { body } = await ask('GET', '/teams/default/audit?action=site-removed');
  assert.equal(
    body.data.map(({ actor, subject }: { actor: string; subject: string }) => [actor, subject]),
    [['key key 1 …kkk1', 'store.example']],
  );
  assert.ok(auditStore(db).list({ action: 'team-added', limit: 1 })[0]!.actor.startsWith('key key 1'));
  assert.is((await ask('GET', '/teams/default/audit?action=x')).status, 400);
});

test('PUTs of two clients in any order: the state is the last of each', async () => {
  let seed = 7;
  const random = (below: number): number => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
    return seed % below;
  };
  const zones = ['UTC', 'Europe/Berlin', 'Asia/Tokyo', 'Nowhere/Never'];
  const client = async (name: string): Promise<Map<string, string>> => {
    const last = new Map<string, string>();
    const seen = new Set<string>();
    for (let i = 0; i < 150; i++) {
      const [site, zone] = [`${name}${random(5)}.example`, zones[random(zones.length)]!];
      const { status } = await ask('PUT', `/sites/by-domain/${site}`, { timezone: zone });
      const isBad = zone === 'Nowhere/Never';
      assert.is(status, isBad ? 400 : seen.has(site) ? 200 : 201);
      if (isBad) continue;
      seen.add(site);
      last.set(site, zone);
    }
    return last;
  };
  for (const last of await Promise.all([client('p'), client('q')]))
    for (const [site, zone] of last)
      assert.is((await ask('GET', `/sites/by-domain/${site}`)).body.timezone, zone, site);
});

test.after(() => server.close());
test.run();
