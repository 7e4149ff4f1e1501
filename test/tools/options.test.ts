import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { chosen, optionsOf } from './options.ts';

const read = (...args: string[]) => optionsOf(args, { hits: 1000, rounds: 5 }, { seed: 7, only: '' });

test('an option that is not given has its default', () => {
  assert.equal(read(), { hits: 1000, rounds: 5, seed: 7, only: '', isFull: true });
  assert.equal(read('--hits', '2e3', '--only', '9'), { hits: 2000, rounds: 5, seed: 7, only: '9', isFull: true });
});

test('a run with a size below its default is not full, whatever else is asked', () => {
  assert.is(read('--rounds', '4').isFull, false);
  assert.is(read('--hits', '2000', '--rounds', '0').isFull, false);
  assert.is(read('--seed', '1', '--only', 'one').isFull, true);
});

for (const given of ['', 'many', '5x', 'NaN']) {
  test(`'${given}' is no number`, () => {
    assert.throws(() => read('--rounds', given), /^--rounds takes a number/);
  });
}

test('a number is not negative', () => assert.throws(() => read('--rounds=-1'), /^--rounds takes a number/));

test('an unknown option is refused', () => assert.throws(() => read('--round', '5'), /round/));

const parts = [{ name: 'growth-hits' }, { name: 'growth-days' }, { name: 'open-day' }];

test('parts are chosen by a piece of their names', () => {
  assert.equal(chosen(parts, ''), parts);
  assert.equal(chosen(parts, 'open-day'), [parts[2]]);
  assert.equal(chosen(parts, 'growth'), parts.slice(0, 2));
});

test('a name of no part is an error', () => {
  assert.throws(() => chosen(parts, 'growth-hit5'), /^--only takes one of: growth-hits; growth-days; open-day/);
});

test.run();
