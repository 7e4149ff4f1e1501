import { readdirSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { openDatabase } from '../../src/store/database.ts';
import { migrations } from '../../src/store/migrations.ts';
import { temporaryDir } from '../helpers.ts';
import { makeOlder } from '../tools/older.ts';
import { runCommand } from './helpers.ts';

/** A directory whose database lacks the newest steps. */
const olderBy = (steps: number): string => {
  const dir = temporaryDir();
  openDatabase(dir).close();
  makeOlder(dir, steps);
  return dir;
};

const versionOf = (dir: string): number => {
  const db = openDatabase(dir);
  const version = db.pragma('user_version', { simple: true }) as number;
  db.close();
  return version;
};

test('a database of this version needs nothing', async () => {
  const dir = temporaryDir();
  openDatabase(dir).close();
  const ran = await runCommand(dir, ['upgrade', '--check']);
  assert.equal([ran.code, /Nothing would change/.test(ran.stdout)], [0, true]);
});

test('--check tells what would change and changes nothing; without it, it is changed', async () => {
  const dir = olderBy(1);
  const files = readdirSync(dir).sort();
  const newest = migrations.at(-1)!.purpose;
  const checked = await runCommand(dir, ['upgrade', '--check', '--json']);
  const { from, to, changes } = checked.json();
  assert.equal([to - from, changes], [1, [newest]]);
  assert.equal(
    readdirSync(dir).filter(name => !/-(wal|shm)$/.test(name)),
    files,
  );
  assert.ok((await runCommand(dir, ['upgrade', '--check'])).stdout.includes('1 change would be made'));
  const ran = await runCommand(dir, ['upgrade']);
  assert.is(ran.code, 0, ran.stderr);
  assert.is(versionOf(dir), 1 + migrations.length);
  assert.ok(readdirSync(dir).includes(`daybook.db.before-version-${1 + migrations.length}`));
});

test('an upgrade that is stopped leaves all as it was, and goes through later', async () => {
  for (const args of [['upgrade', '--check'], ['upgrade']]) {
    const dir = olderBy(1);
    const files = readdirSync(dir).sort();
    const { code, stderr } = await runCommand(dir, args, { signal: AbortSignal.abort() });
    assert.equal([code, stderr], [130, 'daybook: Interrupted: nothing was changed.\n']);
    assert.equal(
      readdirSync(dir).filter(name => !/-(wal|shm)$/.test(name)),
      files,
    );
    assert.is((await runCommand(dir, ['upgrade', '--check', '--json'])).json().changes.length, 1);
    assert.is((await runCommand(dir, ['upgrade'])).code, 0);
  }
});

test('a database of a newer program is refused', async () => {
  const dir = olderBy(-1);
  assert.match((await runCommand(dir, ['upgrade', '--check'])).stderr, /it is an older one/);
});

test.run();
