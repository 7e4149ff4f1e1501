/** The default of what is kept of sealed days. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { cacheBytesFor } from '../../src/query/cache-size.ts';

const MiB = 1024 * 1024;
const GiB = 1024 * MiB;

test('the cache grows with many hits, and has a minimum', () => {
  assert.is(cacheBytesFor(0, 8 * GiB), 96 * MiB);
  assert.is(cacheBytesFor(10_000_000, 8 * GiB), 96 * MiB);
  assert.is(cacheBytesFor(30_000_000, 8 * GiB), 288 * MiB);
});

test('the cache stays within a part of memory that holds its minimum', () => {
  assert.is(cacheBytesFor(1_000_000_000, 8 * GiB), GiB);
  assert.is(cacheBytesFor(30_000_000, GiB / 2), 96 * MiB);
});

test('in a small container the cache is a quarter of its memory', () => {
  assert.is(cacheBytesFor(0, 256 * MiB), 64 * MiB);
  assert.is(cacheBytesFor(30_000_000, 256 * MiB), 64 * MiB);
});

test('the memory of this machine is known', () => {
  assert.ok(cacheBytesFor(Number.MAX_SAFE_INTEGER) > 96 * MiB);
});

test.run();
