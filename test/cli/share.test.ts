/** `daybook share`: links to public pages of a site. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { temporaryDir } from '../helpers.ts';
import { runCommand } from './helpers.ts';

test('links are made, listed, changed and removed', async () => {
  const dir = temporaryDir();
  const run = async (...args: string[]) => {
    const ran = await runCommand(dir, [...args, '--json']);
    assert.is(ran.code, 0, ran.stderr);
    return ran.json();
  };
  const refused = async (...args: string[]): Promise<string> => {
    const { code, stderr } = await runCommand(dir, args);
    assert.is.not(code, 0, stderr);
    return stderr;
  };
  await run('site', 'add', 'a.example', '--timezone', 'Europe/Berlin');
  await run('segment', 'set', 'a.example', 'Germany', 'country=DE');
  const password = join(dir, 'password');
  writeFileSync(password, 'a long password\nand more\n');
  const flags = ['--part', 'events', '--segment', 'Germany', '--expires', '2099-12-31', '--password-file', password];
  const added = await run('share', 'add', 'a.example', 'Client', ...flags);
  assert.match(added.url, /\/share\/[\dA-Za-z]{43}$/);
  const { url, createdAt: _, ...rest } = added;
  const want = { name: 'Client', parts: ['events'], segment: 'Germany', hasPassword: true };
  assert.equal(rest, { ...want, expiresAt: '2099-12-31T23:00:00.000Z', lastUsedAt: null });
  assert.equal(await run('share', 'list', 'a.example'), [added]);

  const open = ['--part', '', '--segment', '', '--expires', '', '--password-file', ''];
  const changed = await run('share', 'set', 'a.example', 'Client', '--name', 'Press', '--new-address', ...open);
  assert.is.not(changed.url, url);
  const none = { parts: [], segment: null, hasPassword: false, expiresAt: null };
  assert.equal({ ...changed, url: '' }, { ...added, ...none, name: 'Press', url: '' });

  assert.match(await refused('share', 'add', 'a.example', 'Press'), /There is a link Press already/);
  assert.match(await refused('share', 'add', 'a.example', 'x', '--segment', 'France'), /There is no segment France/);
  assert.match(await refused('share', 'add', 'a.example', 'x', '--expires', '2020-01-01'), /This day is over/);
  assert.match(await refused('share', 'add', 'a.example', 'x', '--password-file', 'none'), /cannot be read: ENOENT/);
  assert.match(await refused('share', 'set', 'a.example', 'Press'), /needs at least one setting/);
  assert.match(await refused('share', 'remove', 'a.example', 'Client'), /There is no link Client/);
  await run('share', 'remove', 'a.example', 'Press');
  assert.equal(await run('share', 'list', 'a.example'), []);
  const audit = (await run('audit')).map(({ action, details }: Record<string, unknown>) => [action, details]);
  assert.equal(audit.slice(0, 3), [
    ['unshared', { link: 'Press' }],
    ['shared', { link: 'Press' }],
    ['shared', { link: 'Client' }],
  ]);
});

test.run();
