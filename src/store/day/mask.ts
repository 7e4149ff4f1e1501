/**
 * Masks: a bit per row, in words of 32 from the low bits up, 1 where the row has a stored code.
 * Bits behind the last row mean nothing.
 */
import type { WorkingMemory } from './packed.ts';

/** Words of a mask over so many rows. */
export const wordsFor = (rows: number): number => Math.ceil(rows / 32);

/** Writes the codes where the mask has a 1 and leaves the rest of `to` as it is. */
export const scatter = (codes: Uint32Array, mask: Uint32Array, to: Uint32Array): void => {
  let code = 0;
  for (let word = 0; code < codes.length; word++) {
    const last = 32 * word + 31;
    for (let bits = mask[word]!; bits !== 0 && code < codes.length; bits &= bits - 1)
      to[last - Math.clz32(bits & -bits)] = codes[code++]!;
  }
};

/**
 * Writes the rows whose stored code has a 1 in `pass` to `to`, ascending, and returns their number.
 * `codes` are the stored ones; those that pass are moved to their beginning.
 */
export const maskedRowsPassing = (mask: Uint32Array, codes: Uint32Array, pass: Uint8Array, to: Uint32Array): number => {
  let code = 0;
  let count = 0;
  for (let word = 0; code < codes.length; word++) {
    const last = 32 * word + 31;
    for (let bits = mask[word]!; bits !== 0 && code < codes.length; bits &= bits - 1) {
      const passing = codes[code++]!;
      to[count] = last - Math.clz32(bits & -bits);
      codes[count] = passing;
      count += pass[passing]!;
    }
  }
  return count;
};

/** How many bits of a word are 1. */
const bitsOfWord = (word: number): number => {
  const pairs = word - ((word >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
};

/** How many bits of the mask are 1 among the first `length`. */
export const bitsIn = (mask: Uint32Array, length: number): number => {
  const words = length >>> 5;
  let count = bitsBelow(mask, words, length & 31);
  for (let word = 0; word < words; word++) count += bitsOfWord(mask[word]!);
  return count;
};

/** How many of the lowest bits of one of the mask's words are 1. */
export const bitsBelow = (mask: Uint32Array, word: number, bits: number): number =>
  bits === 0 ? 0 : bitsOfWord(mask[word]! & ((1 << bits) - 1));

/** Per word of a mask, how many bits are 1 in all words before it. */
export const bitsBefore = (mask: Uint32Array, to: Uint32Array = new Uint32Array(mask.length)): Uint32Array => {
  let count = 0;
  for (let word = 0; word < to.length; word++) {
    to[word] = count;
    count += bitsOfWord(mask[word]!);
  }
  return to;
};

/**
 * Per row, how many bits are 1 up to and with its own: where a bit means a beginning, the number of
 * what the row belongs to, from 1. `before` has room for a number per word of the mask.
 */
export const rankBits = (mask: Uint32Array, rows: Uint32Array, to: Uint32Array, before: WorkingMemory): Uint32Array => {
  bitsBefore(mask, before);
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i]!;
    to[i] = before[row >>> 5]! + bitsOfWord(mask[row >>> 5]! & (0xffffffff >>> (31 - (row & 31))));
  }
  return to;
};

/** Per row, its `rankBits` where its own bit is 1, and 0 where it is not. */
export const rankOfOnes = (
  mask: Uint32Array,
  rows: Uint32Array,
  to: Uint32Array,
  before: WorkingMemory,
): Uint32Array => {
  rankBits(mask, rows, to, before);
  for (let i = 0; i < rows.length; i++) to[i]! &= -((mask[rows[i]! >>> 5]! >>> (rows[i]! & 31)) & 1);
  return to;
};
