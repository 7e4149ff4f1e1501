/** A command that is killed while it applies a file of settings. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { packageRoot } from '../../src/package-root.ts';
import { databaseExists, openDatabase } from '../../src/store/database.ts';
import { sites } from '../../src/store/sites.ts';
import { temporaryDir } from '../helpers.ts';
import { until } from '../tools/conditions.ts';

test('killed in the middle, a file is applied whole or not at all', async () => {
  const file = join(temporaryDir(), 'many.yaml');
  const goals = Array.from({ length: 20 }, (_, i) => ({ name: `g${i}`, conditions: `event=${i}` }));
  const many = Array.from({ length: 300 }, (_, i) => ({
    ...{ domain: `s${i}.example`, goals, shares: [{ name: 'board', parts: ['events'] }] },
    alerts: [{ name: 'Quiet', kind: 'silent', channels: ['ops'] }],
    reports: [{ name: 'Weekly', recipients: ['ada@example.com'] }],
  }));
  const channels = [{ name: 'ops', kind: 'slack', target: 'https://hooks.slack.example/x' }];
  writeFileSync(file, JSON.stringify({ version: 1, teams: [{ name: 'default', sites: many, channels }] }));
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
    for (const table of ['share', 'alert', 'report', 'report_recipient'])
      assert.is(db.prepare(`select count(*) from ${table}`).pluck().get(), all.length, table);
    assert.is(db.prepare('select count(*) from channel').pluck().get(), all.length / 300);
    isWhole += all.length === 300 ? 1 : 0;
    db.close();
  }
  assert.ok(isWhole > 0, 'the last was given its time');
});

test.run();
