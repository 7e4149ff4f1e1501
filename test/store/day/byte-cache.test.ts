import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createByteCache } from '../../../src/store/day/byte-cache.ts';

/** Takes a good 1,000 bytes. */
const kilobyte = () => new Uint8Array(1000);

test('a value is made once and given again', () => {
  const cache = createByteCache(10_000);
  const made = cache.get('a', kilobyte);
  assert.is(
    cache.get('a', () => assert.unreachable()),
    made,
  );
  assert.is(cache.find('a'), made);
  assert.is(cache.find('b'), undefined);
});

test('the longest unused value goes first', () => {
  const cache = createByteCache(3_300);
  for (const key of ['a', 'b', 'c']) cache.put(key, kilobyte());
  cache.beginScan();
  cache.find('a');
  cache.put('d', kilobyte());
  assert.equal(
    ['a', 'b', 'c', 'd'].filter(key => cache.find(key) !== undefined),
    ['a', 'c', 'd'],
  );
});

test('a walk over more than fits finds what it kept last time', () => {
  const cache = createByteCache(3_300);
  const walk = (keys: string[]): number => {
    cache.beginScan();
    let made = 0;
    for (const key of keys) {
      cache.get(key, () => {
        made++;
        return kilobyte();
      });
    }
    return made;
  };
  assert.is(walk(['a', 'b', 'c', 'd', 'e']), 5);
  assert.is(walk(['a', 'b', 'c', 'd', 'e']), 2);
  assert.is(walk(['f', 'g', 'c']), 2);
  assert.is(walk(['f', 'g', 'c']), 0);
});

test('a value larger than the cache is not kept, and displaces no other', () => {
  const cache = createByteCache(3_300);
  cache.put('a', kilobyte());
  const large = new Uint8Array(5000);
  assert.is(
    cache.get('large', () => large),
    large,
  );
  assert.is(cache.find('large'), undefined);
  assert.ok(cache.find('a'));
});

test('a second value under a key replaces the first', () => {
  const cache = createByteCache(3_300);
  cache.put('a', kilobyte());
  for (let i = 0; i < 10; i++) cache.put('b', kilobyte());
  assert.ok(cache.find('a'));
  cache.put('b', new Uint8Array(5000));
  assert.is(cache.find('b'), undefined);
});

test.run();
