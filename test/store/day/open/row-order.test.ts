import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Change, RowOrder } from '../../../../src/store/day/open/row-order.ts';

/** Keys of rows, in batches of very different sizes. */
const batches = fc.array(
  fc.oneof(
    fc.array(fc.nat({ max: 50 }), { maxLength: 3 }),
    fc.array(fc.nat({ max: 2000 }), { maxLength: 200, size: 'max' }),
  ),
);

/** Rows as they stand after a change, from those before it. */
const after = (before: readonly number[], { kind, rows, positions }: Change): number[] => {
  const changed = [...before];
  for (const [i, position] of positions.entries()) changed.splice(position, kind === 'insert' ? 0 : 1, rows[i]!);
  return changed;
};

test('rows inserted in batches stand as if sorted at once, behind their equals', () => {
  fc.assert(
    fc.property(batches, lists => {
      const order = new RowOrder();
      const keys: number[] = [];
      const byKey = (a: number, b: number): number => keys[a]! - keys[b]! || a - b;
      for (const list of lists) {
        const rows = list.map(key => keys.push(key) - 1).sort(byKey);
        const positions = order.insert(Uint32Array.from(rows), (row, other) => keys[row]! < keys[other]!);
        assert.equal([...order.rows], [...keys.keys()].sort(byKey));
        assert.equal(
          Array.from(positions, position => order.rows[position]),
          rows,
        );
      }
    }),
    { seed: 1, numRuns: 200 },
  );
});

test('remembered changes lead from an earlier version to the present one', () => {
  let remembered = 0;
  fc.assert(
    fc.property(batches, lists => {
      const order = new RowOrder();
      const versions: [version: number, rows: number[]][] = [];
      let rows = 0;
      for (const list of lists) {
        versions.push([order.version, [...order.rows]]);
        const inserted = Uint32Array.from(list, () => rows++);
        order.insert(inserted, (row, other) => row % 7 < other % 7);
        order.update(order.rows.slice(0, 1), Uint32Array.of(0).slice(0, order.rows.length));
        for (const [version, before] of versions) {
          const changes = order.changesSince(version);
          if (changes === undefined) continue;
          if (changes.length > 0) remembered++;
          assert.equal(changes.reduce<number[]>(after, before), [...order.rows]);
        }
      }
    }),
    { seed: 2, numRuns: 200 },
  );
  assert.ok(remembered > 100);
});

test('changes that take longer to follow than a new start are forgotten', () => {
  const order = new RowOrder();
  const insert = (first: number, count: number): void => {
    order.insert(
      Uint32Array.from({ length: count }, (_, i) => first + i),
      () => false,
    );
  };
  insert(0, 1000);
  const { version } = order;
  insert(1000, 10);
  assert.is(order.changesSince(version)?.length, 1);
  assert.equal(order.changesSince(order.version), []);
  insert(1010, 500);
  assert.is(order.changesSince(version), undefined, 'a third more at once');
  const later = order.version;
  for (let i = 0; i < 100; i++) insert(1510 + i, 1);
  assert.is(order.changesSince(later), undefined, 'many changes');
});

test.run();
