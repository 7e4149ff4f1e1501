import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { TextCache } from '../../src/store/texts.ts';

test('each site has its own texts, and deleted ones are gone', () => {
  const cache = new TextCache(4);
  cache.set(1, '/a', 1);
  cache.set(2, '/a', 7);
  assert.equal(
    [cache.get(1, '/a'), cache.get(2, '/a'), cache.get(3, '/a'), cache.get(1, '/b')],
    [1, 7, undefined, undefined],
  );
  cache.set(1, '/b', 2);
  // In the old generation by now, and with this in the young one too.
  assert.is(cache.get(1, '/a'), 1);
  cache.delete(1, '/a');
  cache.delete(3, '/a');
  assert.equal([cache.get(1, '/a'), cache.get(2, '/a'), cache.get(1, '/b')], [undefined, 7, 2]);
});

test('the cache stays within its limit, and texts in use stay', () => {
  const cache = new TextCache(100);
  cache.set(1, '/often', 1000);
  for (let id = 1; id <= 500; id++) {
    cache.set(id % 3, `/${id}`, id);
    assert.is(cache.get(1, '/often'), 1000);
  }
  const newestFirst = Array.from({ length: 500 }, (_, index) => 500 - index);
  const kept = newestFirst.filter(id => cache.get(id % 3, `/${id}`) === id);
  assert.ok(kept.length >= 49 && kept.length < 100, `${kept.length} are kept`);
  assert.equal(kept, newestFirst.slice(0, kept.length));
});

test.run();
