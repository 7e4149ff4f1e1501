import * as fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { globConditions, regexConditions, type TextCondition } from '../../src/compat/text-patterns.ts';
import { repeat } from '../repeat.ts';
import { stepsOf } from '../tools/steps.ts';

const passesOne = ({ operator, negated, values }: TextCondition, text: string): boolean => {
  const passes = values.some(value => {
    if (operator === 'is') return text === value;
    if (operator === 'startsWith') return text.startsWith(value);
    return operator === 'endsWith' ? text.endsWith(value) : text.includes(value);
  });
  return passes !== negated;
};
const passes = (all: readonly TextCondition[], text: string): boolean => all.every(one => passesOne(one, text));

/** Few characters, so that beginnings and ends overlap. */
const text = fc.string({ unit: fc.constantFrom('a', 'b', '/'), minLength: 1, maxLength: 6 });

test('what a glob says, its conditions say', () => {
  let asked = 0;
  const glob = fc.string({ unit: fc.constantFrom('a', 'b', '/', '*'), minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(glob, text, (pattern, of) => {
      const conditions = globConditions(pattern, () => {});
      if (conditions === undefined) return;
      asked++;
      const expected = new RegExp(`^${pattern.replace(/\*+/g, '.*')}$`).test(of);
      assert.is(passes(conditions, of), expected, `${pattern} ${of} ${JSON.stringify(conditions)}`);
    }),
    { numRuns: 3000, seed: 1 },
  );
  assert.ok(asked > 1500);
});

test('what a regular expression says, its conditions say, or there are none', () => {
  let asked = 0;
  const pieces = ['a', 'b', '/', '.*', '^', '$', '|', '\\.', '\\/', '.', '(', ')', '+', '?', '[', '\\d', '*', '{2}'];
  const pattern = fc.array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 6 }).map(all => all.join(''));
  fc.assert(
    fc.property(pattern, text, (source, of) => {
      const alternatives = regexConditions(source, () => {});
      if (alternatives === undefined) return;
      asked++;
      const expected = new RegExp(source).test(of);
      const found = alternatives.some(conditions => passes(conditions, of));
      assert.is(found, expected, `${source} ${of} ${JSON.stringify(alternatives)}`);
    }),
    { numRuns: 2400 * repeat, seed: 1 },
  );
  assert.ok(asked > 300, String(asked));
});

test('patterns as people write them', () => {
  const rows: [pattern: string, conditions: string | undefined][] = [
    ['^/blog/.*$', 'startsWith /blog/'],
    ['/blog', 'contains /blog'],
    ['^/$', 'is /'],
    ['\\.html$', 'endsWith .html'],
    ['^/a$|^/b$', 'is /a, is /b'],
    ['^/a.*/b$', 'startsWith /a & endsWith /b'],
    ['^/(a|b)$', undefined],
    ['^/user/\\d+$', undefined],
    ['a.*b.*c', undefined],
  ];
  const shown = (all: TextCondition[]): string => all.map(one => `${one.operator} ${one.values}`).join(' & ');
  for (const [pattern, want] of rows)
    assert.is(
      regexConditions(pattern, () => {})
        ?.map(shown)
        .join(', '),
      want,
      pattern,
    );
});

test('values are counted before they are made', () => {
  const worst = `^${'a'.repeat(990)}.*${'a'.repeat(990)}$`;
  let taken = 0;
  const take = (count: number): void => {
    taken += count;
    if (taken > 200) throw new Error('too many');
  };
  for (const read of [
    () => regexConditions(worst, take),
    () => globConditions(worst.slice(1, -1).replace('.', ''), take),
  ]) {
    taken = 0;
    assert.throws(read, /too many/);
    assert.ok(taken > 200);
  }
  taken = 0;
  assert.throws(() => regexConditions('a|'.repeat(500), take), /too many/);
  taken = 0;
  assert.is(regexConditions('^/blog/a.*a$|^/$', take)?.length, 2);
  assert.is(taken, 3, 'each alternative, and the one text that is too short');
});

test('a long text in a pattern is read at once, and not character by character', async () => {
  const long = `^${'a'.repeat(1990)}$`;
  const steps = await stepsOf(() => assert.ok(regexConditions(long, () => {})));
  assert.ok(steps < 200, `${steps}`);
});

test.run();
