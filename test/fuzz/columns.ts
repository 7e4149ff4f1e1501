/** Bytes that may be a column: they decode to what encodes to the same bytes, or are refused as no column. */

import { crc32 } from 'node:zlib';
import type { Chance } from '../../src/cli/demo/random.ts';
import { areCodesInDictionary, type Column, decodeColumn, encodeColumn } from '../../src/store/day/column-codec.ts';
import { numberColumn, textColumn } from '../../src/store/day/day.ts';
import { ColumnError } from '../../src/store/day/integer-list.ts';
import { must } from '../tools/conditions.ts';
import { mutateBytes, randomBytes } from './random-input.ts';
import type { Target } from './target.ts';

const randomColumn = (chance: Chance): Column => {
  const length = chance.below(60);
  const most = 2 ** chance.below(33);
  const kind = chance.below(4);
  if (kind === 0)
    return { kind: 'hash', values: BigUint64Array.from({ length }, () => BigInt(chance.below(2 ** 32)) << 20n) };
  if (kind === 1) return textColumn(Uint32Array.from({ length }, () => chance.below(most)));
  return numberColumn(Array.from({ length }, () => (kind === 2 ? chance.below(most) : chance.number() * 1e9 - 5e8)));
};

/** With a checksum that fits again, so that what lies behind it is tried too. */
const resealed = (bytes: Buffer): Buffer => {
  if (bytes.length >= 8) bytes.writeUInt32LE(crc32(bytes.subarray(8), bytes[3]), 4);
  return bytes;
};

/** Whether a word, as the head of a list, tells of many values that take no bytes. */
const hasLargeCount = (word: number): boolean => (word & 63) === 0 && word >>> 9 > 1e6;

export const columns: Target = {
  name: 'columns',
  what: 'columns and their bytes, damaged and whole',
  share: 0.2,
  lanes: 1,
  open: () => ({
    one(chance) {
      const good = encodeColumn(randomColumn(chance));
      must(encodeColumn(decodeColumn(good)).equals(good), 'A good column came back another.');
      const mutated = chance.is(0.05) ? randomBytes(chance, chance.below(60)) : mutateBytes(chance, good);
      // A larger count may be true as far as the codec can tell, and takes its time.
      const isLarge = new Uint32Array(new Uint8Array(mutated).buffer, 0, mutated.length >>> 2).some(hasLargeCount);
      const bytes = chance.is(0.7) && !isLarge ? resealed(mutated) : mutated;
      try {
        const column = decodeColumn(bytes);
        if (areCodesInDictionary(column)) encodeColumn(column);
      } catch (error) {
        must(error instanceof ColumnError, `${(error as Error).stack} of ${bytes.toString('hex')}`);
      }
    },
    close() {},
  }),
};
