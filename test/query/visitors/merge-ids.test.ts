/** The ids of several lists, each once, and what belongs to them. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { addTo, mergeIds } from '../../../src/query/visitors/merge-ids.ts';

test('merging gives all ids in ascending order, and the position of each', () => {
  const { ids, positionOf } = mergeIds([Uint32Array.of(1, 4), Uint32Array.of(), Uint32Array.of(2, 4, 7)]);
  assert.equal(Array.from(ids), [1, 2, 4, 7]);
  assert.equal(
    Array.from(ids, id => positionOf[id]),
    [0, 1, 2, 3],
  );
});

test('an id that is in no list has the position behind the last', () => {
  const { ids, positionOf } = mergeIds([Uint32Array.of(1, 4)]);
  assert.equal(
    [0, 2, 3].map(id => positionOf[id]),
    [2, 2, 2],
  );
  assert.is(ids.length, 2);
  assert.equal(Array.from(mergeIds([]).positionOf), [0]);
});

test('values are added at the positions of their ids', () => {
  const lists = [Uint32Array.of(1, 4), Uint32Array.of(2, 4)];
  const united = mergeIds(lists);
  const sums = new Uint32Array(3);
  for (const list of lists) addTo(sums, united, list, Uint32Array.of(10, 5));
  assert.equal(Array.from(sums), [10, 10, 10]);
});

test.run();
