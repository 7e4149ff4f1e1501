/** Lists of numbers as they are kept, and sums of days by version. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { daySums, packLists, unpackLists, unpackWords } from '../../../src/store/day/day-sums.ts';
import { addSite, temporaryDatabase } from '../../helpers.ts';

test('lists are read as they were written, whatever is behind them', () => {
  const lists = [
    [0, 1, 127, 128, 16_383, 16_384, 2 ** 32 - 1, 2 ** 32, Number.MAX_SAFE_INTEGER],
    [9, 8, 7, 6, 5, 4, 3, 2, 1],
  ];
  const bytes = Buffer.concat([Buffer.from('before'), packLists(lists), Buffer.from('behind')]);
  const found = unpackLists(bytes, 2, 6);
  assert.equal(
    found.lists.map(list => Array.from(list)),
    lists,
  );
  assert.is(bytes.subarray(found.end).toString(), 'behind');
  assert.equal(unpackLists(packLists([[], []]), 2).lists, [new Float64Array(0), new Float64Array(0)]);
  assert.is(packLists([[1, 2, 3]]).length, 4);
  const words = [
    [0, 127, 128, 2 ** 31, 2 ** 32 - 1],
    [1, 2, 3, 4, 5],
  ];
  assert.equal(
    unpackWords(packLists(words), 2).map(list => Array.from(list)),
    words,
  );
});

test('a new version of a day takes the place of all sums of another', () => {
  const { db } = temporaryDatabase();
  const { id } = addSite(db);
  const sums = daySums(db);
  const data = Buffer.from([1]);
  sums.put(id, 5, 'one', [
    { name: 'a', data },
    { name: 'b', data },
  ]);
  sums.put(id, 5, 'one', [{ name: 'c', data }]);
  sums.put(id, 6, 'one', [{ name: 'a', data }]);
  assert.equal(
    sums.ofDay(id, 5).map(({ name }) => name),
    ['a', 'b', 'c'],
  );
  assert.equal(
    sums.between(id, 'a', 5, 6).map(({ day }) => day),
    [5, 6],
  );
  assert.equal(
    [sums.names(id), sums.days(id)],
    [
      ['a', 'b', 'c'],
      [5, 6],
    ],
  );
  sums.put(id, 5, 'two', [{ name: 'a', data }]);
  assert.equal(
    sums.ofDay(id, 5).map(({ name, version }) => `${name} ${version}`),
    ['a two'],
  );
  sums.dropName(id, 'a');
  assert.equal(sums.days(id), []);
  db.close();
});

test.run();
