import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { apiKeys } from '../../src/store/accounts/accounts.ts';
import { openDatabase } from '../../src/store/database.ts';
import { temporaryDir } from '../helpers.ts';
import { runCommand, testNow } from './helpers.ts';

const found = (dir: string, key: string) => {
  const db = openDatabase(dir);
  const row = apiKeys(db).find(key);
  db.close();
  return row;
};

test('a key is shown once, works until it is revoked, and is listed by its last four characters', async () => {
  const dir = temporaryDir();
  const added = (await runCommand(dir, ['key', 'add', 'Grafana', '--json'])).json();
  assert.equal(Object.keys(added), ['id', 'name', 'key']);
  assert.is(added.name, 'Grafana');
  assert.match(added.key, /^tk_live_[\dA-Za-z]{32}$/);
  assert.is(found(dir, added.key)?.name, 'Grafana');

  const listing = await runCommand(dir, ['key', 'list', '--json']);
  assert.not.match(listing.stdout, new RegExp(added.key));
  assert.equal(listing.json(), [
    {
      id: added.id,
      name: 'Grafana',
      lastFour: added.key.slice(-4),
      account: 'default',
      createdAt: new Date(testNow).toISOString(),
      lastUsedAt: null,
      ...{ scopes: ['read', 'notes', 'ingest'], sites: null, expiresAt: null },
    },
  ]);
  assert.match(
    (await runCommand(dir, ['key', 'list'])).stdout,
    /^ID {2}NAME .*\n 1 {2}Grafana {2}tk_live_…\w{4} {2}default {2}2026-11-20 12:00:00 {2}- {10}read, notes, ingest {2}-\n$/,
  );

  assert.is((await runCommand(dir, ['key', 'revoke', String(added.id)])).code, 0);
  assert.is(found(dir, added.key), undefined);
  const again = await runCommand(dir, ['key', 'revoke', String(added.id)]);
  assert.equal(
    [again.code, again.stderr],
    [1, `daybook: There is no key ${added.id}: daybook key list shows the ids.\n`],
  );
});

test('a key is limited to scopes, sites and time', async () => {
  const dir = temporaryDir();
  await runCommand(dir, ['site', 'add', 'a.example', '--timezone', 'UTC', '--currency', 'EUR']);
  const flags = ['--scope', 'read', '--site', 'a.example', '--expires', '90d'];
  const { key } = (await runCommand(dir, ['key', 'add', 'k', ...flags, '--json'])).json();
  const { scopes, sites, expiresAt } = found(dir, key)!;
  assert.equal([scopes, sites?.length, expiresAt], [['read'], 1, testNow + 90 * 86_400_000]);
  const errorOf = async (...args: string[]) => (await runCommand(dir, ['key', 'add', 'k', ...args])).stderr;
  assert.match(await errorOf('--scope', 'all'), /--scope is one of read, notes, ingest, manage\./);
  assert.match(await errorOf('--expires', '0d'), /--expires needs days/);
  assert.match(await errorOf('--site', 'b.example'), /There is no site b\.example/);
});

test('keys belong to accounts', async () => {
  const dir = temporaryDir();
  await runCommand(dir, ['account', 'add', 'acme']);
  await runCommand(dir, ['key', 'add', 'a', '--account', 'acme']);
  await runCommand(dir, ['key', 'add', 'b']);
  const names = async (...flags: string[]) =>
    (await runCommand(dir, ['key', 'list', '--json', ...flags]))
      .json()
      .map((key: { name: string; account: string }) => `${key.account}/${key.name}`);
  assert.equal(await names(), ['acme/a', 'default/b']);
  assert.equal(await names('--account', 'acme'), ['acme/a']);
  const wrong = await runCommand(dir, ['key', 'list', '--account', 'acne']);
  assert.equal([wrong.code, wrong.stderr], [1, 'daybook: There is no account acne. Did you mean acme?\n']);
});

test('wrong values are refused with a sentence', async () => {
  const dir = temporaryDir();
  assert.is((await runCommand(dir, ['key', 'add', ' '])).stderr, 'daybook: A name needs 1 to 100 characters.\n');
  assert.is((await runCommand(dir, ['key', 'revoke', 'x'])).code, 2);
  assert.is((await runCommand(dir, ['key', 'list'])).code, 1);
});

test.run();
