/** `daybook rollup …`. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { temporaryDir } from '../helpers.ts';
import { runCommand } from './helpers.ts';

test('a rollup is added, listed, changed and removed, and its sites stay', async () => {
  const dir = temporaryDir();
  const run = async (...args: string[]) => {
    const ran = await runCommand(dir, [...args, '--json']);
    assert.is(ran.code, 0, ran.stderr);
    return ran.json();
  };
  const fails = async (message: RegExp, ...args: string[]) => {
    const ran = await runCommand(dir, args);
    assert.is.not(ran.code, 0);
    assert.match(ran.stderr, message);
  };
  const a = await run('site', 'add', 'a.example', '--timezone', 'Europe/Berlin', '--currency', 'EUR');
  const b = await run('site', 'add', 'b.example');
  const added = await run('rollup', 'add', 'All shops', '--site', 'b.example', '--site', a.id, '--site', 'a.example');
  assert.equal([added.name, added.sites, added.timezone, added.currency], ['All shops', [b.id, a.id], 'UTC', 'USD']);
  const [listed] = await run('rollup', 'list');
  assert.equal([listed.name, listed.domains], ['All shops', ['a.example', 'b.example']]);
  assert.equal(
    (await run('site', 'list')).map(({ domain }: { domain: string }) => domain),
    ['a.example', 'b.example'],
  );

  assert.equal((await run('rollup', 'set', 'All shops', '--site', 'a.example', '--name', 'Shops')).sites, [a.id]);
  await run('site', 'set', 'Shops', '--currency', 'EUR', '--public-part', 'queries');
  await run('goal', 'set', 'Shops', 'Signup', 'event=Signup');
  assert.is((await run('rollup', 'list'))[0].currency, 'EUR');

  await fails(/There is no site "c.example" for the rollup/, 'rollup', 'add', 'C', '--site', 'c.example');
  await fails(/needs a --site/, 'rollup', 'add', 'C');
  await fails(/There is a site Shops already/, 'rollup', 'add', 'Shops', '--site', 'a.example');
  await fails(/is no name for a rollup/, 'rollup', 'add', 'a/b', '--site', 'a.example');
  await fails(/There is no site "Shops" for the rollup/, 'rollup', 'add', 'Nested', '--site', 'Shops');
  await fails(/is a site, not a rollup/, 'rollup', 'remove', 'a.example');
  for (const command of [
    ['site', 'reset'],
    ['site', 'remove'],
    ['site', 'set', '--alias', 'x.example'],
  ])
    await fails(/has no hits of its own/, ...command, 'Shops');

  await run('rollup', 'remove', 'Shops');
  assert.equal(await run('rollup', 'list'), []);
  assert.is((await run('site', 'list')).length, 2);
});

test.run();
