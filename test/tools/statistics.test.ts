import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { median, quantile, rounded } from './statistics.ts';

test('the median is the middle value, in any order', () => {
  assert.is(median([9, 1, 5]), 5);
  assert.is(median([4]), 4);
});

test('a quantile has its part of the values below it, and the last is the maximum', () => {
  const values = Array.from({ length: 100 }, (_, i) => 99 - i);
  assert.is(quantile(values, 0.99), 99);
  assert.is(quantile(values, 0.5), 50);
  assert.is(quantile(values, 1), 99);
  assert.ok(Number.isNaN(quantile([], 0.5)));
});

test('a table shows two or three digits', () => {
  assert.equal([0.1234, 1.26, 12.34, 1234.5].map(rounded), [0.12, 1.3, 12.3, 1230]);
});

test.run();
