import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { signInLinks } from '../../src/store/accounts/sign-in-links.ts';
import { openDatabase } from '../../src/store/database.ts';
import { temporaryDir } from '../helpers.ts';
import { runCommand, testNow } from './helpers.ts';

const createdAt = new Date(testNow).toISOString();

test('accounts can be added, listed and put on another plan', async () => {
  const dir = temporaryDir();
  assert.equal((await runCommand(dir, ['account', 'add', 'zeta', '--json'])).json(), {
    name: 'zeta',
    plan: 'unlimited',
    createdAt,
  });
  await runCommand(dir, ['account', 'add', 'acme', '--plan', 'hobby']);
  assert.equal((await runCommand(dir, ['account', 'set', 'acme', '--plan', 'pro', '--json'])).json(), {
    name: 'acme',
    plan: 'pro',
    createdAt,
  });
  assert.is(
    (await runCommand(dir, ['account', 'list'])).stdout,
    'NAME  PLAN       CREATED\nacme  pro        2026-11-20 12:00:00\nzeta  unlimited  2026-11-20 12:00:00\n',
  );
  assert.equal(
    (await runCommand(dir, ['account', 'list', '--json']))
      .json()
      .map(({ name, plan }: { name: string; plan: string }) => [name, plan]),
    [
      ['acme', 'pro'],
      ['zeta', 'unlimited'],
    ],
  );
});

test('wrong values are refused with a sentence', async () => {
  const dir = temporaryDir();
  await runCommand(dir, ['account', 'add', 'acme']);
  const errorOf = async (...args: string[]) => {
    const { code, stderr } = await runCommand(dir, ['account', ...args]);
    return `${code} ${stderr}`;
  };
  assert.is(await errorOf('add', 'acme'), '1 daybook: There is an account acme already.\n');
  assert.is(
    await errorOf('add', 'x', '--plan', 'gold'),
    '2 daybook: There is no plan "gold": choose one of hobby, pro, business, unlimited.\n',
  );
  assert.is(await errorOf('set', 'acme'), '2 daybook: account set needs --plan PLAN.\n');
  assert.is(await errorOf('set', 'acne', '--plan', 'pro'), '1 daybook: There is no account acne. Did you mean acme?\n');
});

test('the link of an account is printed once and replaces the one before', async () => {
  const dir = temporaryDir();
  await runCommand(dir, ['account', 'add', 'acme']);
  const link = async (...flags: string[]) => runCommand(dir, ['account', 'link', 'acme', ...flags]);
  const first = (await link('--json')).json();
  assert.match(first.url, /^http:\/\/127\.0\.0\.1:8080\/set-password#[\dA-Za-z]{43}$/);
  assert.equal([first.name, first.expiresAt], ['acme', '2026-11-27T12:00:00.000Z']);
  const second = (await link('--base-url', 'https://stats.example.com/')).stdout;
  assert.match(
    second,
    /^https:\/\/stats\.example\.com\/set-password#\w+\n\nThis link sets the e-mail and password of acme\. It works once, until 2026-11-27 12:00:00 UTC\.\n$/,
  );

  const db = openDatabase(dir);
  const accountOf = (url: string) => signInLinks(db).find(/#(\w+)/.exec(url)![1]!, testNow);
  assert.equal([accountOf(first.url), accountOf(second)], [undefined, { personId: null, accountId: 1 }]);
  db.close();
  assert.is(
    (await runCommand(dir, ['account', 'link', 'acne'])).stderr,
    'daybook: There is no account acne. Did you mean acme?\n',
  );
});

test.run();
