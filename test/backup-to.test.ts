/** A server that keeps copies: real hits, the real commands, and a second server on what was restored. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { LogFields } from '../src/log.ts';
import { databaseExists, databaseFile, openDatabase } from '../src/store/database.ts';
import { runCommand } from './cli/helpers.ts';
import { addSite, temporaryDir } from './helpers.ts';
import { startTestServer, type TestServer } from './start-server.ts';
import { access, startBucketServer } from './tools/bucket-server.ts';
import { until } from './tools/conditions.ts';

const headers = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:132.0) Gecko/20100101 Firefox/132.0' };
const key = randomBytes(32).toString('hex');

const send = async (server: TestServer, publicKey: string, path: string): Promise<void> => {
  const body = JSON.stringify({ s: publicKey, u: `https://site1.example${path}` });
  assert.is((await fetch(`${server.url}/e`, { method: 'POST', headers, body })).status, 202);
};

const detailOf = async ({ url }: TestServer) =>
  (await (await fetch(`${url}/health?detail`)).json()) as {
    ok: boolean;
    backup: { copiedAt: string | null; verifiedAt: string | null; failure: string | null; waiting: boolean } | null;
  };

const pathsIn = (server: TestServer): string[] =>
  server.db.prepare(`select value from text where value like '/page%' order by value`).pluck().all() as string[];

/** Hits, a copy, more hits, an end, and what a restored directory serves. */
const survives = async (flags: Record<string, string>, env: Record<string, string>): Promise<void> => {
  const server = await startTestServer({ flags: { ...flags, 'backup-every-s': '1' } });
  const { publicKey } = addSite(server.db);
  await send(server, publicKey, '/page1');
  await until('a copy is made and proven', async () => (await detailOf(server)).backup!.verifiedAt !== null);
  const detail = await detailOf(server);
  assert.equal([detail.ok, detail.backup!.failure], [true, null]);
  const metrics = await (await fetch(`${server.url}/metrics`)).text();
  assert.match(metrics, /^daybook_backup_failing 0$/m);
  await send(server, publicKey, '/page2');
  await server.close();
  // All is in the database's file, as after any other stop.
  assert.is(existsSync(`${databaseFile(server.dataDir)}-wal`), false);

  const dataDir = join(temporaryDir(), 'new');
  // The log of a database that is gone.
  mkdirSync(dataDir);
  const gone = openDatabase(dataDir);
  gone.exec('create table gone (a)');
  copyFileSync(`${databaseFile(dataDir)}-wal`, join(dataDir, 'log'));
  gone.close();
  rmSync(databaseFile(dataDir));
  renameSync(join(dataDir, 'log'), `${databaseFile(dataDir)}-wal`);
  const restored = await runCommand(dataDir, ['restore'], { env });
  assert.is(restored.code, 0, restored.stderr);
  const failures: LogFields[] = [];
  const log = (event: string, fields: LogFields = {}): void => void (event === 'copy-failed' && failures.push(fields));
  let skippedMs = 0;
  const now = (): number => Date.now() + skippedMs;
  const again = await startTestServer({ dataDir, flags: { ...flags, 'backup-every-s': '1' }, log, now });
  assert.equal(pathsIn(again), ['/page1', '/page2']);
  await send(again, publicKey, '/page3');
  await until('it waits', async () => (await detailOf(again)).backup!.waiting);
  await until('it goes on with the copies', async () => {
    skippedMs += 10_000;
    return (await detailOf(again)).backup!.copiedAt !== null;
  });
  assert.not.ok((await detailOf(again)).backup!.waiting);
  assert.equal(failures, []);
  const other = await startTestServer({ flags: { ...flags, 'backup-every-s': '1' } });
  await until('another server is refused', async () => (await detailOf(other)).backup!.failure !== null);
  assert.match((await detailOf(other)).backup!.failure!, /^Another server writes to BACKUP_TO: /);
  await other.close();
  await again.close();
  assert.equal(failures, []);
  const third = join(temporaryDir(), 'third');
  assert.is((await runCommand(third, ['restore'], { env })).code, 0);
  const last = await startTestServer({ dataDir: third });
  assert.equal(pathsIn(last), ['/page1', '/page2', '/page3']);
  await last.close();
  const twice = await runCommand(dataDir, ['restore'], { env });
  assert.match(twice.stderr, /has a database already/);
};

test('a directory holds all that a server has taken, once it has stopped', async () => {
  const to = join(temporaryDir(), 'copies');
  await survives({ 'backup-to': to }, { BACKUP_TO: to });
});

test('so does a bucket, encrypted', async () => {
  const bucket = await startBucketServer();
  const credentials = { 'aws-access-key-id': access.accessKeyId, 'aws-secret-access-key': access.secretAccessKey };
  await survives(
    { 'backup-to': `${bucket.url}/a`, 'backup-key': key, ...credentials },
    {
      ...{ BACKUP_TO: `${bucket.url}/a`, BACKUP_KEY: key },
      ...{ AWS_ACCESS_KEY_ID: access.accessKeyId, AWS_SECRET_ACCESS_KEY: access.secretAccessKey },
    },
  );
  for (const object of bucket.objects.values()) assert.not.ok(object.includes('site1.example'));
  await bucket.close();
});

test('a server that ends while a copy is verified raises no alarm', async () => {
  const bucket = await startBucketServer();
  const logged: string[] = [];
  const server = await startTestServer({
    flags: {
      ...{ 'backup-to': bucket.url, 'backup-every-s': '1' },
      ...{ 'aws-access-key-id': access.accessKeyId, 'aws-secret-access-key': access.secretAccessKey },
    },
    log: event => void logged.push(event),
  });
  bucket.mood = 'holds';
  const isVerifying = () => existsSync(join(server.dataDir, 'backup-check.db'));
  await until('a copy is being verified', isVerifying);
  await server.close();
  assert.equal(
    logged.filter(event => event === 'copy-failed'),
    [],
  );
  assert.not.ok(isVerifying());
  await bucket.close();
});

test('a restore that is stopped while its place does not answer ends at once and leaves nothing', async () => {
  const bucket = await startBucketServer();
  const env = { AWS_ACCESS_KEY_ID: access.accessKeyId, AWS_SECRET_ACCESS_KEY: access.secretAccessKey };
  const credentials = { 'aws-access-key-id': access.accessKeyId, 'aws-secret-access-key': access.secretAccessKey };
  const server = await startTestServer({ flags: { 'backup-to': bucket.url, 'backup-every-s': '1', ...credentials } });
  await until('a copy is made', async () => (await detailOf(server)).backup!.copiedAt !== null);
  await server.close();
  bucket.mood = 'holds';
  const parent = temporaryDir();
  const dataDir = join(parent, 'one', 'two');
  const stop = new AbortController();
  const running = runCommand(dataDir, ['restore', '--from', bucket.url], { env, signal: stop.signal });
  await until('it writes', () => existsSync(join(dataDir, 'restored.partial')));
  stop.abort();
  const { code, stderr } = await running;
  assert.equal([code, stderr], [130, 'daybook: Interrupted: nothing was restored.\n']);
  assert.not.ok(existsSync(join(parent, 'one')));
  await bucket.close();
});

test('doctor and restore say alike that there is no bucket', async () => {
  const bucket = await startBucketServer();
  const elsewhere = bucket.url.replace(/bucket$/, 'other');
  const env = {
    ...{ BACKUP_TO: elsewhere, AWS_ACCESS_KEY_ID: access.accessKeyId },
    AWS_SECRET_ACCESS_KEY: access.secretAccessKey,
  };
  const dataDir = temporaryDir();
  openDatabase(dataDir).close();
  const doctor = await runCommand(dataDir, ['doctor'], { env });
  assert.ok(doctor.stdout.includes(`XX  copies    There is no bucket ${elsewhere}.`), doctor.stdout);
  const restored = await runCommand(join(temporaryDir(), 'new'), ['restore'], { env });
  assert.is(restored.stderr, `daybook: There is no bucket ${elsewhere}.\n`);
  await bucket.close();
});

test('restore goes back to the moment it is asked for, and lists which there are', async () => {
  const to = join(temporaryDir(), 'copies');
  const server = await startTestServer({ flags: { 'backup-to': to, 'backup-every-s': '1' } });
  const { publicKey } = addSite(server.db);
  await send(server, publicKey, '/page1');
  const copied = async (since: number): Promise<void> =>
    until('a copy', async () => Date.parse((await detailOf(server)).backup!.copiedAt ?? '') > since);
  await copied(Date.now());
  const between = new Date().toISOString();
  await send(server, publicKey, '/page2');
  await server.close();
  const dataDir = join(temporaryDir(), 'new');
  const list = await runCommand(dataDir, ['restore', '--from', to, '--list', '--json']);
  assert.ok(list.json().length >= 2);
  assert.not.ok(databaseExists(dataDir));
  for (const [args, problem] of [
    [['--at', 'yesterday'], /must look like/],
    [['--at', '2001-01-01T00:00:00Z'], /^daybook: The first copy is of /],
    [['--at', '2100-01-01'], /^daybook: --at is 2100-01-01T00:00:00.000Z, which is in the future\. The newest copy/],
    [['--backup-key', key], /^daybook: The copies are not encrypted, and BACKUP_KEY is set\./],
  ] as const) {
    assert.match((await runCommand(dataDir, ['restore', '--from', to, ...args])).stderr, problem);
    assert.not.ok(existsSync(dataDir), 'nothing is left behind');
  }
  const restored = await runCommand(dataDir, ['restore', '--from', to, '--at', between], { now: Date.now });
  assert.is(restored.code, 0, restored.stderr);
  const again = await startTestServer({ dataDir });
  assert.equal(pathsIn(again), ['/page1']);
  await again.close();
});

test('a place that fails is reported, hits go on, and so do copies when it is well again', async () => {
  const to = join(temporaryDir(), 'copies');
  writeFileSync(to, 'a file where the directory should be');
  const logged: string[] = [];
  const log = (event: string): void => void logged.push(event);
  const server = await startTestServer({ flags: { 'backup-to': to, 'backup-every-s': '1' }, log });
  const { publicKey } = addSite(server.db);
  await until('it is reported', async () => (await detailOf(server)).backup!.failure !== null);
  await send(server, publicKey, '/page1');
  assert.is(logged.filter(event => event === 'copy-failed').length, 1);
  const doctor = await runCommand(server.dataDir, ['doctor', '--json'], { env: { BACKUP_TO: to } });
  const said = (doctor.json() as { about: string; state: string }[]).find(({ about }) => about === 'copies');
  assert.is(said!.state, 'bad');
  assert.ok(logged.includes('copies-beside-data'));
  rmSync(to);
  mkdirSync(to);
  await until('copies are made again', async () => (await detailOf(server)).backup!.failure === null);
  assert.ok(logged.includes('copied'));
  const well = await runCommand(server.dataDir, ['doctor'], { env: { BACKUP_TO: to } });
  assert.match(well.stdout, /copies +the newest in \S+ was made at .* UTC by \S+, which was there last at/);
  assert.match(well.stdout, /!! +copies +they are on the disk of the data/);
  await server.close();
});

test('a place that never answers does not keep a server from ending in order', async () => {
  const silent = createServer(() => {});
  await once(silent.listen(0, '127.0.0.1'), 'listening');
  const { port } = silent.address() as AddressInfo;
  const server = await startTestServer({
    flags: {
      ...{ 'backup-to': `http://127.0.0.1:${port}/bucket`, 'shutdown-s': '1' },
      ...{ 'aws-access-key-id': access.accessKeyId, 'aws-secret-access-key': access.secretAccessKey },
    },
  });
  const { publicKey } = addSite(server.db);
  await send(server, publicKey, '/page1');
  await server.close();
  assert.is(existsSync(`${databaseFile(server.dataDir)}-wal`), false, 'the database is closed');
  silent.closeAllConnections();
  silent.close();
});

test('a clock that steps back does not stop the copies', async () => {
  const to = join(temporaryDir(), 'copies');
  let offset = 0;
  const now = (): number => Date.now() + offset;
  const server = await startTestServer({ flags: { 'backup-to': to, 'backup-every-s': '1' }, now });
  const points = (): number => (existsSync(join(to, 'points')) ? readdirSync(join(to, 'points')).length : 0);
  await until('a copy is made', () => points() > 0);
  offset = -40 * 24 * 3_600_000;
  server.db.exec('create table extra (a)');
  await until('another is', () => points() > 1);
  server.db.exec('create table more (a)');
  await until('and another', () => points() > 2);
  await server.close();
});

test('copies that cannot be verified are reported for as long as that is so', async () => {
  const to = join(temporaryDir(), 'copies');
  const dataDir = temporaryDir();
  const db = openDatabase(dataDir);
  // A day that cannot be read.
  addSite(db);
  db.exec(`insert into day_part (site_id, day, import_id, number, parts, sealed_at, visits, hash_visits, hits, first_at, last_at, bytes)
           select id, 0, 0, 0, 1, 0, 1, 1, 1, 0, 0, 1 from site`);
  db.close();
  const server = await startTestServer({ dataDir, flags: { 'backup-to': to, 'backup-every-s': '1' } });
  await until('it is reported', async () => (await detailOf(server)).backup!.failure !== null);
  const { copiedAt, failure } = (await detailOf(server)).backup!;
  await until('a copy is made', async () => (await detailOf(server)).backup!.copiedAt !== copiedAt);
  assert.is((await detailOf(server)).backup!.failure, failure);
  await server.close();
});

test('a server without copies says so', async () => {
  const server = await startTestServer();
  assert.equal(await detailOf(server), { ok: true, backup: null });
  const plain = await fetch(`${server.url}/health`);
  assert.is(plain.headers.get('content-type'), (await fetch(`${server.url}/health`)).headers.get('content-type'));
  await server.close();
});

test.run();
