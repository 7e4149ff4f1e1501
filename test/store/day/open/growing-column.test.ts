import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  growingBytes,
  growingDoubles,
  growingIntegers,
  outgrown,
} from '../../../../src/store/day/open/growing-column.ts';

test('values stay in order, however they came', () => {
  const step = fc.record({ way: fc.constantFrom('push', 'append', 'lengthen'), count: fc.nat({ max: 300 }) });
  fc.assert(
    fc.property(fc.array(step), steps => {
      for (const grow of [growingBytes, growingIntegers, growingDoubles]) {
        const column = grow();
        const wanted: number[] = [];
        for (const { way, count } of steps) {
          const values = Array.from({ length: count }, (_, i) => (way === 'lengthen' ? 7 : (i + count) % 256));
          wanted.push(...values);
          if (way === 'push') for (const value of values) column.push(value);
          else if (way === 'append') column.append(values);
          else column.lengthen(wanted.length, 7);
        }
        assert.is(column.length, wanted.length);
        assert.equal([...column.values()], wanted);
      }
    }),
    { seed: 1, numRuns: 100 },
  );
});

test('a view that was taken before the column grew shows none of its values', () => {
  const column = growingIntegers();
  column.append([1, 2, 3]);
  const view = column.values();
  column.append(Array.from({ length: 1000 }, (_, i) => i));
  assert.equal([...view], [outgrown, outgrown, outgrown]);
  assert.equal([...column.values().subarray(0, 5)], [1, 2, 3, 0, 1]);
});

test.run();
