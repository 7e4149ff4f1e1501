import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { signInLinks } from '../../src/store/accounts/sign-in-links.ts';
import { openDatabase } from '../../src/store/database.ts';
import { temporaryDir } from '../helpers.ts';
import { runCommand, testNow } from './helpers.ts';

/** A data directory with two sites and two people. */
const begin = async () => {
  const dir = temporaryDir();
  const run = (...args: string[]) => runCommand(dir, args);
  for (const domain of ['a.example', 'b.example'])
    await run('site', 'add', domain, '--timezone', 'UTC', '--currency', 'EUR');
  await run('person', 'add', 'Ada@Example.com', '--operator');
  await run('person', 'add', 'vi@example.com');
  const json = async (...args: string[]) => (await run(...args, '--json')).json();
  const errorOf = async (...args: string[]) => {
    const { code, stderr } = await run(...args);
    return `${code} ${stderr}`;
  };
  return { dir, run, json, errorOf };
};

test('people are added with a link, listed, disabled and removed', async () => {
  const { dir, run, json, errorOf } = await begin();
  const people = await json('person', 'list');
  assert.equal(
    people.map(({ email, isOperator, disabledAt, teams }: Record<string, unknown>) => [
      email,
      isOperator,
      disabledAt,
      teams,
    ]),
    [
      ['ada@example.com', true, null, []],
      ['vi@example.com', false, null, []],
    ],
  );
  assert.match(await errorOf('person', 'add', 'ada@example.com'), /^1 .*There is a person with the e-mail/);
  const link = await json('person', 'link', 'vi@example.com');
  const db = openDatabase(dir);
  assert.equal(signInLinks(db).find(link.url.split('#')[1], testNow), { personId: 2, accountId: null });
  db.close();
  await run('person', 'disable', 'vi@example.com');
  assert.is((await json('person', 'list'))[1].disabledAt, new Date(testNow).toISOString());
  await run('person', 'enable', 'vi@example.com');
  assert.is((await json('person', 'list'))[1].disabledAt, null);
  await run('person', 'remove', 'vi@example.com');
  assert.is((await json('person', 'list')).length, 1);
  assert.match(await errorOf('person', 'link', 'vi@example.com'), /^1 .*There is no person vi@example\.com/);
});

test('members have a role, sites and hidden parts, and a team keeps an owner', async () => {
  const { run, json, errorOf } = await begin();
  await run('member', 'add', 'ada@example.com', '--role', 'owner');
  const limited = ['--role', 'viewer', '--site', 'a.example', '--hide', 'revenue'];
  const added = await json('member', 'add', 'vi@example.com', ...limited);
  const viewer = { email: 'vi@example.com', account: 'default', role: 'viewer' };
  assert.equal(added, { ...viewer, sites: ['a.example'], hidden: ['revenue'] });
  assert.equal((await json('member', 'list'))[1], added);
  assert.equal((await json('member', 'set', 'vi@example.com', '--role', 'viewer')).hidden, ['visits']);
  const rows: [args: string[], error: RegExp][] = [
    [['add', 'vi@example.com', '--role', 'editor'], /^1 .*is a member of default already/],
    [['set', 'ada@example.com', '--role', 'viewer'], /^1 .*default needs an owner/],
    [['remove', 'ada@example.com'], /^1 .*default needs an owner/],
    [['set', 'vi@example.com', '--role', 'king'], /^2 .*--role is one of viewer, editor, admin, owner/],
    [['set', 'vi@example.com', '--role', 'admin', '--site', 'a.example'], /^2 .*Owners and admins see all/],
    [['set', 'vi@example.com', '--role', 'viewer', '--hide', 'all'], /^2 .*--hide takes events/],
    [['set', 'vi@example.com', '--role', 'viewer', '--site', 'c.example'], /^1 .*There is no site c\.example/],
  ];
  for (const [args, error] of rows) assert.match(await errorOf('member', ...args), error);
  assert.match(await errorOf('person', 'disable', 'ada@example.com'), /^1 .*is the only owner of default/);
  assert.is((await json('member', 'list'))[0].role, 'owner');
  await run('member', 'remove', 'vi@example.com');
  assert.is((await json('member', 'list')).length, 1);
  // The link of an account is its owner’s.
  assert.match((await run('account', 'link', 'default')).stdout, /set-password#/);
});

test('what commands do is in the audit, and a row that is taken out shows', async () => {
  const { dir, run, json } = await begin();
  await run('member', 'add', 'ada@example.com', '--role', 'owner');
  await run('key', 'add', 'grafana');
  const rows = await json('audit', '--account', 'default');
  assert.equal(
    rows.map(({ actor, action, subject, account }: Record<string, string>) => [actor, action, subject, account]),
    [
      ['cli', 'key-added', 'grafana', 'default'],
      ['cli', 'joined', 'ada@example.com', 'default'],
    ],
  );
  assert.is((await json('audit')).length, 4);
  assert.is((await json('audit', '--since', '1d')).length, 4);
  assert.equal(await json('audit', 'check'), { rows: 4, broken: null });
  const db = openDatabase(dir);
  db.exec('delete from audit where id = 2');
  db.close();
  const { code, stderr } = await run('audit', 'check');
  assert.is(code, 1);
  assert.match(stderr, /in row 3 something was changed or taken out/);
});

test.run();
