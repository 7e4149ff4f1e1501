import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  areCodesInDictionary,
  type Column,
  ColumnError,
  decodeColumn,
  encodeColumn,
} from '../../../src/store/day/column-codec.ts';
import { numberColumn, textColumn } from '../../../src/store/day/day.ts';
import { flat } from '../../../src/store/day/unpack.ts';

const values = (column: Column): unknown[] => {
  assert.ok(areCodesInDictionary(column));
  if (column.kind === 'text') return Array.from(flat(column.codes), code => column.dictionary[code]);
  return column.kind === 'number' ? [...flat(column.values)] : [...column.values];
};

test('every column is read back unchanged', () => {
  const numbers = fc
    .oneof(
      fc.array(fc.integer({ min: 0, max: 1 })),
      fc.array(fc.integer({ min: 0, max: 15 })),
      fc.array(fc.integer({ min: 0, max: 2 ** 24 })),
      fc.array(fc.integer({ min: 0, max: 2 ** 32 - 1 })),
      fc.array(fc.double()),
    )
    .map(list => ({ list, column: numberColumn(list) as Column }));
  const dense = fc
    .oneof(fc.array(fc.nat({ max: 3 })), fc.array(fc.nat({ max: 70_000 })))
    .map(list => ({ list, column: textColumn(Uint32Array.from(list)) as Column }));
  const sparse = fc
    .array(fc.integer({ min: 0, max: 2 ** 32 - 1 }))
    .map(list => ({ list, column: textColumn(Uint32Array.from(list)) as Column }));
  const hashes = fc
    .array(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }))
    .map(list => ({ list, column: { kind: 'hash', values: BigUint64Array.from(list) } as Column }));
  fc.assert(
    fc.property(fc.oneof(numbers, dense, sparse, hashes), ({ list, column }) => {
      assert.equal(values(column), list);
      assert.equal(values(decodeColumn(encodeColumn(column))), list);
    }),
    { seed: 1, numRuns: 500 },
  );
});

test('values take as few bytes as the largest one needs', () => {
  const bytesOf = (column: Column): number => encodeColumn(column).length - 24;
  for (const [most, bytes] of [
    [0, 0],
    [1, 1000 / 8],
    [3, 1000 / 4],
    [15, 1000 / 2],
    [255, 1000],
    [65_535, 2000],
    [65_536, 3000],
    [2 ** 24, 4000],
    [2 ** 32, 8000],
    [0.5, 8000],
  ] as const) {
    assert.is(bytesOf(numberColumn(new Array(1000).fill(most))), bytes, `largest value ${most}`);
  }
});

test('an empty value in a sparse column takes one bit', () => {
  const bytesOf = (list: number[]): number => encodeColumn(numberColumn(list)).length - 24;
  const list = new Array<number>(800).fill(0).map((_, i) => (i % 8 === 3 ? 1000 + i : 0));
  assert.is(bytesOf(list), 100 + 100 * 2);
  assert.equal(values(decodeColumn(encodeColumn(numberColumn(list)))), list);
  const missing = encodeColumn(numberColumn(list));
  missing[24]! &= ~0b1000;
  missing.writeUInt32LE(crc32(missing.subarray(8)), 4);
  assert.throws(() => decodeColumn(missing), /the codes do not match their mask/);
});

/**
 * A column of the first version of the format, as bytes: files that hold it must stay readable for
 * ever.
 */
test('format 1 is frozen', () => {
  const text = textColumn(Uint32Array.from([7, 0, 9, 7, 300]));
  const frozen = '444243313d8757f8020200000500000004000000050000000000000007000000090000002c0100006103';
  assert.is(encodeColumn(text).toString('hex'), frozen);
  assert.equal(values(decodeColumn(Buffer.from(frozen, 'hex'))), [7, 0, 9, 7, 300]);
});

test('a flipped bit, a missing byte or an extra one is noticed', () => {
  const bytes = encodeColumn(textColumn(Uint32Array.from([5, 6, 0, 6, 5, 1000])));
  fc.assert(
    fc.property(fc.nat({ max: bytes.length - 1 }), fc.nat({ max: 7 }), (at, bit) => {
      const damaged = Buffer.from(bytes);
      damaged[at]! ^= 1 << bit;
      assert.throws(
        () => decodeColumn(damaged),
        (error: unknown) => error instanceof ColumnError,
      );
    }),
    { seed: 2 },
  );
  const isColumnError = (error: unknown): boolean => error instanceof ColumnError;
  assert.throws(() => decodeColumn(bytes.subarray(0, -1)), isColumnError);
  assert.throws(() => decodeColumn(Buffer.concat([bytes, Buffer.alloc(1)])), isColumnError);
  assert.throws(() => decodeColumn(Buffer.alloc(0)), isColumnError);
});

test('an impossible count is refused before memory is taken for it', () => {
  // Values of width 0 take no bytes, so every count would fit.
  const bytes = encodeColumn(numberColumn([0, 0, 0]));
  bytes.writeUInt32LE(2 ** 32 - 1, 12);
  bytes.writeUInt32LE(crc32(bytes.subarray(8)), 4);
  assert.throws(() => decodeColumn(bytes), /more values than a day can have/);
});

test.run();
