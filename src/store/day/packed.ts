/**
 * Codes as they are stored: side by side in few bits, and of a column that is mostly null only those that are not, behind a mask. They
 * are kept like this, which takes a third less memory, and unpacked when a scan needs them, which takes about as long as widening an array does.
 *
 * Each loop stands in a function of its own: it is soon compiled, and it is the first question after a start that waits for it.
 */

/** Unsigned integers as narrow as their largest one, or doubles. */
export type Numbers = Uint8Array | Uint16Array | Uint32Array | Float64Array;
export type Codes = Uint8Array | Uint16Array | Uint32Array;

export interface Packed {
  /** How many codes there are, with those that the mask leaves out. */
  length: number;
  /** Bits of a code: 0, 1, 2, 4, 8, 16, 24 or 32. Narrower than 8, they stand from the low bits of each byte up. */
  width: number;
  /** The codes that stand here: all, or those that the mask has a 1 for. */
  bytes: Uint8Array;
  stored: number;
  /** A bit per code: 1 where it stands here, 0 where it is 0. Bits behind the last code mean nothing. */
  mask: Uint32Array | null;
}

export const isPacked = (values: Numbers | Packed): values is Packed => 'width' in values;

/** The values with each at its place, made anew where they are packed. */
export const flat = <Values extends Numbers>(values: Values | Packed): Values | Uint32Array =>
  isPacked(values) ? unpack(values, new Uint32Array(values.length), new Uint32Array(values.stored)) : values;

/** An array of `length` codes as wide as `most` needs. */
export const codesFor = (most: number, length: number): Codes =>
  most < 256 ? new Uint8Array(length) : most < 65536 ? new Uint16Array(length) : new Uint32Array(length);

const bytesInArray = ({ width, length }: Packed): number => (width <= 8 ? 1 : width <= 16 ? 2 : 4) * length;

/** An array is widened some five times as fast as packed codes are unpacked: it may take so many times their memory. */
const worth = 1.5;

export interface Unpacker {
  /** Values in the form that is worth keeping. */
  spare<Values extends Numbers>(values: Values | Packed): Values | Codes | Packed;
}

/** Has working memory of its own. */
export const createUnpacker = (): Unpacker => {
  const memory = [new Uint32Array(0), new Uint32Array(0)];
  const take = (which: 0 | 1, length: number): Uint32Array => {
    if (memory[which]!.length < length) memory[which] = new Uint32Array(Math.ceil(1.25 * length));
    return memory[which]!.subarray(0, length);
  };
  return {
    spare(values) {
      if (!isPacked(values)) return values;
      const { length, width, bytes, mask, stored } = values;
      if (bytesInArray(values) > worth * (bytes.byteLength + (mask?.byteLength ?? 0))) return values;
      const array = codesFor(2 ** width - 1, length);
      array.set(unpack(values, take(0, length), take(1, stored)));
      return array;
    },
  };
};

/** Writes each code to its place, and returns them. `behindMask` is working memory for as many as stand behind a mask. */
export const unpack = (packed: Packed, to: Uint32Array, behindMask: Uint32Array): Uint32Array => {
  if (packed.mask === null) return unpackStored(packed, to);
  to.fill(0);
  scatter(unpackStored(packed, behindMask), packed.mask, to);
  return to;
};

/** The codes that stand here, without those that a mask leaves out. */
export const unpackStored = ({ bytes, width, stored }: Packed, to: Uint32Array): Uint32Array => {
  if (width === 0) return to.fill(0);
  if (width === 1) unpackBits(bytes, to, stored);
  else if (width === 2) unpackQuarters(bytes, to, stored);
  else if (width === 4) unpackHalves(bytes, to, stored);
  else if (width === 8) to.set(bytes);
  else if (width === 16) unpackPairs(bytes, to, stored);
  else if (width === 24) unpackTriples(bytes, to, stored);
  else unpackWords(bytes, to, stored);
  return to;
};

const unpackBits = (bytes: Uint8Array, to: Uint32Array, count: number): void => {
  let i = 0;
  for (; i + 8 <= count; i += 8) {
    const byte = bytes[i >> 3]!;
    to[i] = byte & 1;
    to[i + 1] = (byte >> 1) & 1;
    to[i + 2] = (byte >> 2) & 1;
    to[i + 3] = (byte >> 3) & 1;
    to[i + 4] = (byte >> 4) & 1;
    to[i + 5] = (byte >> 5) & 1;
    to[i + 6] = (byte >> 6) & 1;
    to[i + 7] = byte >> 7;
  }
  for (; i < count; i++) to[i] = (bytes[i >> 3]! >> (i & 7)) & 1;
};

const unpackQuarters = (bytes: Uint8Array, to: Uint32Array, count: number): void => {
  let i = 0;
  for (; i + 4 <= count; i += 4) {
    const byte = bytes[i >> 2]!;
    to[i] = byte & 3;
    to[i + 1] = (byte >> 2) & 3;
    to[i + 2] = (byte >> 4) & 3;
    to[i + 3] = byte >> 6;
  }
  for (; i < count; i++) to[i] = (bytes[i >> 2]! >> (2 * (i & 3))) & 3;
};

const viewOf = ({ buffer, byteOffset, byteLength }: Uint8Array): DataView =>
  new DataView(buffer, byteOffset, byteLength);

const unpackHalves = (bytes: Uint8Array, to: Uint32Array, count: number): void => {
  const view = viewOf(bytes);
  let i = 0;
  for (; i + 8 <= count; i += 8) {
    const word = view.getUint32(i >> 1, true);
    to[i] = word & 15;
    to[i + 1] = (word >>> 4) & 15;
    to[i + 2] = (word >>> 8) & 15;
    to[i + 3] = (word >>> 12) & 15;
    to[i + 4] = (word >>> 16) & 15;
    to[i + 5] = (word >>> 20) & 15;
    to[i + 6] = (word >>> 24) & 15;
    to[i + 7] = word >>> 28;
  }
  for (; i < count; i++) to[i] = (bytes[i >> 1]! >> (4 * (i & 1))) & 15;
};

const unpackPairs = (bytes: Uint8Array, to: Uint32Array, count: number): void => {
  const view = viewOf(bytes);
  for (let i = 0; i < count; i++) to[i] = view.getUint16(2 * i, true);
};

const unpackTriples = (bytes: Uint8Array, to: Uint32Array, count: number): void => {
  const view = viewOf(bytes);
  let i = 0;
  let at = 0;
  for (; i + 4 <= count; i += 4, at += 12) {
    const first = view.getUint32(at, true);
    const second = view.getUint32(at + 4, true);
    const third = view.getUint32(at + 8, true);
    to[i] = first & 0xffffff;
    to[i + 1] = (first >>> 24) | ((second & 0xffff) << 8);
    to[i + 2] = (second >>> 16) | ((third & 0xff) << 16);
    to[i + 3] = third >>> 8;
  }
  for (; i < count; i++, at += 3) to[i] = bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16);
};

const unpackWords = (bytes: Uint8Array, to: Uint32Array, count: number): void => {
  const view = viewOf(bytes);
  for (let i = 0; i < count; i++) to[i] = view.getUint32(4 * i, true);
};

const scatter = (codes: Uint32Array, mask: Uint32Array, to: Uint32Array): void => {
  let code = 0;
  for (let word = 0; code < codes.length; word++) {
    const last = 32 * word + 31;
    for (let bits = mask[word]!; bits !== 0 && code < codes.length; bits &= bits - 1)
      to[last - Math.clz32(bits & -bits)] = codes[code++]!;
  }
};

/** Puts the places whose code stands here and has a 1 in `pass` into `to`, ascending, and returns their number; `codes` are those that stand here. */
export const placesPassing = (mask: Uint32Array, codes: Uint32Array, pass: Uint8Array, to: Uint32Array): number => {
  let code = 0;
  let count = 0;
  for (let word = 0; code < codes.length; word++) {
    const last = 32 * word + 31;
    for (let bits = mask[word]!; bits !== 0 && code < codes.length; bits &= bits - 1) {
      to[count] = last - Math.clz32(bits & -bits);
      count += pass[codes[code++]!]!;
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
const bitsBelow = (mask: Uint32Array, word: number, bits: number): number =>
  bits === 0 ? 0 : bitsOfWord(mask[word]! & ((1 << bits) - 1));

/** The values of ascending rows: for few of many, which would not be worth unpacking them all. */
export const pick = (packed: Packed, rows: Uint32Array, to: Uint32Array): Uint32Array => {
  const { bytes, width, mask } = packed;
  if (mask === null) placesOfRows(rows, to);
  else placesBehind(mask, rows, to);
  if (width < 8) pickBits(bytes, width, to);
  else if (width === 8) pickBytes(bytes, to);
  else if (width === 16) pickPairs(bytes, to);
  else pickWords(bytes, width / 8, to);
  return to;
};

/** One more than where each row's code stands. */
const placesOfRows = (rows: Uint32Array, to: Uint32Array): void => {
  for (let i = 0; i < rows.length; i++) to[i] = rows[i]! + 1;
};

/** One more than where each row's code stands; 0 for those that the mask leaves out. */
const placesBehind = (mask: Uint32Array, rows: Uint32Array, to: Uint32Array): void => {
  let word = 0;
  let before = 0;
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i]!;
    for (; word < row >>> 5; word++) before += bitsOfWord(mask[word]!);
    const bits = mask[word]!;
    const place = before + bitsOfWord(bits & ((1 << (row & 31)) - 1)) + 1;
    to[i] = place & -((bits >>> (row & 31)) & 1);
  }
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

/** Looks single values up, wherever they are kept, in any order. */
export const lookUp = (values: Numbers | Packed): ((row: number) => number) => {
  if (!isPacked(values)) return row => values[row]!;
  const { mask } = values;
  const codeAt = codes(values);
  if (mask === null) return codeAt;
  const before = bitsBefore(mask);
  return row => {
    const [word, bit] = [row >>> 5, row & 31];
    return ((mask[word]! >>> bit) & 1) === 0 ? 0 : codeAt(before[word]! + bitsBelow(mask, word, bit));
  };
};

/** Per word of a mask, how many bits are 1 in all words before it. */
const bitsBefore = (mask: Uint32Array): Uint32Array => {
  const before = new Uint32Array(mask.length);
  for (let word = 1; word < mask.length; word++) before[word] = before[word - 1]! + bitsOfWord(mask[word - 1]!);
  return before;
};

/** The codes that stand here, by place. */
const codes = ({ bytes, width }: Packed): ((place: number) => number) => {
  if (width < 8) return place => (bytes[(place * width) >> 3]! >> ((place * width) & 7)) & ((1 << width) - 1);
  const size = width / 8;
  return place => {
    let code = 0;
    for (let byte = size - 1; byte >= 0; byte--) code = code * 256 + bytes[place * size + byte]!;
    return code;
  };
};
