/** A server that is set up from a file, and keeps to it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { scopeNames } from '../../src/model/scopes.ts';
import { packageRoot } from '../../src/package-root.ts';
import { databaseExists, openDatabase } from '../../src/store/database.ts';
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

test('what a file sets is locked, and the file is applied again when it changes', async () => {
  const file = join(temporaryDir(), 'daybook.yaml');
  writeFileSync(file, fileOf('Asia/Tokyo', '{ name: Order, conditions: event=Order }'));
  const logged: string[] = [];
  const server = await startTestServer({ flags: { provision: file }, log: event => logged.push(event) });
  const ask = async (method: string, path: string, body?: object) => {
    const response = await fetch(`${server.url}/api/ext/sites/${path}`, {
      method,
      headers: { authorization: `Bearer ${key}` },
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: response.status, ...((await response.json()) as { error?: string }) };
  };
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

test('killed in the middle, a file is applied whole or not at all', async () => {
  const file = join(temporaryDir(), 'many.yaml');
  const goals = Array.from({ length: 20 }, (_, i) => ({ name: `g${i}`, conditions: `event=${i}` }));
  const many = Array.from({ length: 300 }, (_, i) => ({ domain: `s${i}.example`, goals }));
  writeFileSync(file, JSON.stringify({ version: 1, teams: [{ name: 'default', sites: many }] }));
  const run = (dataDir: string): ChildProcess =>
    spawn(process.execPath, [join(packageRoot, 'dist/daybook.js'), 'provision', file, '--data', dataDir], {
      stdio: 'ignore',
    });
  let isWhole = 0;
  for (const afterMs of [0, 20, 60, 120, 200, 60_000]) {
    const dataDir = temporaryDir();
    const child = run(dataDir);
    const ended = once(child, 'exit');
    await until('it has begun', () => child.exitCode !== null || existsSync(join(dataDir, 'daybook.db-wal')));
    await Promise.race([wait(afterMs), ended]);
    child.kill('SIGKILL');
    await ended;
    if (!databaseExists(dataDir)) continue;
    const db = openDatabase(dataDir);
    const all = sites(db).list();
    const count = db.prepare('select count(*) from definition').pluck().get();
    assert.ok(all.length === 0 || all.length === 300, `${all.length} sites`);
    assert.is(count, all.length * 20);
    isWhole += all.length === 300 ? 1 : 0;
    db.close();
  }
  assert.ok(isWhole > 0, 'the last was given its time');
});

test.run();
