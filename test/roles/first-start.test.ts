import { randomBytes } from 'node:crypto';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readConfig, SettingError } from '../../src/config.ts';
import { scopeNames } from '../../src/model/scopes.ts';
import type { RunningServer } from '../../src/roles/listen.ts';
import { startServer } from '../../src/server.ts';
import { accounts, apiKeys } from '../../src/store/accounts/accounts.ts';
import { members } from '../../src/store/accounts/members.ts';
import { persons } from '../../src/store/accounts/persons.ts';
import { type Database, openDatabase } from '../../src/store/database.ts';
import { sites } from '../../src/store/sites.ts';
import { temporaryDir } from '../helpers.ts';

const password = 'a long enough password';

const start = (dataDir: string, env: Record<string, string>): Promise<RunningServer> =>
  startServer({
    config: readConfig(env, { data: dataDir, port: '0' }),
    now: Date.now,
    random: randomBytes,
    log: () => {},
    passwordCost: { logN: 8, r: 8, p: 1 },
  });

const started = async (
  dataDir: string,
  env: Record<string, string>,
  look: (server: RunningServer, db: Database) => unknown,
): Promise<void> => {
  const server = await start(dataDir, env);
  const db = openDatabase(dataDir);
  try {
    await look(server, db);
  } finally {
    db.close();
    await server.close();
  }
};

const signIn = async ({ url }: RunningServer, email: string, password: string): Promise<number> => {
  const response = await fetch(`${url}/app/sign-in`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: url },
    body: JSON.stringify({ email, password }),
  });
  return response.status;
};

test('four variables and one start: a first hit is recorded without a click', async () => {
  const dataDir = temporaryDir();
  const [passwordFile, keyFile] = ['password', 'key'].map(name => join(dataDir, name)) as [string, string];
  writeFileSync(passwordFile, `${password}\n`);
  const env = {
    ADMIN_EMAIL: 'Ada@Example.com',
    ADMIN_PASSWORD_FILE: passwordFile,
    SITES: 'https://example.com/, shop.example',
    API_KEY_FILE: keyFile,
  };
  await started(dataDir, env, async (server, db) => {
    assert.is(server.firstRunUrl, null, 'no link is printed');
    assert.is(await signIn(server, 'ada@example.com', password), 200);

    const key = readFileSync(keyFile, 'utf8').trim();
    assert.match(key, /^tk_live_[\dA-Za-z]{32}$/);
    assert.is(statSync(keyFile).mode & 0o777, 0o600);
    const ask = (path: string) => fetch(`${server.url}${path}`, { headers: { authorization: `Bearer ${key}` } });
    const { data } = (await (await ask('/api/v1/sites')).json()) as { data: { domain: string; publicKey: string }[] };
    assert.equal(
      data.map(({ domain }) => domain),
      ['example.com', 'shop.example'],
    );
    const sent = await fetch(`${server.url}/e`, {
      method: 'POST',
      headers: { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0' },
      body: JSON.stringify({ s: data[1]!.publicKey, u: 'https://shop.example/' }),
    });
    assert.is(sent.status, 202);
    const stats = (await (await ask('/api/v1/sites/shop.example/stats?range=today')).json()) as { pageviews: number };
    assert.is(stats.pageviews, 1);

    const { id: personId, isOperator } = persons(db).ofEmail('ada@example.com')!;
    assert.is(isOperator, true);
    assert.is(members(db).find(accounts(db).named('default', 0).id, personId)!.role, 'owner');
    const [made] = apiKeys(db).list();
    assert.equal([made!.scopes, made!.madeBy], [scopeNames, personId]);
  });
});

test('later starts change nothing that people changed', async () => {
  const dataDir = temporaryDir();
  const keyFile = join(dataDir, 'key');
  const env = { ADMIN_EMAIL: 'a@b.example', ADMIN_PASSWORD: password, SITES: 'a.example', API_KEY_FILE: keyFile };
  await started(dataDir, env, (_, db) => {
    const [key] = apiKeys(db).list();
    apiKeys(db).revoke(key!.id);
    const [site] = sites(db).list();
    sites(db).set(site!.id, { ...site!, timezone: 'Europe/Berlin' });
  });
  const others = { ...env, ADMIN_EMAIL: 'c@d.example', ADMIN_PASSWORD: 'short', SITES: 'a.example b.example' };
  await started(dataDir, others, async (server, db) => {
    assert.is(await signIn(server, 'a@b.example', password), 200);
    assert.equal(
      persons(db)
        .list()
        .map(({ email }) => email),
      ['a@b.example'],
    );
    assert.equal(apiKeys(db).list(), [], 'a revoked key stays revoked');
    assert.equal(
      sites(db)
        .list()
        .map(({ domain, timezone }) => [domain, timezone]),
      [
        ['a.example', 'Europe/Berlin'],
        ['b.example', 'UTC'],
      ],
    );
  });
});

test('a key that a file holds already is taken', async () => {
  const dataDir = temporaryDir();
  const keyFile = join(dataDir, 'key');
  const key = `tk_live_${'k'.repeat(32)}`;
  writeFileSync(keyFile, `${key}\n`);
  await started(dataDir, { API_KEY_FILE: keyFile }, async (server, db) => {
    assert.ok(server.firstRunUrl, 'nobody can sign in yet');
    assert.is(apiKeys(db).find(key)!.name, 'API_KEY_FILE');
  });
});

const refused: [string, Record<string, string>, RegExp][] = [
  ['a short password', { ADMIN_EMAIL: 'a@b.example', ADMIN_PASSWORD: 'short' }, /^ADMIN_PASSWORD: .*at least/],
  ['a common password', { ADMIN_EMAIL: 'a@b.example', ADMIN_PASSWORD: '1234567890' }, /^ADMIN_PASSWORD: .*guess/],
  ['an e-mail without a password', { ADMIN_EMAIL: 'a@b.example' }, /^ADMIN_EMAIL needs ADMIN_PASSWORD/],
  ['a password of nobody', { ADMIN_PASSWORD: password }, /ADMIN_EMAIL says not whose/],
  ['no e-mail', { ADMIN_EMAIL: 'ada', ADMIN_PASSWORD: password }, /^ADMIN_EMAIL is "ada": .* is not an e-mail/],
  ['no domain', { SITES: 'a.example b!c' }, /^SITES is .* is not a domain/],
  ['no such directory', { API_KEY_FILE: '/nowhere/key' }, /^API_KEY_FILE cannot be written/],
  ['a file of something else', { API_KEY_FILE: '/etc/hostname' }, /^API_KEY_FILE (holds no key|cannot be)/],
];

for (const [name, env, message] of refused) {
  test(`no start with ${name}, and nothing is made`, async () => {
    const dataDir = temporaryDir();
    try {
      await (await start(dataDir, { SITES: 'left.example', ...env })).close();
      assert.unreachable('it started');
    } catch (error) {
      assert.instance(error, SettingError);
      assert.match((error as Error).message, message);
      assert.not.match((error as Error).message, /long enough/);
    }
    const db = openDatabase(dataDir);
    assert.equal([persons(db).list(), sites(db).list()], [[], []]);
    db.close();
  });
}

test.run();
