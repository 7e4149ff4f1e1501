/**
 * Looks up single values of packed codes without unpacking all. A slot is the position of a code
 * among the stored ones.
 */
import type { Day, TextName } from './day.ts';
import { bitsBefore, bitsBelow, rankOfOnes } from './mask.ts';
import { isPacked, type Numbers, type Packed, type WorkingMemory } from './packed.ts';

/** The values of a few of many rows. `before` has room for a number per word of the mask. */
export const pick = (packed: Packed, rows: Uint32Array, to: Uint32Array, before: WorkingMemory): Uint32Array => {
  const { bytes, width, mask } = packed;
  if (mask === null) slotsOfRows(rows, to);
  else rankOfOnes(mask, rows, to, before);
  if (width < 8) pickBits(bytes, width, to);
  else if (width === 8) pickBytes(bytes, to);
  else if (width === 16) pickPairs(bytes, to);
  else pickWords(bytes, width / 8, to);
  return to;
};

/** One more than the slot of each row's code, as `rankOfOnes` gives it behind a mask. */
const slotsOfRows = (rows: Uint32Array, to: Uint32Array): void => {
  for (let i = 0; i < rows.length; i++) to[i] = rows[i]! + 1;
};

const pickBits = (bytes: Uint8Array, width: number, to: Uint32Array): void => {
  const most = (1 << width) - 1;
  for (let i = 0; i < to.length; i++) {
    const bit = (to[i]! - 1) * width;
    to[i] = to[i] === 0 ? 0 : (bytes[bit >> 3]! >> (bit & 7)) & most;
  }
};

const pickBytes = (bytes: Uint8Array, to: Uint32Array): void => {
  for (let i = 0; i < to.length; i++) to[i] = to[i] === 0 ? 0 : bytes[to[i]! - 1]!;
};

const pickPairs = (bytes: Uint8Array, to: Uint32Array): void => {
  for (let i = 0; i < to.length; i++) {
    const at = 2 * (to[i]! - 1);
    to[i] = to[i] === 0 ? 0 : bytes[at]! | (bytes[at + 1]! << 8);
  }
};

/** Of three bytes or four. */
const pickWords = (bytes: Uint8Array, size: number, to: Uint32Array): void => {
  for (let i = 0; i < to.length; i++) {
    const at = size * (to[i]! - 1);
    const most = size === 4 ? bytes[at + 3]! << 24 : 0;
    to[i] = to[i] === 0 ? 0 : bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | most;
  }
};

/** Looks up single values, packed or not, in any order. */
export const lookUp = (values: Numbers | Packed): ((row: number) => number) => {
  if (!isPacked(values)) return row => values[row]!;
  const { mask } = values;
  const codeAt = codeReader(values);
  if (mask === null) return codeAt;
  const before = bitsBefore(mask);
  return row => {
    const [word, bit] = [row >>> 5, row & 31];
    return ((mask[word]! >>> bit) & 1) === 0 ? 0 : codeAt(before[word]! + bitsBelow(mask, word, bit));
  };
};

/** Looks up the ids of a column's texts, by row; those of `screen` are window sizes. */
export const lookUpIds = (day: Day, name: TextName): ((row: number) => number) => {
  const [codeOf, dictionary] = [lookUp(day.keptCodes(name)), day.dictionary(name)];
  return row => dictionary[codeOf(row)]!;
};

/** The stored codes, by slot. */
const codeReader = ({ bytes, width }: Packed): ((slot: number) => number) => {
  if (width < 8) return slot => (bytes[(slot * width) >> 3]! >> ((slot * width) & 7)) & ((1 << width) - 1);
  const size = width / 8;
  return slot => {
    let code = 0;
    for (let byte = size - 1; byte >= 0; byte--) code = code * 256 + bytes[slot * size + byte]!;
    return code;
  };
};
