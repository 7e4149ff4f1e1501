import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { temporaryDir } from '../helpers.ts';
import { runCommand } from './helpers.ts';

test('goals are set, listed and removed', async () => {
  const dir = temporaryDir();
  const run = (...args: string[]) => runCommand(dir, args);
  await run('site', 'add', 'shop.example');
  const set = await run(
    'goal',
    'set',
    'shop.example',
    'Signup',
    'event=Signup|path^=/thanks',
    '--value',
    '2500',
    '--json',
  );
  assert.equal(set.json(), {
    site: 'shop.example',
    name: 'Signup',
    conditions: 'event=Signup|path^=/thanks',
    value: 2500,
  });
  assert.is(
    (await run('goal', 'set', 'shop.example', 'Read', 'scroll>=75')).stdout,
    'Saved the goal Read of shop.example.\n',
  );
  assert.is(
    (await run('goal', 'list', 'shop.example')).stdout,
    'NAME    CONDITIONS\nRead    scroll>=75\nSignup  event=Signup|path^=/thanks\n',
  );
  assert.is((await run('goal', 'remove', 'shop.example', 'Read')).code, 0);
  assert.is((await run('goal', 'list', 'shop.example', '--json')).json().length, 1);
  const gone = await run('goal', 'remove', 'shop.example', 'Read');
  assert.is(gone.stderr, 'daybook: shop.example has no goal Read: daybook goal list shop.example shows them.\n');
});

test('segments likewise, and wrong filters are refused', async () => {
  const dir = temporaryDir();
  await runCommand(dir, ['site', 'add', 'shop.example']);
  const set = (filters: string) => runCommand(dir, ['segment', 'set', 'shop.example', 'Germans', filters]);
  assert.is((await set('country=DE&visit:goal=Signup')).code, 0);
  const { code, stderr } = await set('contry=DE');
  assert.is(`${code} ${stderr}`, '2 daybook: There is no filter contry.\n');
  assert.equal((await runCommand(dir, ['segment', 'list', 'shop.example', '--json'])).json(), [
    { name: 'Germans', filters: 'country=DE&visit:goal=Signup' },
  ]);
});

test.run();
