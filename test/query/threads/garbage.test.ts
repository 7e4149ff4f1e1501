/** What nobody needs any more goes, where it is worth a search. */
import { setTimeout as wait } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createGarbage } from '../../../src/query/threads/garbage.ts';

const MiB = 1024 * 1024;

test('dropped shared memory is freed', async () => {
  const garbage = createGarbage();
  const dropped = new WeakRef(new SharedArrayBuffer(MiB));
  garbage(256 * MiB);
  for (let i = 0; i < 200 && dropped.deref() !== undefined; i++) await wait(20);
  assert.is(dropped.deref(), undefined);
});

test('much dropped memory is collected once, a while later, and little never', async () => {
  let searches = 0;
  const garbage = createGarbage(() => searches++);
  garbage(255 * MiB);
  await wait(400);
  assert.is(searches, 0);
  garbage(MiB);
  garbage(100 * MiB);
  assert.is(searches, 0, 'an answer may still be in need of it');
  while (searches === 0) await wait(20);
  garbage(255 * MiB);
  await wait(400);
  assert.is(searches, 1);
  garbage(MiB);
  while (searches === 1) await wait(20);
});

test.run();
