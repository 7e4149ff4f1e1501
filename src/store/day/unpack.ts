/**
 * Unpacks codes into 32-bit integers. Each loop stands in a function of its own, so that it is
 * compiled soon: the first question after a start waits for it. Nothing follows a loop: V8 compiles
 * a running loop without what has not run yet, and drops that code when it gets there.
 */
import { scatter } from './mask.ts';
import { type Codes, codesFor, isPacked, type Numbers, type Packed, type WorkingMemory } from './packed.ts';

/** The values by row: themselves, or a new array where they are packed. */
export const flat = <Values extends Numbers>(values: Values | Packed): Values | Uint32Array =>
  isPacked(values) ? unpack(values, new Uint32Array(values.length), new Uint32Array(values.stored)) : values;

/** The largest value that a packed one may be. */
const mostOf = ({ width, base }: Packed): number => 2 ** width - 1 + base;

/**
 * An array may take so many times the memory of packed codes, which take some nanosecond each to
 * unpack: of codes of at least five bits it is the next whole bytes. Behind a mask, more is lost.
 */
const [arrayPartMax, arrayPartMaxMasked] = [2, 1.5];

/**
 * Returns a function that gives values the form that is worth keeping. Nothing it returns lies in
 * its working memory.
 */
export const createKeeper = (): (<Values extends Numbers>(values: Values | Packed) => Values | Codes | Packed) => {
  const [wide, behindMask] = [room(), room()];
  return values => {
    if (!isPacked(values)) return values;
    const { length, words, mask, stored } = values;
    const packedBytes = words.byteLength + (mask?.byteLength ?? 0);
    const arrayBytes = length * codesFor(mostOf(values), 0).BYTES_PER_ELEMENT;
    if (arrayBytes > (mask === null ? arrayPartMax : arrayPartMaxMasked) * packedBytes) return values;
    const array = codesFor(mostOf(values), length);
    array.set(unpack(values, wide(length), behindMask(stored)));
    return array;
  };
};

/** Whether values would be kept as an array, too, once they were packed. */
export const isWorthItsRoom = (values: Numbers): boolean => {
  if (values instanceof Float64Array) return true;
  let [all, stored] = [0, 0];
  for (let i = 0; i < values.length; i++) {
    all |= values[i]!;
    if (values[i] !== 0) stored++;
  }
  const width = 32 - Math.clz32(all);
  const isMasked = stored * width + values.length < values.length * width;
  const packedBits = isMasked ? stored * width + values.length : values.length * width;
  return 8 * values.byteLength <= (isMasked ? arrayPartMaxMasked : arrayPartMax) * packedBits;
};

/** Gives the same memory at each call, as much as is asked for. */
const room = (): ((length: number) => WorkingMemory) => {
  let memory = new Uint32Array(0);
  return length => {
    if (memory.length < length) memory = new Uint32Array(Math.ceil(1.25 * length));
    return memory.subarray(0, length);
  };
};

/**
 * Writes each value to its row's position in `to`, and returns that. `behindMask` has room for the
 * stored codes.
 */
export const unpack = (packed: Packed, to: Uint32Array, behindMask: WorkingMemory): Uint32Array => {
  if (packed.mask === null) return unpackStored(packed, to);
  to.fill(packed.base);
  scatter(unpackStored(packed, behindMask), packed.mask, to);
  return to;
};

/** The values of the stored codes, without those that a mask leaves out. */
export const unpackStored = ({ words, width, stored, base }: Packed, to: Uint32Array): Uint32Array => {
  if (width === 0) return to.fill(base);
  // Codes that begin in the last word end there: behind it there is no other to read.
  const ofLast = Math.max(0, Math.min(stored, Math.ceil((32 * (words.length - 1)) / width)));
  for (let i = ofLast; i < stored; i++) to[i] = base + readCode(words, width, i);
  unpackCodes(words, width, base, to, ofLast);
  return to;
};

const unpackCodes = (words: Uint32Array, width: number, base: number, to: Uint32Array, count: number): void => {
  const most = bitsOf(width);
  for (let i = 0, at = 0, shift = 0; i < count; i++) {
    to[i] = base + (((words[at]! >>> shift) | ((words[at + 1]! << 1) << (31 - shift))) & most);
    shift += width;
    at += shift >>> 5;
    shift &= 31;
  }
};

/** So many low bits, at least one, as a signed integer: a faster operand. */
const bitsOf = (width: number): number => (0xffffffff >>> (32 - width)) | 0;

/** A stored code by its place among them. The width is not 0. */
export const readCode = (words: Uint32Array, width: number, slot: number): number => {
  // The slot's bit would not fit into 32 of them.
  const bit = (slot & 31) * width;
  const at = (slot >>> 5) * width + (bit >>> 5);
  const shift = bit & 31;
  const high = shift + width > 32 ? words[at + 1]! << (32 - shift) : 0;
  return (((words[at]! >>> shift) | high) & bitsOf(width)) >>> 0;
};

/** Puts codes side by side. `width` is what the largest needs, or more. */
export const packCodes = (codes: Uint32Array, width: number): Uint32Array => {
  const words = new Uint32Array(Math.ceil((codes.length * width) / 32));
  for (let i = 0, at = 0, shift = 0; i < codes.length && width > 0; i++) {
    words[at]! |= codes[i]! << shift;
    if (shift + width > 32) words[at + 1] = codes[i]! >>> (32 - shift);
    shift += width;
    at += shift >>> 5;
    shift &= 31;
  }
  return words;
};
