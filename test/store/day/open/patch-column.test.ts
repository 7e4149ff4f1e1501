import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Column } from '../../../../src/store/day/column-codec.ts';
import { numberColumn, textColumn } from '../../../../src/store/day/day.ts';
import { mendColumn } from '../../../../src/store/day/open/patch-column.ts';
import { flat } from '../../../../src/store/day/packed.ts';

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
          const places = coming.map(([place], i) => Math.min(place, values.length) + i).sort((a, b) => a - b);
          const ascending = places.filter((place, i) => i === 0 || place > places[i - 1]!);
          const entering = coming.slice(0, ascending.length).map(([, came]) => came);
          const wanted = [...values];
          for (const [i, place] of ascending.entries()) wanted.splice(place, 0, entering[i]!);
          // A place beyond the end would leave a gap.
          fc.pre(ascending.every((place, i) => place <= values.length + i));
          const change = { rows: new Uint32Array(ascending.length), places: Uint32Array.from(ascending) };
          const entered = mendColumn(before, columnOf(entering), { kind: 'entered', ...change });
          assert.equal(entered, columnOf(wanted));
          assert.equal(before, columnOf(values), 'the column before is left as it was');

          const greater = ascending.map(place => wanted[place]! + 1000);
          for (const [i, place] of ascending.entries()) wanted[place] = greater[i]!;
          const altered = mendColumn(entered, columnOf(greater), { kind: 'altered', ...change });
          assert.equal(plain(altered), plain(columnOf(wanted)));
        },
      ),
      { seed: 1, numRuns: 300 },
    );
  });
}

/** Values without the dictionary, which keeps texts that were altered. */
const plain = (column: Column): (number | bigint)[] => {
  if (column.kind === 'text') return Array.from(flat(column.codes), code => column.dictionary[code]!);
  return column.kind === 'number' ? [...flat(column.values)] : [...column.values];
};

test('a column stays of its kind', () => {
  const [texts, numbers] = [textColumn(Uint32Array.of(1)), numberColumn([1])];
  const change = { kind: 'entered', rows: Uint32Array.of(0), places: Uint32Array.of(0) } as const;
  assert.throws(() => mendColumn(texts, numbers, change), /kind text can't become one of kind number/);
});

test.run();
