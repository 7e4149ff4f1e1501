import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  areCodesInDictionary,
  type Column,
  decodeColumn,
  encodeColumn,
  encodeFollower,
  type NumberColumn,
  type TextColumn,
} from '../../../src/store/day/column-codec.ts';
import { numberColumn, textColumn } from '../../../src/store/day/day.ts';
import { ColumnError } from '../../../src/store/day/integer-list.ts';
import { isPacked } from '../../../src/store/day/packed.ts';
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
      // Few large ones, and none that is 0.
      fc
        .array(fc.tuple(fc.nat({ max: 40 }), fc.integer({ min: 1, max: 9 })), { maxLength: 400, size: 'max' })
        .map(list => list.map(([chance, value]) => (chance === 0 ? value * 300_000 : value))),
    )
    .map(list => ({ list, column: numberColumn(list) as Column }));
  const dense = fc
    .oneof(fc.array(fc.nat({ max: 3 })), fc.array(fc.nat({ max: 70_000 })))
    .map(list => ({ list, column: textColumn(Uint32Array.from(list)) as Column }));
  const sparse = fc
    .array(fc.oneof({ weight: 9, arbitrary: fc.constant(0) }, fc.integer({ min: 0, max: 2 ** 32 - 1 })), {
      maxLength: 400,
      size: 'max',
    })
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

test('values take as few bits as the largest one needs', () => {
  const bytesOf = (list: number[]): number => encodeColumn(numberColumn(list)).length - 12;
  for (const [most, bits] of [
    [0, 0],
    [1, 1],
    [3, 2],
    [15, 4],
    [31, 5],
    [255, 8],
    [2000, 11],
    [65_535, 16],
    [65_536, 17],
    [2 ** 32 - 1, 32],
  ] as const) {
    // All but one are large, so that neither a mask nor patches are shorter.
    const list = Array.from({ length: 1024 }, (_, i) => (i === 0 ? 0 : i % 2 === 0 || most <= 1 ? most : most - 1));
    assert.is(bytesOf(list), (1024 * bits) / 8, `largest value ${most}`);
  }
});

test('where no value is 0, each takes what one less needs', () => {
  const list = Array.from({ length: 800 }, (_, i) => 1 + (i % 4));
  assert.is(encodeColumn(numberColumn(list)).length, 12 + 200);
  assert.equal(values(decodeColumn(encodeColumn(numberColumn(list)))), list);
});

test('codes that are nearly as wide as whole bytes are used where they lie', () => {
  for (const [most, width] of [
    [100, 8],
    [5000, 16],
    [60_000, 16],
  ] as const) {
    const bytes = encodeColumn(numberColumn(Array.from({ length: 1000 }, (_, i) => (i * 7919) % most)));
    const found = (decodeColumn(bytes) as NumberColumn).values;
    assert.not(isPacked(found));
    assert.is((found as Uint8Array).buffer, bytes.buffer);
    assert.is((found as Uint8Array).BYTES_PER_ELEMENT, width / 8);
  }
});

test('a few large values stand beside the others', () => {
  const list = Array.from({ length: 3200 }, (_, i) => (i % 100 === 7 ? 100_000 + i : i % 8));
  const bytes = encodeColumn(numberColumn(list));
  assert.ok(bytes.length < (3200 * 3.7) / 8, `${bytes.length} bytes`);
  assert.equal(values(decodeColumn(bytes)), list);
  const words = new Uint32Array(bytes.buffer);
  // Behind the header, the low bits and the head of the gaps: the first gap, as wide as the second.
  const gaps = 3 + (3200 * 3) / 32;
  assert.equal([words[2]! & 0xff, words[gaps]! >>> 9], [(2 << 6) | 3, 32]);
  const tooFar = Buffer.from(bytes);
  new Uint32Array(tooFar.buffer, tooFar.byteOffset)[gaps + 1]! |= 127;
  tooFar.writeUInt32LE(crc32(tooFar.subarray(8), 1), 4);
  assert.throws(() => decodeColumn(tooFar), /a patch is behind the last row/);
});

test('an empty value in a sparse column takes one bit, and nothing where few are not', () => {
  const bytesOf = (list: number[]): number => encodeColumn(numberColumn(list)).length - 12;
  const list = new Array<number>(800).fill(0).map((_, i) => (i % 3 === 1 ? 1000 + (i % 24) : 0));
  assert.is(bytesOf(list), 100 + Math.ceil((267 * 10) / 32) * 4);
  assert.equal(values(decodeColumn(encodeColumn(numberColumn(list)))), list);
  const few = new Array<number>(8000).fill(0).map((_, i) => (i % 100 === 1 ? 1 + (i % 3) : 0));
  assert.ok(bytesOf(few) < 8000 / 8 / 4);
  assert.equal(values(decodeColumn(encodeColumn(numberColumn(few)))), few);
});

test('hashes that ascend take less, in whatever order they are', () => {
  const hash = (i: number): bigint => BigInt.asUintN(64, BigInt(i) * 0x9e3779b97f4a7c15n);
  const hashes = BigUint64Array.from({ length: 4000 }, (_, i) => hash(i));
  for (const of of [hashes.slice().sort(), hashes, hashes.slice().sort().reverse()])
    assert.equal(values(decodeColumn(encodeColumn({ kind: 'hash', values: of }))), [...of]);
  const ascending = encodeColumn({ kind: 'hash', values: hashes.slice().sort() });
  assert.ok(ascending.length < 4000 * 6.8, `${ascending.length} bytes`);
});

test('texts that follow others are read back unchanged', () => {
  const pairs = fc.array(fc.tuple(fc.nat({ max: 30 }), fc.nat({ max: 9 }), fc.nat({ max: 70_000 })), {
    maxLength: 400,
    size: 'max',
  });
  fc.assert(
    fc.property(pairs, rows => {
      const leader = textColumn(Uint32Array.from(rows, ([of]) => of * 3));
      const list = rows.map(([of, chance, other]) => (chance === 0 ? other : of === 5 ? 0 : 1000 + of));
      const bytes = encodeFollower(textColumn(Uint32Array.from(list)), leader);
      assert.equal(values(decodeColumn(bytes, () => leader)), list);
      const alone = decodeColumn(bytes) as TextColumn;
      assert.equal(
        [...alone.dictionary],
        [...textColumn(Uint32Array.from(list)).dictionary],
        'its texts need no leader',
      );
      const other = textColumn(Uint32Array.from(rows, () => 1).slice(1));
      if (leader.dictionary.length > 2) assert.throws(() => decodeColumn(bytes, () => other), /does not fit/);
    }),
    { seed: 3, numRuns: 300 },
  );
});

const long = Array.from({ length: 40 }, (_, i) => (i % 9 === 4 ? 70_000 * i : 0));

/** Columns as earlier versions wrote them: files that hold them must stay readable for ever. */
test('format 1 is frozen', () => {
  const frozen: [hex: string, want: unknown[]][] = [
    ['444243313d8757f8020200000500000004000000050000000000000007000000090000002c0100006103', [7, 0, 9, 7, 300]],
    ['444243311e769bd1010100000900000000000000090000002d01', [1, 0, 1, 1, 0, 1, 0, 0, 1]],
    ['44424331e8bc89960102000003000000000000000300000027', [3, 1, 2]],
    ['4442433184fe03a401080000030000000000000003000000c86400', [200, 100, 0]],
    ['4442433108502403011001000300000000000000020000000360ea0700', [60_000, 7, 0]],
    ['444243314c3fd10a01180000030000000000000003000000701101010000ffffff', [70_000, 1, 2 ** 24 - 1]],
    ['44424331289bf7ab01200000020000000000000002000000ffffffff05000000', [2 ** 32 - 1, 5]],
    ['44424331daa7f82701000000030000000000000003000000', [0, 0, 0]],
    ['444243317c014c71011801002800000000000000040000001020408000c04504b0e20da07f17901c21', long],
    [
      '444243310386a7af01400000030000000000000003000000000000000000f8bf00000000000000009c7500883ce4377e',
      [-1.5, 0, 1e300],
    ],
    [
      '44424331f6e8761403400000030000000000000003000000050000000000000005000000000000000000000000000080',
      [5n, 5n, 2n ** 63n],
    ],
  ];
  for (const [hex, want] of frozen) assert.equal(values(decodeColumn(Buffer.from(hex, 'hex'))), want);
});

test('format 2 is frozen', () => {
  const few = Array.from({ length: 96 }, (_, i) => (i === 9 ? 100_000 : i % 4));
  const frozen: [hex: string, column: Column][] = [
    ['44423202261d87550907000006028804020a000061030000', textColumn(Uint32Array.from([7, 0, 9, 7, 300]))],
    ['444232015a4ff9c6011200002d010000', numberColumn([1, 0, 1, 1, 0, 1, 0, 0, 1])],
    ['4442320110791ad40207000012000000', numberColumn([3, 1, 2])],
    ['444232016d549ae508060000c8640000', numberColumn([200, 100, 0])],
    ['44423201e5c4e36e1006000060ea070000000000', numberColumn([60_000, 7, 0])],
    ['44423201574e63ad180700006f1101000000feffff000000', numberColumn([70_000, 1, 2 ** 24 - 1])],
    ['44423201e54a035020050000feffffff04000000', numberColumn([2 ** 32 - 1, 5])],
    ['44423201cbc4759d00060000', numberColumn([0, 0, 0])],
    ['444232011475c16f565000001020408000000000c04504ac7803fa7741728400', numberColumn(long)],
    ['444232040bbd2c8b000000000000f8bf00000000000000009c7500883ce4377e', numberColumn([-1.5, 0, 1e300])],
    [
      '44423203ccfe6e9e5f06000004000000ffffff7f200600000500000000000000fbffffff',
      { kind: 'hash', values: BigUint64Array.of(5n, 5n, 2n ** 63n) },
    ],
    [
      '4442320145c3bb2782c00000e4e4e0e4e4e4e4e4e4e4e4e4e4e4e4e4e4e4e4e4e4e4e4e404030000090000000f020000a8610000',
      numberColumn(few),
    ],
  ];
  for (const [hex, column] of frozen) {
    assert.is(encodeColumn(column).toString('hex'), hex);
    assert.equal(values(decodeColumn(Buffer.from(hex, 'hex'))), values(column));
  }
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
  const bytes = Buffer.concat([encodeColumn(numberColumn([0, 0, 0])), Buffer.alloc(4)]);
  const seal = (count: number): void => {
    bytes.writeUInt32LE(0xfffffe00, 8);
    bytes.writeUInt32LE(count, 12);
    bytes.writeUInt32LE(crc32(bytes.subarray(8), 1), 4);
  };
  seal(2 ** 23);
  assert.is((decodeColumn(bytes) as NumberColumn).values.length, 2 ** 23);
  seal(2 ** 28 + 1);
  assert.throws(() => decodeColumn(bytes), /more values than a day can have/);
});

test.run();
