import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Column } from '../../../../src/store/day/column-codec.ts';
import { numberColumn, textColumn } from '../../../../src/store/day/day.ts';
import { patchColumn } from '../../../../src/store/day/open/patch-column.ts';
import { flat } from '../../../../src/store/day/unpack.ts';

const integer = fc.oneof(fc.nat({ max: 300 }), fc.nat({ max: 70_000 }), fc.nat({ max: 2 ** 32 - 1 }));
const number = fc.oneof(integer, fc.constantFrom(0.5, -1, 2 ** 32));

const kinds = [
  ['texts', integer, (values: number[]): Column => textColumn(Uint32Array.from(values))],
  ['numbers', number, (values: number[]): Column => numberColumn(values)],
  ['hashes', integer, (values: number[]): Column => ({ kind: 'hash', values: BigUint64Array.from(values, BigInt) })],
] as const;

for (const [name, value, columnOf] of kinds) {
  test(`${name} that come in between, or greater ones instead, make the column that all make at once`, () => {
    fc.assert(
      fc.property(
        fc.array(value, { maxLength: 100, size: 'max' }),
        fc.array(fc.tuple(fc.nat({ max: 100 }), value), { maxLength: 10 }),
        (values, coming) => {
          const before = columnOf(values);
          const positions = coming.map(([position], i) => Math.min(position, values.length) + i).sort((a, b) => a - b);
          const ascending = positions.filter((position, i) => i === 0 || position > positions[i - 1]!);
          const inserted = coming.slice(0, ascending.length).map(([, came]) => came);
          const wanted = [...values];
          for (const [i, position] of ascending.entries()) wanted.splice(position, 0, inserted[i]!);
          // A position beyond the end would leave a gap.
          fc.pre(ascending.every((position, i) => position <= values.length + i));
          const change = { rows: new Uint32Array(ascending.length), positions: Uint32Array.from(ascending) };
          const patched = patchColumn(before, columnOf(inserted), { kind: 'insert', ...change });
          assert.equal(patched, columnOf(wanted));
          assert.equal(before, columnOf(values), 'the column before is left as it was');

          const greater = ascending.map(position => wanted[position]! + 1000);
          for (const [i, position] of ascending.entries()) wanted[position] = greater[i]!;
          const updated = patchColumn(patched, columnOf(greater), { kind: 'update', ...change });
          assert.equal(plain(updated), plain(columnOf(wanted)));
        },
      ),
      { seed: 1, numRuns: 300 },
    );
  });
}

/** Values without the dictionary, which keeps texts that were updated. */
const plain = (column: Column): (number | bigint)[] => {
  if (column.kind === 'text') return Array.from(flat(column.codes), code => column.dictionary[code]!);
  return column.kind === 'number' ? [...flat(column.values)] : [...column.values];
};

test('a column keeps its kind', () => {
  const [texts, numbers] = [textColumn(Uint32Array.of(1)), numberColumn([1])];
  const change = { kind: 'insert', rows: Uint32Array.of(0), positions: Uint32Array.of(0) } as const;
  assert.throws(() => patchColumn(texts, numbers, change), /kind text can't become one of kind number/);
});

test.run();
