import { readdirSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { conversionOf, convertedVersion, schemaVersion } from '../../src/store/conversion.ts';
import { openDatabase } from '../../src/store/database.ts';
import { temporaryDir } from '../helpers.ts';
import { setVersion, writeOlder } from '../tools/older.ts';
import { runCommand } from './helpers.ts';

const older = (): string => {
  const dir = temporaryDir();
  writeOlder(dir);
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
  const dir = older();
  const files = readdirSync(dir).sort();
  const checked = await runCommand(dir, ['upgrade', '--check', '--json']);
  const { from, to, changes } = checked.json();
  assert.equal([from, to, changes], [convertedVersion, schemaVersion, [conversionOf(convertedVersion)]]);
  assert.equal(
    readdirSync(dir).filter(name => !/-(wal|shm)$/.test(name)),
    files,
  );
  assert.ok(
    (await runCommand(dir, ['upgrade', '--check'])).stdout.includes(
      `This would change:\n  ${conversionOf(convertedVersion)}`,
    ),
  );
  const ran = await runCommand(dir, ['upgrade']);
  assert.is(ran.code, 0, ran.stderr);
  assert.is(versionOf(dir), schemaVersion);
  assert.ok(readdirSync(dir).includes(`daybook.db.before-version-${schemaVersion}`));
});

test('an upgrade that is stopped leaves all as it was, and goes through later', async () => {
  for (const args of [['upgrade', '--check'], ['upgrade']]) {
    const dir = older();
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

test('a database of a newer program, or of an early one, is refused', async () => {
  const dir = temporaryDir();
  openDatabase(dir).close();
  for (const [version, refusal] of [
    [schemaVersion + 1, /written by a newer Daybook/],
    [20, /written by an early Daybook .* start Daybook 0.1.0 on it once, then this program/],
  ] as const) {
    setVersion(dir, version);
    for (const args of [['upgrade', '--check'], ['upgrade']])
      assert.match((await runCommand(dir, args)).stderr, refusal);
    assert.throws(() => openDatabase(dir), refusal);
  }
});

test('a database with hits that 0.1.0 would move is refused, and stays as it is', async () => {
  const dir = temporaryDir();
  const db = openDatabase(dir);
  db.exec('create table removed_hits (one integer); insert into removed_hits values (1)');
  db.close();
  setVersion(dir, 24);
  const refusal = /has hits that were removed before Daybook 0.1.0: start Daybook 0.1.0 on it once, then this program/;
  for (const args of [['upgrade', '--check'], ['upgrade']]) assert.match((await runCommand(dir, args)).stderr, refusal);
  assert.throws(() => openDatabase(dir), refusal);
});

test.run();
