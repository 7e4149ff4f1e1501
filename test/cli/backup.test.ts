import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { lockDataDir, openDatabase } from '../../src/store/database.ts';
import { sealAll } from '../../src/store/day/seal.ts';
import { salts } from '../../src/store/salts.ts';
import { sites } from '../../src/store/sites.ts';
import { recorder } from '../../src/store/write/recorder.ts';
import { addSite, hitRecord, recordedEntry, temporaryDir, visitRecord } from '../helpers.ts';
import { startTestServer, type TestServer } from '../start-server.ts';
import { runCommand } from './helpers.ts';

const writeHits = (dir: string, from: number, to: number): (() => void) => {
  const db = openDatabase(dir);
  const { id: siteId } = addSite(db, { domain: `from${from}.example` });
  const record = recorder(db);
  for (let id = from; id < to; id++) {
    const hit = hitRecord({ siteId, day: 20_000, visitId: id, at: 20_000 * 86_400_000, title: 'x'.repeat(400) + id });
    record.write([recordedEntry(hit, visitRecord({ siteId, day: 20_000, id }))]);
  }
  return () => db.close();
};

test('a backup holds everything, and works as a data directory under the right name', async () => {
  const [dir, other] = [temporaryDir(), temporaryDir()];
  writeHits(dir, 1, 2000)();
  const file = join(other, 'copy.db');
  const ran = await runCommand(dir, ['backup', file, '--json']);
  assert.is(ran.code, 0);
  assert.equal(Object.keys(ran.json()), ['file', 'bytes', 'problems']);
  assert.equal(ran.json().problems, []);
  assert.ok(ran.json().bytes > 500_000);
  assert.equal([readdirSync(other), statSync(file).mode & 0o777], [['copy.db'], 0o600]);
  renameSync(file, join(other, 'daybook.db'));
  const list = async (of: string) => (await runCommand(of, ['site', 'list', '--json'])).stdout;
  assert.is(await list(other), await list(dir));
  const db = openDatabase(other);
  assert.is(recorder(db).activeVisits(0).length, 1999);
  db.close();
});

test('a backup of a running server has all that was committed, while more comes', async () => {
  const [dir, other] = [temporaryDir(), temporaryDir()];
  const unlock = lockDataDir(dir);
  const close = writeHits(dir, 1, 3000);
  const backup = runCommand(dir, ['backup', join(other, 'daybook.db')]);
  const closeMore = writeHits(dir, 3000, 3100);
  assert.is((await backup).code, 0);
  const db = openDatabase(other);
  assert.ok(recorder(db).activeVisits(0).length >= 2999);
  assert.is(db.pragma('integrity_check', { simple: true }), 'ok');
  db.close();
  closeMore();
  close();
  unlock();
});

/** A database with a salt, which a test looks for in files. */
const withSalt = (dir: string): Buffer => {
  const db = openDatabase(dir);
  const salt = randomBytes(16);
  salts(db).replace(20_000, salt);
  salts(db).keepNext({ day: 20_001, salt: nextSalt });
  db.close();
  return salt;
};
const nextSalt = randomBytes(16);

test('no byte of a backup is of the salt, unless --with-salt is given', async () => {
  const [dir, other] = [temporaryDir(), temporaryDir()];
  const earlier = withSalt(dir);
  writeHits(dir, 1, 100)();
  const salt = withSalt(dir);
  const bytesOf = (name: string) => readFileSync(join(other, name));
  assert.is((await runCommand(dir, ['backup', join(other, 'nightly.db')])).code, 0);
  assert.is((await runCommand(dir, ['backup', join(other, 'moving.db'), '--with-salt'])).code, 0);
  assert.equal(readdirSync(other).sort(), ['moving.db', 'nightly.db']);
  assert.ok(bytesOf('moving.db').includes(salt));
  for (const gone of [earlier, salt, nextSalt]) assert.not.ok(bytesOf('nightly.db').includes(gone));
  for (const gone of [earlier, nextSalt]) assert.not.ok(bytesOf('moving.db').includes(gone));
});

test('a server goes on with a backup: known visitors are new ones for the rest of the day', async () => {
  const [dir, other] = [temporaryDir(), temporaryDir()];
  const now = Date.UTC(2026, 10, 20, 12);
  const visitorsAfter = async (flags: string[]): Promise<number> => {
    const first = await startTestServer({ dataDir: dir, now: () => now });
    const { publicKey } = sites(first.db).list()[0] ?? addSite(first.db);
    const visit = async ({ url, db }: TestServer): Promise<number> => {
      const headers = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:132.0) Gecko/20100101 Firefox/132.0' };
      const body = JSON.stringify({ s: publicKey, u: 'https://site1.example/' });
      assert.is((await fetch(`${url}/e`, { method: 'POST', headers, body })).status, 202);
      return db.prepare('select count(distinct visitor) from visit').pluck().get() as number;
    };
    await visit(first);
    assert.is(await visit(first), 1);
    assert.is((await runCommand(dir, ['backup', join(other, 'daybook.db'), '--force', ...flags])).code, 0);
    await first.close();
    const second = await startTestServer({ dataDir: other, now: () => now });
    const visitors = await visit(second);
    await second.close();
    return visitors;
  };
  assert.is(await visitorsAfter(['--with-salt']), 1);
  assert.is(await visitorsAfter([]), 2);
});

test('an existing file stays, unless --force is given', async () => {
  const dir = temporaryDir();
  writeHits(dir, 1, 10)();
  const file = join(dir, 'copy');
  writeFileSync(file, 'precious');
  const refused = await runCommand(dir, ['backup', file]);
  assert.equal([refused.code, refused.stderr], [1, `daybook: ${file} is there already: --force replaces it.\n`]);
  assert.match(
    (await runCommand(dir, ['backup', file, '--force'])).stdout,
    /^Copied \d+\.\d KiB to .*\. The copy is sound\.$/m,
  );
});

test('a damaged copy is deleted, unless --damaged is given', async () => {
  const [dir, other] = [temporaryDir(), temporaryDir()];
  writeHits(dir, 1, 10)();
  const db = openDatabase(dir);
  sealAll(db, 20_001, 0);
  db.exec(`update sealed_column set data = zeroblob(length(data)) where name = 'path'`);
  db.close();
  const file = join(other, 'copy.db');
  const refused = await runCommand(dir, ['backup', file]);
  assert.is(refused.code, 1);
  assert.match(refused.stderr, /^daybook: The copy is damaged, so it was deleted: .*column path.*--damaged keeps/);
  assert.equal(readdirSync(other), []);
  const kept = await runCommand(dir, ['backup', file, '--damaged', '--json']);
  assert.equal([kept.code, kept.json().problems.length, readdirSync(other)], [0, 1, ['copy.db']]);
  assert.match((await runCommand(dir, ['backup', file, '--damaged', '--force'])).stdout, /The copy has 1 problem\.$/m);
});

test('a backup that fails or is interrupted leaves no file', async () => {
  const dir = temporaryDir();
  writeHits(dir, 1, 3000)();
  const file = join(dir, 'folder', 'copy');
  const missing = await runCommand(dir, ['backup', file]);
  assert.equal([missing.code, missing.stderr], [1, `daybook: There is no directory ${join(dir, 'folder')}.\n`]);
  mkdirSync(join(dir, 'folder'));
  const stopped = await runCommand(dir, ['backup', file], { signal: AbortSignal.abort() });
  assert.equal([stopped.code, stopped.stderr], [130, 'daybook: Interrupted: no backup was made.\n']);
  assert.equal(readdirSync(join(dir, 'folder')), []);
  const nothing = temporaryDir();
  assert.is((await runCommand(nothing, ['backup', file])).code, 1);
  assert.not.ok(existsSync(file));
});

test.run();
