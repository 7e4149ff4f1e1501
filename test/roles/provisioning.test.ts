/** A server that is set up from a file, and keeps to it. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { State } from '../../src/dashboard/wire.ts';
import { scopeNames } from '../../src/model/scopes.ts';
import { definitions } from '../../src/store/definitions.ts';
import { sites } from '../../src/store/sites.ts';
import { temporaryDir } from '../helpers.ts';
import { startTestServer } from '../start-server.ts';
import { until } from '../tools/conditions.ts';

const key = `tk_live_${'k'.repeat(32)}`;
const fileOf = (timezone: string, goals = ''): string => `version: 1
teams:
  - name: default
    keys: [ { name: admin, value: ${key}, scopes: [${scopeNames.join(', ')}] } ]
    sites: [ { domain: shop.example, timezone: ${timezone}, goals: [${goals}] } ]
`;

const askerOf = (url: string) => async (method: string, path: string, body?: object) => {
  const response = await fetch(`${url}/api/ext/${path}`, {
    method,
    headers: { authorization: `Bearer ${key}` },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: response.status, ...((await response.json()) as { error?: string }) };
};

test('what a file sets is locked, and the file is applied again when it changes', async () => {
  const file = join(temporaryDir(), 'daybook.yaml');
  writeFileSync(file, fileOf('Asia/Tokyo', '{ name: Order, conditions: event=Order }'));
  const logged: string[] = [];
  const server = await startTestServer({ flags: { provision: file }, log: event => logged.push(event) });
  const of = askerOf(server.url);
  const ask = (method: string, path: string, body?: object) => of(method, `sites/${path}`, body);
  const at = 'by-domain/shop.example';
  assert.equal(await ask('PATCH', at, { timezone: 'UTC' }), { status: 409, error: 'This is set in daybook.yaml.' });
  assert.is((await ask('PATCH', at, { timezone: 'Asia/Tokyo', currency: 'EUR' })).status, 200, 'the rest is free');
  assert.is((await ask('PUT', 'shop.example/goals/Order', { conditions: 'event=x' })).status, 409);
  assert.is((await ask('DELETE', 'shop.example/goals/Order')).status, 409);
  assert.is((await ask('DELETE', `${at}?confirm=shop.example`)).status, 409);
  assert.is((await ask('PUT', 'shop.example/goals/Other', { conditions: 'event=x' })).status, 201);

  const timezone = (): string => sites(server.db).list()[0]!.timezone;
  writeFileSync(file, fileOf('Europe/Berlin'));
  await until('the file is applied', () => timezone() === 'Europe/Berlin');
  const goals = definitions(server.db).list(sites(server.db).list()[0]!.id, 'goal');
  assert.equal(
    goals.map(({ name }) => name),
    ['Other'],
  );
  writeFileSync(file, fileOf('Nowhere/Never'));
  await until('the bad file is told', () => logged.includes('provision-failed'));
  assert.is(timezone(), 'Europe/Berlin', 'the old state stays');
  const { dataDir } = server;
  await server.close();

  try {
    await startTestServer({ dataDir, flags: { provision: file } });
    assert.unreachable('it started');
  } catch (error) {
    assert.match((error as Error).message, /daybook\.yaml:5:\d+: There is no time zone "Nowhere\/Never"/);
  }
});

test('what a file sets of alerts, channels and reports is locked, and the rest is free', async () => {
  const file = join(temporaryDir(), 'daybook.yaml');
  const inside = `
        alerts: [ { name: Quiet, kind: silent, params: { hours: 6 }, channels: [ops] } ]
        reports: [ { name: Weekly, recipients: [ada@example.com], hour: 7 } ]
    channels: [ { name: ops, kind: slack, target: "https://hooks.slack.example/x" } ]
    plan: unlimited`;
  writeFileSync(
    file,
    `version: 1
teams:
  - name: default
    keys: [ { name: admin, value: ${key}, scopes: [${scopeNames.join(', ')}] } ]
    sites:
      - domain: shop.example${inside}
`,
  );
  const server = await startTestServer({ flags: { provision: file } });
  const ask = askerOf(server.url);
  const statusOf = async (method: string, path: string, body?: object) => (await ask(method, path, body)).status;
  const of = async (path: string) => ((await ask('GET', path)) as unknown as { data: { id: number }[] }).data[0]!;
  const alert = await of('sites/shop.example/alerts');
  const at = `sites/shop.example/alerts/${alert.id}`;
  assert.is(await statusOf('POST', at, { ...alert, enabled: false }), 200, 'the file does not say');
  assert.is(await statusOf('POST', at, { ...alert, params: { hours: 7 } }), 409);
  assert.is(await statusOf('POST', at, { ...alert, name: 'Other' }), 409);
  assert.is(await statusOf('POST', at, { ...alert, channels: [] }), 409);
  assert.is(await statusOf('POST', `${at}/mute`, { hours: 1 }), 200);
  assert.is(await statusOf('DELETE', at), 409);
  const report = `sites/shop.example/reports/${(await of('sites/shop.example/reports')).id}`;
  assert.is(await statusOf('POST', report, { isPaused: true }), 200);
  assert.is(await statusOf('POST', report, { hour: 8 }), 409);
  assert.is(await statusOf('POST', report, { recipients: ['eve@example.com'] }), 409);
  assert.is(await statusOf('DELETE', report), 409);
  const channel = await of('channels');
  assert.is(await statusOf('DELETE', `channels/${channel.id}`), 409);
  await server.close();

  const freed = await startTestServer({ dataDir: server.dataDir });
  const again = askerOf(freed.url);
  assert.is((await again('DELETE', at)).status, 200, 'without the file it is people’s');
  assert.is((await again('DELETE', report)).status, 200);
  assert.is((await again('DELETE', `channels/${channel.id}`)).status, 200);
  await freed.close();
});

test('a file names the provider of sign-in, unless the settings do', async () => {
  const file = join(temporaryDir(), 'daybook.yaml');
  const written = (fields: string, more = ''): void =>
    writeFileSync(file, `version: 1\noidc:\n  - issuer: https://id.example.com\n    ${fields}\n${more}`);
  const logged: string[] = [];
  const flags = { provision: file, 'base-url': 'https://stats.example.com' };
  const start = (more: Record<string, string> = {}, dataDir = temporaryDir()) =>
    startTestServer({ dataDir, flags: { ...flags, ...more }, log: event => logged.push(event) });
  const refused = async (more: Record<string, string> = {}): Promise<string> => {
    try {
      await (await start(more)).close();
    } catch (error) {
      return (error as Error).message;
    }
    return '';
  };
  written(
    'clientId: daybook\n    clientSecret: hidden\n    create: domain\n    domains: [example.com]\n    only: true',
  );
  const server = await start();
  const ways = async () => {
    const page = await (await fetch(`${server.url}/sign-in`)).text();
    const [, state] = /<script type="application\/json" id="state">(.*?)<\/script>/s.exec(page)!;
    const { password, provider } = (JSON.parse(state!) as State).ways;
    return { password, provider };
  };
  assert.equal(await ways(), { password: false, provider: 'id.example.com' });
  written('clientId: another');
  await until('it says that a start is due', () => logged.includes('provision-restart'), 20_000);
  assert.equal(await ways(), { password: false, provider: 'id.example.com' }, 'until then all stays');
  await server.close();

  assert.match(await refused({ 'oidc-issuer': 'https://x.example', 'oidc-client-id': 'x' }), /:3:5: .* in one place/);
  written('clientId: x\n    create: everybody');
  assert.match(await refused(), /daybook\.yaml:5:13: create is "everybody": it must be/);
  written('clientId: x\n    create: domain');
  assert.match(await refused(), /daybook\.yaml:5:13: create is domain, but domains names none/);
  written('clientId: x\n    groups: [admins]');
  assert.match(await refused(), /daybook\.yaml:5:13: groups is "admins": it must look like/);
  written('clientID: x');
  assert.match(await refused(), /daybook\.yaml:4:5: There is no clientID here. Did you mean clientId\?/);
  written('name: x');
  assert.match(await refused(), /daybook\.yaml:3:\d+: issuer and clientId go together/);
  written('clientId: x', '  - { issuer: https://other.example.com, clientId: x }');
  assert.match(await refused(), /daybook\.yaml:5:5: People sign in with one provider/);
});

test.run();
