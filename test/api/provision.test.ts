/** A file of settings as a body: what a key may do with it, and what not. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { newShare } from '../../src/model/share.ts';
import { accounts, apiKeys } from '../../src/store/accounts/accounts.ts';
import { auditStore } from '../../src/store/accounts/audit.ts';
import { members } from '../../src/store/accounts/members.ts';
import { persons } from '../../src/store/accounts/persons.ts';
import { alerts } from '../../src/store/alerts/alerts.ts';
import { channels } from '../../src/store/alerts/channels.ts';
import { rates } from '../../src/store/rates.ts';
import { reports } from '../../src/store/reports.ts';
import { shares } from '../../src/store/shares.ts';
import { sites } from '../../src/store/sites.ts';
import { addSite, temporaryDir } from '../helpers.ts';
import { startTestServer } from '../start-server.ts';

const file = join(temporaryDir(), 'daybook.yaml');
writeFileSync(
  file,
  'version: 1\nteams: [ { name: default, sites: [ { domain: kept.example, timezone: Asia/Tokyo } ] } ]',
);
const server = await startTestServer({ flags: { provision: file } });
const { db } = server;
const account = accounts(db).named('default', 0);
const others = accounts(db).add('others', 'unlimited', 0);
const owner = persons(db).add('ada@example.com', 0);
persons(db).setOperator(owner.id, true);
members(db).set({ accountId: account.id, personId: owner.id, role: 'owner', sites: null, hidden: [], createdAt: 0 });
const foreign = addSite(db, { domain: 'foreign.example', accountId: others.id });
shares(db).add(foreign.id, 'token', { ...newShare, name: 'board' }, 0);

let made = 0;
const keyWith = (limits: Parameters<ReturnType<typeof apiKeys>['add']>[4]): string => {
  const key = `tk_live_${String(++made).padStart(32, 'p')}`;
  apiKeys(db).add(account.id, `key ${made}`, key, 0, limits);
  return key;
};
const managing = keyWith({ scopes: ['manage'] });
const operators = keyWith({ scopes: ['manage'], madeBy: owner.id });

interface Got {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  body: any;
}
const post = async (content: object | string, { key = managing, query = '' } = {}): Promise<Got> => {
  const response = await fetch(`${server.url}/api/ext/provision${query}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
    body: typeof content === 'string' ? content : JSON.stringify(content, null, 1),
  });
  return { status: response.status, body: await response.json() };
};
const inTeam = (team: object, name = 'default') => ({ version: 1, teams: [{ name, ...team }] });
const stateOf = (): string =>
  JSON.stringify(
    [
      ...['account', 'member', 'person', 'api_key', 'site', 'definition', 'share', 'channel', 'alert', 'report'],
      ...['rate', 'provisioned', 'invitation', 'outbox'],
    ].map(table =>
      (db.prepare(`select * from ${table}`).all() as Record<string, unknown>[]).map(
        ({ last_used_at: _, ...row }) => row,
      ),
    ),
  );

const shop = inTeam({
  sites: [
    {
      ...{ domain: 'shop.example', currency: 'EUR', goals: [{ name: 'Order', conditions: 'event=Order' }] },
      shares: [{ name: 'board', password: 'correct horse battery' }],
      alerts: [{ name: 'Quiet', kind: 'silent', channels: ['ops'] }],
      reports: [{ name: 'Weekly', recipients: ['ada@example.com'] }],
    },
  ],
  channels: [{ name: 'ops', kind: 'slack', target: 'https://hooks.slack.example/x' }],
  keys: [{ name: 'grafana', value: `tk_live_${'g'.repeat(32)}` }],
});

test('a body makes what it says, and told before, and twice is once', async () => {
  const before = stateOf();
  const dry = await post(shop, { query: '?dry-run=1' });
  assert.is(dry.status, 200);
  assert.is(stateOf(), before, 'nothing was made');
  const first = await post(shop);
  assert.equal(first, dry);
  assert.ok(first.body.changes.length >= 7);
  assert.not.match(JSON.stringify(first.body), /correct horse|hooks.slack|tk_live/);
  const site = sites(db).named(account.id, 'shop.example')!;
  const { id } = site;
  const counts = [shares(db).ofSite(id), alerts(db).list(id), reports(db).ofSite(id), channels(db).list(account.id)];
  assert.equal(
    counts.map(({ length }) => length),
    [1, 1, 1, 1],
  );
  const after = stateOf();
  assert.equal(await post(shop), { status: 200, body: { changes: [] } });
  assert.is(stateOf(), after);
  const [row] = auditStore(db).list({ action: 'provisioned', accountId: account.id, limit: 9 });
  assert.match(row!.actor, /^key key 1/);
  // Nothing is locked, and nothing goes.
  assert.is((await post('version: 1\nteams: [ { name: default, sites: [ { domain: shop.example } ] } ]')).status, 200);
  assert.is(stateOf(), after, 'YAML is read, too');
  const response = await fetch(`${server.url}/api/ext/sites/shop.example/goals/Order`, {
    ...{ method: 'DELETE', headers: { authorization: `Bearer ${managing}` } },
  });
  assert.is(response.status, 200);
});

const viewer = { email: 'new@example.com', role: 'viewer' };
/** What a key may not do, with the status and what is said. */
const refused: [what: string, body: object | string, status: number, says: RegExp][] = [
  ['another team', inTeam({ sites: [{ domain: 'x.example' }] }, 'others'), 404, /team/],
  ['no team', inTeam({ sites: [{ domain: 'x.example' }] }, 'nobody'), 404, /team/],
  ['a team by its id', inTeam({ sites: [{ domain: 'x.example' }] }, account.uuid), 404, /team/],
  ['own plan', inTeam({ plan: 'pro' }), 403, /Plans/],
  ['own rule', inTeam({ requireSecondFactor: true }), 403, /Plans/],
  ['a site of another team', inTeam({ sites: [{ domain: 'y.example', id: foreign.uuid }] }), 400, /another team/],
  ['a name of another’s site', inTeam({ sites: [{ domain: 'y.example', aliases: ['foreign.example'] }] }), 409, /name/],
  ['rates', { version: 1, rates: [{ from: 'USD', to: 'EUR', rate: 2 }] }, 403, /no rates/],
  ['a provider', { version: 1, oidc: [{ issuer: 'https://evil.example', clientId: 'x' }] }, 403, /no oidc/],
  ['a new member', inTeam({ members: [viewer] }), 404, /invite/],
  ['a lesser owner', inTeam({ members: [{ email: 'ada@example.com', role: 'viewer' }] }), 403, /not allow/],
  ['what the file sets', inTeam({ sites: [{ domain: 'kept.example', timezone: 'UTC' }] }), 409, /set in daybook.yaml/],
  ['more than another key may', inTeam({ keys: [{ name: 'key 2', scopes: ['ingest'] }] }), 403, /not changed/],
  ['a file of the server', inTeam({ sites: [{ domain: '${file:/etc/passwd}' }] }), 400, /refers to nothing/],
  ['the environment', inTeam({ sites: [{ domain: '${PATH:-x.example}' }] }), 400, /refers to nothing/],
  ['mail to a stranger', inTeam({ channels: [{ name: 'm', kind: 'mail', target: 'eve@x.example' }] }), 400, /members/],
  ['a fault', inTeam({ sites: [{ domain: 'z.example', curency: 'EUR' }] }), 400, /Did you mean currency/],
  ['no file', '[', 400, /./],
  ['nothing', '', 400, /./],
  ['deep', '['.repeat(60_000), 400, /./],
  ['deep another way', '- '.repeat(30_000), 400, /./],
  ['deep maps', `${'{a: '.repeat(15_000)}`, 400, /./],
];

test(`${refused.length} bodies are refused, and change nothing`, async () => {
  const before = stateOf();
  for (const [what, body, status, says] of refused)
    for (const query of ['', '?dry-run=1']) {
      const got = await post(body, { query });
      assert.is(got.status, status, `${what}: ${JSON.stringify(got.body).slice(0, 300)}`);
      assert.match(got.body.error, says, what);
      assert.match(got.body.error, /^\d+:\d+: /, what);
      assert.ok(got.body.faults[0].line >= 1 && got.body.faults.length <= 20, what);
      assert.is(stateOf(), before, what);
    }
});

test('a name of an identical thing of another team is not told either', async () => {
  const body = inTeam({ plan: 'unlimited', sites: [{ domain: 'foreign.example' }] }, 'others');
  assert.is((await post(body, { query: '?dry-run=1' })).status, 404);
  assert.is((await post(inTeam({}, 'others'), { key: operators })).status, 404, 'nor to an operator who is no owner');
});

test('a key that ends makes none that ends later', async () => {
  const key = keyWith({ scopes: ['manage'], expiresAt: Date.now() + 30 * 86_400_000 });
  const before = stateOf();
  const value = `tk_live_${'e'.repeat(32)}`;
  for (const expires of [undefined, '2099-12-31']) {
    const got = await post(inTeam({ keys: [{ name: 'later', value, ...(expires && { expires }) }] }), { key });
    assert.equal([got.status, got.body.field], [400, 'expires']);
  }
  assert.is(stateOf(), before);
  const expires = new Date(Date.now() + 10 * 86_400_000).toISOString().slice(0, 10);
  assert.is((await post(inTeam({ keys: [{ name: 'sooner', value, expires }] }), { key })).status, 200);
});

test('a team that is called as another one’s id is does not reach that', async () => {
  const before = stateOf();
  accounts(db).setName(account.id, others.uuid);
  const got = await post(inTeam({ sites: [{ domain: 'x.example' }] }, 'others'));
  accounts(db).setName(account.id, 'default');
  assert.is(got.status, 404);
  assert.is(stateOf(), before);
});

test('an operator’s key changes the teams that the operator owns, and no rates', async () => {
  const second = accounts(db).add('second', 'unlimited', 0);
  const everything = { sites: null, hidden: [], createdAt: 0 };
  members(db).set({ accountId: second.id, personId: owner.id, role: 'owner', ...everything });
  const body = inTeam({ sites: [{ domain: 'second.example' }] }, 'second');
  assert.is((await post(body)).status, 404, 'another key does not reach it');
  assert.is((await post(body, { key: operators })).status, 200);
  assert.is(sites(db).named(second.id, 'second.example')?.accountId, second.id);
  assert.is((await post({ version: 1, rates: [] }, { key: operators })).status, 200);
  assert.is((await post({ version: 1, rates: [{ from: 'USD', to: 'EUR', rate: 2 }] }, { key: operators })).status, 403);
  assert.equal(rates(db).list(), []);
});

test('scopes and sites of a key bound it, and bodies have bounds', async () => {
  const before = stateOf();
  const [reading, limited] = [keyWith({ scopes: ['read'] }), keyWith({ scopes: ['manage'], sites: [foreign.uuid] })];
  const keys = stateOf();
  assert.not.equal(keys, before);
  for (const key of [reading, limited]) assert.is((await post(shop, { key })).status, 403);
  assert.is((await post(shop, { key: 'tk_live_none' })).status, 401);
  assert.is((await post(shop, { query: '?dry-run=yes' })).status, 400);
  assert.is((await post(shop, { query: '?dryrun=1' })).status, 400);
  assert.is((await post('x'.repeat(64 * 1024 + 1))).status, 413);
  const goals = Array.from({ length: 200 }, (_, i) => `{ name: g${i}, conditions: "event=x" }`).join(', ');
  const many = Array.from({ length: 200 }, (_, i) => `    - { domain: s${i}.example, goals: *all }`).join('\n');
  const bomb = `version: 1\nteams:\n  - name: default\n    sites:\n    - { domain: s.example, goals: &all [${goals}] }\n${many}`;
  const got = await post(bomb);
  assert.is(got.status, 400);
  assert.match(got.body.error, /^207:48: A body refers to nothing with \*|refers to nothing with \*/);
  const things = `version: 1\nteams: [ { name: default, sites: [ { domain: s.example, goals: [ ${'{name: a},'.repeat(2001)} ] } ] } ]`;
  assert.match(JSON.stringify((await post(things)).body), /at most 2000 things|stands twice/);
  const links = Array.from({ length: 11 }, (_, i) => ({ name: `l${i}`, password: 'correct horse battery' }));
  assert.match((await post(inTeam({ sites: [{ domain: 'l.example', shares: links }] }))).body.error, /10 passwords/);
  assert.is(stateOf(), keys);
});

test('a secret goes to no other target, and a key belongs to who made the key that makes it', async () => {
  const add = (target: string, secret?: string) =>
    inTeam({ channels: [{ name: 'push', kind: 'ntfy', target, secret }] });
  const secretOf = () =>
    channels(db)
      .list(account.id)
      .find(({ name }) => name === 'push')!.secret;
  assert.is((await post(add('https://push.example/a', 'tk_secret'))).status, 200);
  assert.is((await post(add('https://push.example/a'))).status, 200);
  assert.is(secretOf(), 'tk_secret', 'what a body leaves out stays');
  assert.is((await post(add('https://other.example/a'))).status, 200);
  assert.not.ok(secretOf());
  const value = `tk_live_${'m'.repeat(32)}`;
  assert.is((await post(inTeam({ keys: [{ name: 'child', value }] }), { key: operators })).status, 200);
  assert.is(apiKeys(db).find(value)!.madeBy, owner.id);
});

test('bodies of two clients in any order: the state is the last of each, and every status is right', async () => {
  let seed = 11;
  const random = (below: number): number => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
    return (seed >> 8) % below;
  };
  const site = addSite(db, { domain: 'both.example' });
  const hook = (value: number): string => `https://hooks.slack.example/${value}`;
  /** A thing of each kind by a number, which is bad where it is 3, and the number that is kept of it. */
  const things: Record<string, [body: (name: string, value: number) => object, kept: (name: string) => unknown]> = {
    channels: [
      (name, value) => inTeam({ channels: [{ name, kind: 'slack', target: value === 3 ? 'x' : hook(value) }] }),
      name =>
        [0, 1, 2].find(
          n =>
            channels(db)
              .list(account.id)
              .find(one => one.name === name)?.target === hook(n),
        ),
    ],
    alerts: [
      (name, value) => of({ alerts: [{ name, kind: 'silent', params: { hours: value === 3 ? 0 : value + 1 } }] }),
      name => {
        const rule = alerts(db)
          .list(site.id)
          .find(one => one.name === name)?.rule;
        return rule?.kind === 'silent' ? rule.params.hours - 1 : undefined;
      },
    ],
    reports: [
      (name, value) => of({ reports: [{ name, recipients: ['ada@example.com'], hour: value === 3 ? 24 : value }] }),
      name =>
        reports(db)
          .ofSite(site.id)
          .find(one => one.name === name)?.hour,
    ],
    shares: [
      (name, value) => of({ shares: [{ name, parts: value === 3 ? ['all'] : parts.slice(0, value) }] }),
      name =>
        shares(db)
          .ofSite(site.id)
          .find(one => one.name === name)?.parts.length,
    ],
  };
  const parts = ['events', 'revenue'];
  const of = (inside: object) => inTeam({ sites: [{ domain: 'both.example', ...inside }] });
  const client = async (name: string): Promise<Map<string, number>> => {
    const last = new Map<string, number>();
    for (let i = 0; i < 100; i++) {
      const kind = Object.keys(things)[random(4)]!;
      const [thing, value] = [`${name}${random(2)}`, random(4)];
      const { status, body } = await post(things[kind]![0](thing, value));
      assert.is(status, value === 3 ? 400 : 200, `${kind} ${value}: ${JSON.stringify(body)}`);
      if (value === 3) continue;
      const known = last.get(`${kind} ${thing}`);
      assert.is(body.changes.length, known === value ? 0 : 1);
      last.set(`${kind} ${thing}`, value);
    }
    return last;
  };
  for (const last of await Promise.all([client('p'), client('q')])) {
    assert.ok(last.size >= 6);
    for (const [name, value] of last) {
      const [kind, thing] = name.split(' ') as [string, string];
      assert.is(things[kind]![1](thing), value, name);
    }
  }
});

test.after(() => server.close());
test.run();
