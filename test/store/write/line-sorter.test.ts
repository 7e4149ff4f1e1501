import { readdirSync } from 'node:fs';
import * as fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { lineSorter } from '../../../src/store/write/line-sorter.ts';
import { temporaryDatabase } from '../../helpers.ts';

const { dataDir, db } = temporaryDatabase();

test('lines come out by time, equal times in the order they came', () => {
  const sorter = lineSorter(db);
  const day = fc.array(fc.tuple(fc.integer({ min: 0, max: 20 }), fc.string({ unit: 'grapheme' })));
  fc.assert(
    fc.property(day, lines => {
      for (const [at, line] of lines) sorter.add(at, line);
      const want = lines.toSorted((a, b) => a[0] - b[0]).map(([, line]) => line);
      assert.equal([...sorter.drain()], want);
      assert.equal([...sorter.drain()], []);
    }),
    { seed: 6 },
  );
  sorter.close();
});

test('lines may be in order first and then not', () => {
  const sorter = lineSorter(db);
  for (const at of [1, 2, 3]) sorter.add(at, `a${at}`);
  assert.equal([...sorter.drain()], ['a1', 'a2', 'a3']);
  for (const at of [3, 1, 2]) sorter.add(at, `b${at}`);
  assert.equal([...sorter.drain()], ['b1', 'b2', 'b3']);
  sorter.close();
});

test('lines may exceed memory', () => {
  const sorter = lineSorter(db);
  const long = 'x'.repeat(1000);
  const lines = 100_000;
  for (let i = 0; i < lines; i++) sorter.add((i * 7919) % lines, `${(i * 7919) % lines} ${long}`);
  let next = 0;
  for (const line of sorter.drain()) assert.is(Number.parseInt(line, 10), next++);
  assert.is(next, lines);
  sorter.close();
});

test('a sorter can be closed in the middle', () => {
  const sorter = lineSorter(db);
  for (const at of [3, 1, 2]) sorter.add(at, 'x');
  for (const _ of sorter.drain()) break;
  sorter.close();
});

test('its file has no name, so that nothing of it stays whatever happens', () => {
  const files = readdirSync(dataDir);
  const sorter = lineSorter(db);
  for (let i = 0; i < 200; i++) sorter.add(i, 'x'.repeat(10_000));
  assert.equal(readdirSync(dataDir), files);
  sorter.close();
});

test.run();
