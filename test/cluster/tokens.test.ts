/** Who may follow: each server with a token of its own, for its role, until it is revoked. And two servers on copies of one directory. */
import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readConfig } from '../../src/config.ts';
import { runCommand } from '../cli/helpers.ts';
import { temporaryDir } from '../helpers.ts';
import {
  primaryFlags,
  startTestAnswer,
  startTestCollector,
  startTestServer,
  type TestServer,
} from '../start-server.ts';
import { until } from '../tools/conditions.ts';

const { token: _, ...withoutToken } = primaryFlags;

const startFails = (start: Promise<TestServer>): Promise<string> =>
  start.then(
    server => server.close().then(() => 'it started'),
    error => error.message,
  );

test('each server has a token of its own, for its role, until it is revoked', async () => {
  const log: string[] = [];
  const primary = await startTestServer({ flags: withoutToken });
  const run = (...args: string[]) => runCommand(primary.dataDir, ['cluster', ...args, '--json']);
  const invite = async (name: string, role: string): Promise<string> => {
    const { code, stderr, json } = await run('invite', name, '--role', role);
    assert.is(code, 0, stderr);
    return json().token;
  };
  const [one, two, reader] = [
    await invite('hits-1', 'collect'),
    await invite('hits-2', 'collect'),
    await invite('api', 'answer'),
  ];
  assert.match(one, /^dbn_[\w-]{43}$/);
  assert.is.not(one, two);
  assert.not(JSON.stringify(primary.db.prepare('select * from node_token').all()).includes(one));
  const again = await run('invite', 'api', '--role', 'answer');
  assert.equal(
    [again.code, again.stderr],
    [1, 'daybook: There is a server api already: daybook cluster revoke api ends its token.\n'],
  );
  assert.is((await run('invite', 'x', '--role', 'both')).code, 2);

  const first = await startTestCollector(primary.url, { flags: { token: one }, log: event => log.push(event) });
  const second = await startTestCollector(primary.url, { flags: { token: two } });
  const answers = await startTestAnswer(primary.url, { flags: { token: reader } });
  const statusOf = async (token: string, role: string): Promise<number> => {
    const headers = { authorization: `Bearer ${token}` };
    const response = await fetch(`${primary.url}/cluster/state?role=${role}`, { headers });
    await response.text();
    return response.status;
  };
  assert.equal(
    [await statusOf(one, 'collect'), await statusOf(one, 'answer'), await statusOf(reader, 'collect')],
    [200, 403, 403],
  );
  for (const nobodys of ['', primaryFlags.token!, `${one}x`, 'null'])
    assert.is(await statusOf(nobodys, 'collect'), 401, nobodys);
  assert.match(
    await startFails(startTestAnswer(primary.url, { flags: { token: primaryFlags.token! } })),
    /refuses the token/,
  );

  assert.equal((await run('revoke', 'hits-1')).json(), { name: 'hits-1', revoked: true });
  assert.is(await statusOf(one, 'collect'), 401);
  assert.is(await statusOf(two, 'collect'), 200);
  await until('the first is told', () => log.includes('token-unknown'));
  const unknown = await run('revoke', 'hits-1');
  assert.equal([unknown.code, unknown.stderr], [1, 'daybook: There is no server hits-1. There are: api, hits-2.\n']);
  await run('revoke', 'api');
  assert.match(await answers.needsStart!, /refuses the token/);
  await answers.close();
  const restarted = startTestAnswer(primary.url, { flags: { token: reader }, dataDir: answers.dataDir });
  assert.match(await startFails(restarted), /refuses the token/, 'also where a state is there');
  for (const server of [first, second, primary]) await server.close();
});

test('a secret comes from the environment or from a file, and a token is no flag', async () => {
  const file = join(temporaryDir(), 'token');
  writeFileSync(file, 'a token in a file\n');
  assert.is(readConfig({ CLUSTER_TOKEN_FILE: file }, {}).clusterToken, 'a token in a file');
  assert.is(
    readConfig({ CLUSTER_TOKEN_FILE: file, CLUSTER_TOKEN: 'a token that is given' }, {}).clusterToken?.length,
    21,
  );
  writeFileSync(file, 'short');
  assert.throws(() => readConfig({ CLUSTER_TOKEN_FILE: file }, {}), /CLUSTER_TOKEN must have at least 16 characters/);
  assert.throws(() => readConfig({ CLICKHOUSE_FILE: '/nowhere' }, {}), /CLICKHOUSE_FILE cannot be read/);
  const { code, stderr } = await runCommand(temporaryDir(), [
    'collect',
    '--primary',
    'http://a',
    '--token',
    'x'.repeat(16),
  ]);
  assert.equal([code, /--token/.test(stderr)], [2, true]);
});

test('two servers on copies of one directory are told apart from one that was restarted', async () => {
  const log: string[] = [];
  const primary = await startTestServer({ flags: primaryFlags, log: event => log.push(event) });
  let collector = await startTestCollector(primary.url);
  await collector.close();
  const copy = temporaryDir();
  cpSync(collector.dataDir, copy, { recursive: true });
  const report = (process: string): Promise<Response> =>
    fetch(`${primary.url}/cluster/node`, {
      method: 'POST',
      headers: { authorization: `Bearer ${primaryFlags.token}` },
      body: JSON.stringify({
        ...{ identity: 'a'.repeat(32), process: process.repeat(16), role: 'collect' },
        ...{ version: '1', keyUses: [], stats: {} },
      }),
    });
  for (const process of ['1', '1', '2', '2', '3', '3']) assert.is((await report(process)).status, 200);
  assert.not(log.includes('directory-copied'), 'restarts');
  await report('2');
  assert.is(log.filter(event => event === 'directory-copied').length, 1, 'the one before still runs');
  await report('3');
  assert.is(log.filter(event => event === 'directory-copied').length, 1, 'it is said once');

  collector = await startTestCollector(primary.url, { dataDir: collector.dataDir });
  const twin = await startTestCollector(primary.url, { dataDir: copy });
  await until('both have reported', () => log.filter(event => event === 'directory-copied').length === 2, 20_000);
  for (const server of [collector, twin, primary]) await server.close();
});

test.run();
