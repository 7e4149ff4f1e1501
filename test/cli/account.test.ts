import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { temporaryDir } from '../helpers.ts';
import { runCommand, testNow } from './helpers.ts';

const createdAt = new Date(testNow).toISOString();

test('accounts are added, listed and put on another plan', async () => {
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

test('what is wrong is said', async () => {
  const dir = temporaryDir();
  await runCommand(dir, ['account', 'add', 'acme']);
  const errorOf = async (...args: string[]) => {
    const { code, stderr } = await runCommand(dir, ['account', ...args]);
    return `${code} ${stderr}`;
  };
  assert.is(await errorOf('add', 'acme'), '1 daybook: There is an account acme already.\n');
  assert.is(
    await errorOf('add', 'x', '--plan', 'gold'),
    '2 daybook: There is no plan "gold": it is one of hobby, pro, business, unlimited.\n',
  );
  assert.is(await errorOf('set', 'acme'), '2 daybook: account set needs --plan PLAN.\n');
  assert.is(await errorOf('set', 'acne', '--plan', 'pro'), '1 daybook: There is no account acne. Did you mean acme?\n');
});

test.run();
