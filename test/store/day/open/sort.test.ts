import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { sortRows } from '../../../../src/store/day/open/sort.ts';

test('rows are sorted as by a stable comparison sort', () => {
  const row = fc.tuple(
    fc.integer({ min: 0, max: 5 }),
    fc.oneof(fc.nat({ max: 3 }), fc.integer({ min: 0, max: 2 ** 32 - 1 })),
  );
  fc.assert(
    fc.property(fc.array(row), rows => {
      const keys = [Uint32Array.from(rows, r => r[0]), Uint32Array.from(rows, r => r[1])];
      const wanted = rows.map((_, i) => i).sort((a, b) => rows[a]![0] - rows[b]![0] || rows[a]![1] - rows[b]![1]);
      assert.equal(Array.from(sortRows(rows.length, keys)), wanted);
    }),
    { seed: 1, numRuns: 500 },
  );
});

test.run();
