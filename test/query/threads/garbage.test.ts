/** What nobody needs any more goes, where it is worth a search. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createGarbage } from '../../../src/query/threads/garbage.ts';
import { until } from '../../tools/conditions.ts';

const MiB = 1024 * 1024;

test('dropped shared memory is freed', async () => {
  const garbage = createGarbage();
  const dropped = new WeakRef(new SharedArrayBuffer(MiB));
  garbage(256 * MiB);
  await until('it is freed', () => dropped.deref() === undefined);
});

test('much dropped memory is collected once, a while later, and little never', () => {
  let searches = 0;
  const due: (() => void)[] = [];
  const garbage = createGarbage(
    () => searches++,
    work => due.push(work),
  );
  garbage(255 * MiB);
  assert.is(due.length, 0);
  garbage(MiB);
  garbage(100 * MiB);
  assert.equal([due.length, searches], [1, 0], 'an answer may still be in need of it');
  due.pop()!();
  assert.is(searches, 1);
  garbage(255 * MiB);
  assert.is(due.length, 0);
  garbage(MiB);
  due.pop()!();
  assert.is(searches, 2);
});

test.run();
