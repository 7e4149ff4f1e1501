/** The default of what is kept of sealed days. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { cacheBytesFor } from '../../src/query/cache-size.ts';

const MiB = 1024 * 1024;
const GiB = 1024 * MiB;

test('the cache is a part of the memory, and no more than a bound', () => {
  assert.is(cacheBytesFor(GiB / 2), 64 * MiB);
  assert.is(cacheBytesFor(2 * GiB), 256 * MiB);
  assert.is(cacheBytesFor(64 * GiB), 256 * MiB);
});

test('the memory of this machine is known', () => {
  assert.ok(cacheBytesFor() > 0);
});

test.run();
