/** Memory is lent to one piece of work at a time. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createScratchPool, type Scratch } from '../../src/query/scratch.ts';

test('work gets memory of its own, and later work the same memory again', () => {
  const pool = createScratchPool();
  const use = (scratch: Scratch): ArrayBufferLike[] => {
    const outer = [scratch.take(1000).fill(1), scratch.take(1000).fill(2)];
    const all = scratch.within(inner => {
      const arrays = [...outer, inner.take(1000).fill(3), scratch.take(1000).fill(4)];
      const ends = arrays.map(array => [array.length, array[0], array[999]]);
      assert.equal(
        ends,
        [1, 2, 3, 4].map(value => [1000, value, value]),
      );
      return arrays.map(({ buffer }) => buffer);
    });
    const zeros = scratch.zeros(1000);
    assert.is(zeros.buffer, all[2], 'the memory of the work that has ended');
    assert.ok(zeros.every(value => value === 0));
    return all;
  };
  const first = pool.within(use);
  assert.is(new Set(first).size, 4);
  for (const buffer of pool.within(use)) assert.ok(first.includes(buffer));
  pool.trim(1e6);
  for (const buffer of pool.within(use)) assert.ok(first.includes(buffer));
  pool.trim(1000);
  for (const buffer of pool.within(use)) assert.not.ok(first.includes(buffer));
});

test('lent memory is garbage to later work, and work that has ended gets none', () => {
  const filled: number[] = [];
  const pool = createScratchPool(buffer => filled.push(buffer.byteLength));
  let ended: Scratch | undefined;
  const fail = (): never =>
    pool.within(scratch => {
      ended = scratch;
      scratch.take(0);
      scratch.take(5000);
      throw new Error('the work failed');
    });
  assert.throws(fail, 'the work failed');
  assert.equal(filled.sort(), [32768, 32768, 4096, 4096], 'each when it is made and when it is given back');
  assert.throws(() => ended!.take(1), 'ended');
});

test('the counting list has the numbers from 0 on', () => {
  createScratchPool().within(scratch => {
    assert.equal([...scratch.identity(3)], [0, 1, 2]);
    assert.equal([...scratch.identity(6)], [0, 1, 2, 3, 4, 5]);
    assert.equal([...scratch.identity(0)], []);
  });
});

test.run();
