import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { decodeColumn, encodeColumn, type NumberColumn } from '../../../src/store/day/column-codec.ts';
import { numberColumn } from '../../../src/store/day/day.ts';
import { lookUp, pick } from '../../../src/store/day/look-up.ts';
import { maskedRowsPassing } from '../../../src/store/day/mask.ts';
import { isPacked } from '../../../src/store/day/packed.ts';
import { createKeeper, flat, unpack, unpackStored } from '../../../src/store/day/unpack.ts';

/**
 * Values of up to some bits, many of them 0 or few, so that every width is packed densely and
 * behind a mask.
 */
const lists = fc.record({
  bits: fc.integer({ min: 0, max: 32 }),
  zeros: fc.constantFrom(0, 1, 3),
  /** Where it is 1, no value is 0. */
  least: fc.constantFrom(0, 1),
  values: fc.array(fc.tuple(fc.nat({ max: 3 }), fc.integer({ min: 0, max: 2 ** 32 - 1 })), {
    maxLength: 200,
    size: 'max',
  }),
});

const listOf = ({
  bits,
  zeros,
  least,
  values,
}: {
  bits: number;
  zeros: number;
  least: number;
  values: [number, number][];
}): number[] =>
  values.map(([chance, value]) => (bits === 0 ? 0 : chance < zeros ? least : least + (value % (2 ** bits - least))));

/** Memory that something else has used before. */
const used = (length: number): Uint32Array => new Uint32Array(length).fill(0xdeadbeef);

const stored = (list: number[]): NumberColumn['values'] =>
  (decodeColumn(encodeColumn(numberColumn(list))) as NumberColumn).values;

test('packed values read the same at once, by rows and one by one', () => {
  const seen = new Set<string>();
  const worthKeeping = createKeeper();
  fc.assert(
    fc.property(lists, fc.infiniteStream(fc.boolean()), (of, chosen) => {
      const list = listOf(of);
      const values = stored(list);
      assert.equal([...flat(values)], list);
      assert.equal([...flat(worthKeeping(values))], list);
      if (isPacked(values)) assert.equal([...unpack(values, used(list.length), used(values.stored))], list);
      const at = lookUp(values);
      assert.equal(
        list.map((_, row) => at(row)),
        list,
      );
      if (!isPacked(values)) return;
      seen.add(`${values.width} ${values.mask !== null}`);
      const rows = Uint32Array.from(list.keys()).filter(() => chosen.next().value);
      assert.equal(
        [...pick(values, rows, used(rows.length), used(values.mask?.length ?? 0))],
        Array.from(rows, row => list[row]),
      );
    }),
    { seed: 1, numRuns: 2000 },
  );
  // Of some widths, whole bytes are used where they lie.
  const dense = [0, 1, 2, 5, 9, 17, 31].map(width => `${width} false`);
  // A mask over single bits would never be shorter than they are.
  const masked = [2, 4, 7, 13, 24, 32].map(width => `${width} true`);
  for (const form of [...dense, ...masked]) assert.ok(seen.has(form), `${form} was tried`);
});

test('rows of a column behind a mask are found by their values', () => {
  let tried = 0;
  fc.assert(
    fc.property(lists, of => {
      const list = listOf({ ...of, bits: 2, zeros: 3, least: 0 });
      const values = stored(list);
      if (!isPacked(values) || values.mask === null) return;
      tried++;
      const passing = Uint8Array.of(0, 1, 0, 1);
      const rows = used(list.length);
      const codes = unpackStored(values, used(values.stored));
      const count = maskedRowsPassing(values.mask, codes, passing, rows);
      assert.equal(
        [...rows.subarray(0, count)],
        [...list.keys()].filter(row => passing[list[row]!] === 1),
      );
      assert.equal(
        [...codes.subarray(0, count)],
        list.filter(code => passing[code] === 1),
      );
    }),
    { seed: 2, numRuns: 1000 },
  );
  assert.ok(tried > 300, `${tried} were tried`);
});

test('kept values stay as they are when others are packed', () => {
  const worthKeeping = createKeeper();
  const packed = (add: number): NumberColumn['values'] =>
    stored(Array.from({ length: 800 }, (_, i) => (i % 8 === 3 ? 0 : 1000 + i + add)));
  const first = worthKeeping(packed(0));
  worthKeeping(packed(50_000));
  assert.equal([...flat(first)], [...flat(packed(0))]);
});

test('values are kept as an array when that takes little more memory', () => {
  const worthKeeping = createKeeper();
  const mostlyNothing = stored(Array.from({ length: 800 }, (_, i) => (i % 8 === 3 ? 1000 + i : 0)));
  assert.ok(isPacked(mostlyNothing));
  assert.is(worthKeeping(mostlyNothing), mostlyNothing);
  const mostlySomething = stored(Array.from({ length: 800 }, (_, i) => (i % 8 === 3 ? 0 : 3000 + i)));
  assert.ok(isPacked(mostlySomething));
  assert.not(isPacked(worthKeeping(mostlySomething)));
});

test.run();
