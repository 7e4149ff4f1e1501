/** Each action of the closed list is written by what it names, through the dashboard, the API, a command or the server. */
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { totpCode } from '../../src/dashboard/factors/totp.ts';
import { type AuditAction, auditActions } from '../../src/model/audit.ts';
import { dayMs, hourMs } from '../../src/model/time.ts';
import { auditStore } from '../../src/store/accounts/audit.ts';
import { secondFactors } from '../../src/store/accounts/second-factors.ts';
import type { Database } from '../../src/store/database.ts';
import { runCommand } from '../cli/helpers.ts';
import * as whole from '../compat/fixture.ts';
import { temporaryDir } from '../helpers.ts';
import { until } from '../tools/conditions.ts';
import { type Browser, berlin, email, fromBase32, password, startDashboard, tokenOf } from './helpers.ts';

const written = new Set<AuditAction>();
const collect = (db: Database): void => {
  for (const { action } of auditStore(db).list({ limit: -1 })) written.add(action);
  assert.is(auditStore(db).firstBroken().broken, null);
};

const post = async (by: Browser, path: string, body: object = {}) => {
  const answer = await by.post(path, body);
  assert.is(answer.status, 200, `${path} ${answer.text}`);
  return answer.json;
};

const begin = async () => {
  const dashboard = await startDashboard({ auditDays: 1 });
  const { browser: owner, me } = await dashboard.signedIn();
  const site = await post(owner, '/app/sites', { domain: 'a.example', ...berlin });
  return { dashboard, owner, me, site, team: `/app/teams/${me.teams[0]!.id}`, path: `/app/sites/${site.id}` };
};

test('signing in and out, factors, links, and what an operator decides', async () => {
  const { dashboard, owner, team } = await begin();
  const { db, clock } = dashboard;
  const invite = (to: string, role = 'admin') =>
    post(owner, `${team}/invitations`, { email: `${to}@example.com`, role });
  const back = await invite('back');
  await post(owner, `${team}/invitations/${back.id}/remove`);
  const guests: Browser[] = [];
  for (const name of ['one', 'two']) {
    const guest = dashboard.browser();
    const { url } = await invite(name);
    await post(guest, '/app/invitation/accept', { token: tokenOf(url), name, password });
    guests.push(guest);
  }
  const [one, two] = guests as [Browser, Browser];
  const idOf = async (name: string): Promise<string> =>
    (await owner.get(`${team}/members`)).json.data.find((each: { email: string }) => each.email.startsWith(name)).id;
  await post(owner, `/app/persons/${await idOf('one')}/disable`);
  await post(owner, `/app/persons/${await idOf('one')}/enable`);
  await post(owner, `${team}/members/${await idOf('two')}`, { role: 'editor' });
  assert.is((await two.get(`${team}/audit`)).status, 403);
  await post(two, `${team}/leave`);
  await post(owner, `${team}/members/${await idOf('one')}/remove`);
  assert.is((await one.get('/app/me')).status, 401);

  const { secret } = await post(owner, '/app/totp/begin');
  const code = totpCode(fromBase32(secret), Math.floor(clock.now / 30_000));
  await post(owner, '/app/totp', { code });
  await post(owner, '/app/totp/remove');
  await post(owner, '/app/account/email', { email: 'ada@new.example' });
  await post(owner, '/app/account/password', { newPassword: 'another password' });
  const stranger = dashboard.browser();
  await stranger.post('/app/sign-in', { email: 'ada@new.example', password: 'wrong' });
  await post(owner, '/app/teams', { name: 'second' });
  const second = (await owner.get('/app/me')).json.teams.find(({ name }: { name: string }) => name === 'second').id;
  await post(owner, `/app/teams/${second}`, { name: 'third' });
  await post(owner, `/app/teams/${second}/remove`, { name: 'third' });
  await post(owner, '/app/sign-out');
  const { url } = (
    await runCommand(dashboard.dataDir, ['person', 'link', 'ada@new.example', '--json'], { now: () => clock.now })
  ).json();
  await post(dashboard.browser(), '/app/link/use', { token: tokenOf(url), email, password });
  collect(db);
  // What is too old goes with the next that is written, and leaves a row.
  clock.now += dayMs + hourMs;
  await stranger.post('/app/sign-in', { email, password: 'wrong' });
  collect(db);
  await dashboard.close();
});

const octets = { 'content-type': 'application/octet-stream' };

test('sites, public pages, hits, keys and exports', async () => {
  const { dashboard, owner, path, site } = await begin();
  await post(owner, path, { timezone: 'Europe/Paris' });
  const [link] = (await post(owner, `${path}/shares`, { name: 'x' })).data;
  await post(owner, `${path}/shares/${link.id}/remove`);
  const line = JSON.stringify({ at: '2026-10-01T12:00:00.000Z', visitor: 'ada', hit: { u: 'https://a.example/' } });
  const upload = await post(owner, `${path}/uploads`, { name: 'past.ndjson', size: String(line.length) });
  await owner.post(`${path}/uploads/${upload.id}/0`, line, octets);
  await post(owner, `${path}/imports`, { uploads: [upload.id], format: '', known: '', dryRun: false });
  const settled = async () => {
    let list = (await owner.get(`${path}/imports`)).json;
    await until('work on hits has ended', async () => {
      list = (await owner.get(`${path}/imports`)).json;
      return list.running === null;
    });
    return list;
  };
  const [{ id }] = (await settled()).data;
  await post(owner, `${path}/removals`, { search: 'path^=/wp-', reason: '' });
  await post(owner, `${path}/removals/1/undo`);
  const key = await post(owner, '/app/keys', { name: 'k' });
  const byKey = await dashboard.browser().get(`/api/export/${site.id}`, { authorization: `Bearer ${key.key}` });
  assert.is(byKey.status, 200);
  assert.is((await owner.get(`/api/export/${site.id}?mode=sessions`)).status, 200);
  const exports = auditStore(dashboard.db).list({ action: 'exported', limit: 9 });
  assert.equal(
    exports.map(({ actor, subject, details }) => [actor, subject, details]),
    [
      [email, 'a.example', { what: 'visits' }],
      [`key k …${key.lastFour}`, 'a.example', { what: 'numbers' }],
    ],
  );
  assert.is((await owner.get(`/api/export/${site.id}`)).status, 200);
  assert.is(auditStore(dashboard.db).list({ action: 'exported', limit: 9 }).length, 2, 'the page says the same');
  await until(
    'the use of the key is stamped',
    () => auditStore(dashboard.db).list({ action: 'key-used-first', limit: 1 }).length === 1,
  );
  await post(owner, `/app/keys/${key.id}/revoke`);
  await post(owner, '/app/sites', { domain: 'https://B.example/shop', ...berlin });
  for (const [action, named] of [
    ['key-added', 'k'],
    ['key-revoked', 'k'],
    ['site-added', 'b.example'],
  ] as const)
    assert.is(auditStore(dashboard.db).list({ action, limit: 1 })[0]!.subject, named, action);
  await post(owner, `${path}/imports/${id}/undo`);
  await settled();
  await post(owner, `${path}/reset`, { domain: 'a.example' });
  await post(owner, `${path}/remove`, { domain: 'a.example' });
  collect(dashboard.db);
  await dashboard.close();
});

test('programs that people let in, and reports', async () => {
  const issuer = 'https://stats.example';
  const program = await whole.startProgram({ 'base-url': issuer });
  const { ask, db } = program;
  const fromPage = { origin: issuer, 'sec-fetch-site': 'same-origin' };
  await whole.setPassword({ ...program, url: issuer });
  const signedIn = await ask('/app/sign-in', {
    key: null,
    body: { email: whole.email, password: whole.password },
    headers: fromPage,
  });
  const cookie = signedIn.headers
    .getSetCookie()
    .map(one => one.split(';')[0]!)
    .join('; ');
  const app = (path: string, body?: object) =>
    ask(path, { key: null, ...(body && { body }), headers: { ...fromPage, cookie } });
  const redirect = 'https://assistant.example/callback';
  const { body: client } = await ask('/oauth/register', {
    key: null,
    body: { redirect_uris: [redirect], client_name: 'A' },
  });
  const challenge = createHash('sha256').update('v'.repeat(50)).digest('base64url');
  const search = String(
    new URLSearchParams({
      ...{ response_type: 'code', client_id: client.client_id, redirect_uri: redirect, state: 'x', scope: 'read' },
      ...{ code_challenge: challenge, code_challenge_method: 'S256', resource: `${issuer}/mcp` },
    }),
  );
  const { location } = (await app('/app/programs/allow', { search, scopes: ['read'], sites: null })).body;
  const code = new URL(location).searchParams.get('code')!;
  const fields = { grant_type: 'authorization_code', client_id: client.client_id, redirect_uri: redirect, code };
  const body = new URLSearchParams({ ...fields, code_verifier: 'v'.repeat(50) });
  assert.is((await fetch(`${program.url}/oauth/token`, { method: 'POST', body })).status, 200);
  const [{ id }] = (await app('/app/programs')).body.data;
  assert.is((await app(`/app/programs/${id}/remove`, {})).status, 200);
  const site = (await app('/app/sites', { domain: 'r.example', timezone: 'UTC', currency: 'EUR' })).body;
  const report = { name: 'Weekly', cadence: 'week', recipients: [whole.email] };
  assert.is((await app(`/app/sites/${site.id}/reports`, report)).status, 200);
  collect(db);
  await program.close();
});

test('a file of settings', async () => {
  const { dashboard } = await begin();
  const file = join(temporaryDir(), 'daybook.json');
  writeFileSync(file, JSON.stringify({ version: 1, teams: [{ name: 'default', sites: [{ domain: 'f.example' }] }] }));
  const ran = await runCommand(dashboard.dataDir, ['provision', file], { now: () => dashboard.clock.now });
  assert.equal([ran.code, ran.stderr], [0, '']);
  collect(dashboard.db);
  await dashboard.close();
});

test('commands write down what they did, too', async () => {
  const { dashboard, team, owner, me } = await begin();
  const run = async (...args: string[]) => {
    const ran = await runCommand(dashboard.dataDir, args, { now: () => dashboard.clock.now });
    assert.is(ran.code, 0, ran.stderr);
  };
  await run('alert', 'add', 'a.example', 'silent');
  await run('channel', 'add', 'ntfy', 'phone', 'https://ntfy.sh/my-topic');
  const [channel, alert] = auditStore(dashboard.db).list({ limit: 2 });
  assert.equal(
    [channel!, alert!].map(({ action, subject, details }) => [action, subject, details]),
    [
      ['channel-changed', 'phone', { done: 'added' }],
      ['alert-changed', 'a.example', { alert: 'silent', done: 'added' }],
    ],
  );
  secondFactors(dashboard.db).set(1, Buffer.alloc(20), 0, []);
  await run('person', 'reset-factors', me.person.email);
  await run('key', 'add', 'k');
  await run('key', 'revoke', '1');
  await run('site', 'add', 'b.example');
  await run('site', 'remove', 'b.example', '--yes');
  const rows = auditStore(dashboard.db).list({ limit: 4 });
  assert.equal(
    rows.filter(({ actor }) => actor === 'cli').map(({ action, subject }) => `${action} ${subject}`),
    ['site-removed b.example', 'key-revoked k', 'key-added k', `factor-removed ${me.person.email}`],
  );
  collect(dashboard.db);
  assert.is((await owner.get(`${team}/audit`)).status, 401, 'who lost factors is signed out');
  await dashboard.close();
});

test('no action of the list is a word alone', () => {
  assert.equal(
    auditActions.filter(action => !written.has(action)),
    [],
  );
});

test.run();
