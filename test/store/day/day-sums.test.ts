/** Lists of numbers as they are kept, and sums of days by version. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  createRoom,
  daySums,
  packLists,
  sumsPerStep,
  unpackLists,
  unpackWords,
} from '../../../src/store/day/day-sums.ts';
import { addSite, temporaryDatabase } from '../../helpers.ts';

test('lists are read as they were written, whatever is behind them', () => {
  const lists = [
    [0, 1, 127, 128, 16_383, 16_384, 2 ** 32 - 1, 2 ** 32, Number.MAX_SAFE_INTEGER],
    [9, 8, 7, 6, 5, 4, 3, 2, 1],
  ];
  const bytes = Buffer.concat([Buffer.from('before'), packLists(lists), Buffer.from('behind')]);
  const room = createRoom();
  const found = unpackLists(bytes, 2, room, 6);
  assert.equal(
    found.lists.map(list => Array.from(list)),
    lists,
  );
  assert.is(bytes.subarray(found.end).toString(), 'behind');
  assert.equal(unpackLists(packLists([[], []]), 2, room).lists, [new Float64Array(0), new Float64Array(0)]);
  assert.is(packLists([[1, 2, 3]]).length, 4);
  const words = [
    [0, 127, 128, 2 ** 31, 2 ** 32 - 1],
    [1, 2, 3, 4, 5],
  ];
  assert.equal(
    unpackWords(packLists(words), 2, room).map(list => Array.from(list)),
    words,
  );
});

test('a new version of a day takes the place of all sums of another', () => {
  const { db } = temporaryDatabase();
  const { id } = addSite(db);
  const sums = daySums(db);
  const data = Buffer.from([1]);
  const put = (day: number, version: string, ...names: string[]): void => {
    for (const _ of sums.put(
      id,
      day,
      version,
      names.map(name => ({ name, data })),
    ));
  };
  put(5, 'one', 'a', '');
  put(5, 'one', 'c');
  put(6, 'one', 'a');
  assert.equal(
    sums.ofDay(id, 5).map(({ name }) => name),
    ['', 'a', 'c'],
  );
  assert.equal(
    sums.between(id, 'a', 5, 6).map(({ day }) => day),
    [5, 6],
  );
  assert.equal(
    [sums.names(id), sums.days(id)],
    [
      ['', 'a', 'c'],
      [5, 6],
    ],
  );
  put(5, 'two', 'a');
  assert.equal(
    sums.ofDay(id, 5).map(({ name, version }) => `${name} ${version}`),
    ['a two'],
  );
  for (const _ of sums.dropName(id, 'a'));
  assert.equal(sums.days(id), []);
  db.close();
});

test('sums come and go a few at a time, and the last comes once all others are there', () => {
  const { db } = temporaryDatabase();
  const { id } = addSite(db);
  const sums = daySums(db);
  const names = [...Array.from({ length: 2 * sumsPerStep }, (_, i) => `by ${i}`), ''];
  const all = names.map(name => ({ name, data: Buffer.from([1]) }));
  const countsAt = (steps: Generator<void>, count: () => number): number[] => Array.from(steps, count);
  const ofDay = (): number => sums.ofDay(id, 5).length;
  assert.equal(countsAt(sums.put(id, 5, 'one', all), ofDay), [sumsPerStep, 2 * sumsPerStep, names.length]);
  const again = sums.put(id, 5, 'two', all);
  for (let kept = names.length; kept > 0; ) {
    again.next();
    const { length } = sums.ofDay(id, 5).filter(({ version }) => version === 'one');
    assert.ok(kept - length <= sumsPerStep);
    kept = length;
  }
  while (sums.ofDay(id, 5).every(({ name }) => name !== '')) again.next();
  assert.is(ofDay(), names.length);
  for (let day = 6; day < 5 + 2 * sumsPerStep; day++) for (const _ of sums.put(id, day, 'one', all.slice(-1)));
  assert.equal(
    countsAt(sums.dropName(id, ''), () => sums.days(id).length),
    [sumsPerStep + 1, 1],
  );
  db.close();
});

test.run();
