/**
 * Looks up single values of packed codes without unpacking all. A slot is the position of a code
 * among the stored ones.
 */
import type { Day, TextName } from './day.ts';
import { bitsBefore, bitsBelow, rankOfOnes } from './mask.ts';
import { isPacked, type Numbers, type Packed, type WorkingMemory } from './packed.ts';
import { readCode } from './unpack.ts';

/** The values of a few of many rows. `before` has room for a number per word of the mask. */
export const pick = (packed: Packed, rows: Uint32Array, to: Uint32Array, before: WorkingMemory): Uint32Array => {
  const { words, width, mask, base } = packed;
  if (width === 0) return to.fill(base);
  if (mask === null) slotsOfRows(rows, to);
  else rankOfOnes(mask, rows, to, before);
  pickCodes(words, width, base, to);
  return to;
};

/** One more than the slot of each row's code, as `rankOfOnes` gives it behind a mask. */
const slotsOfRows = (rows: Uint32Array, to: Uint32Array): void => {
  for (let i = 0; i < rows.length; i++) to[i] = rows[i]! + 1;
};

const pickCodes = (words: Uint32Array, width: number, base: number, to: Uint32Array): void => {
  for (let i = 0; i < to.length; i++) to[i] = base + (to[i] === 0 ? 0 : readCode(words, width, to[i]! - 1));
};

/** Looks up single values, packed or not, in any order. */
export const lookUp = (values: Numbers | Packed): ((row: number) => number) => {
  if (!isPacked(values)) return row => values[row]!;
  const { mask, words, width, base } = values;
  const valueAt = (slot: number): number => (width === 0 ? base : base + readCode(words, width, slot));
  if (mask === null) return valueAt;
  const before = bitsBefore(mask);
  return row => {
    const [word, bit] = [row >>> 5, row & 31];
    return ((mask[word]! >>> bit) & 1) === 0 ? base : valueAt(before[word]! + bitsBelow(mask, word, bit));
  };
};

/** Looks up the ids of a column's texts, by row; those of `screen` are window sizes. */
export const lookUpIds = (day: Day, name: TextName): ((row: number) => number) => {
  const [codeOf, dictionary] = [lookUp(day.keptCodes(name)), day.dictionary(name)];
  return row => dictionary[codeOf(row)]!;
};
