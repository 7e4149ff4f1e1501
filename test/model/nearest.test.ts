import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { nearest, suggestion } from '../../src/model/nearest.ts';

const words = ['site', 'key', 'account', 'rate', '--timezone'];
const cases: [given: string, want: string | undefined][] = [
  ['site', 'site'],
  ['SITE', 'site'],
  ['stie', 'site'],
  ['sites', 'site'],
  ['acount', 'account'],
  ['--tmezone', '--timezone'],
  ['serve', undefined],
  ['', undefined],
  ['x'.repeat(100_000), undefined],
];
for (const [given, want] of cases)
  test(`${given.slice(0, 20)} is near ${want}`, () => assert.is(nearest(given, words), want));

test('a suggestion is a sentence or nothing', () => {
  assert.is(suggestion('kye', words), ' Did you mean key?');
  assert.is(suggestion('zzzzzz', words), '');
});

test.run();
