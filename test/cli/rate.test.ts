import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { temporaryDir } from '../helpers.ts';
import { runCommand } from './helpers.ts';

test('a rate can be set, replaced and listed', async () => {
  const dir = temporaryDir();
  assert.equal((await runCommand(dir, ['rate', 'set', 'usd', 'eur', '0.92', '--json'])).json(), {
    source: 'USD',
    target: 'EUR',
    rate: 0.92,
  });
  await runCommand(dir, ['rate', 'set', 'USD', 'EUR', '0.9345678']);
  await runCommand(dir, ['rate', 'set', 'JPY', 'EUR', '0.006']);
  assert.is(
    (await runCommand(dir, ['rate', 'list'])).stdout,
    'SOURCE  TARGET  RATE\nJPY     EUR     0.006\nUSD     EUR     0.9345678\n',
  );
  assert.equal((await runCommand(dir, ['rate', 'list', '--json'])).json(), [
    { source: 'JPY', target: 'EUR', rate: 0.006 },
    { source: 'USD', target: 'EUR', rate: 0.9345678 },
  ]);
});

test('wrong values are refused with a sentence', async () => {
  const dir = temporaryDir();
  const errorOf = async (...args: string[]) => {
    const { code, stderr } = await runCommand(dir, ['rate', 'set', ...args]);
    return `${code} ${stderr}`;
  };
  assert.is(await errorOf('USD', 'EUR'), '2 daybook: rate set needs RATE.\n');
  assert.is(
    await errorOf('USD', 'EURO', '1'),
    '2 daybook: There is no currency "EURO": write its ISO 4217 code, like EUR.\n',
  );
  assert.is(await errorOf('USD', 'EUR', '0'), '2 daybook: "0" is not a rate: write a number above 0, like 0.92.\n');
  assert.is(await errorOf('EUR', 'EUR', '1'), '2 daybook: A currency needs no rate to itself.\n');
});

test.run();
