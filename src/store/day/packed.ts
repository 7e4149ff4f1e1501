/**
 * Codes as they are stored: side by side in few bits, and of a column that is mostly null only those that are not, behind a mask. They
 * are kept like this, which takes a third less memory, and are unpacked when a scan needs them (unpack.ts) or looked up (look-up.ts).
 */
import { unpack } from './unpack.ts';

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

/** Codes that are not packed, as if they were. */
export const asPacked = ({ buffer, byteOffset, byteLength, length, BYTES_PER_ELEMENT }: Codes): Packed => ({
  length,
  width: 8 * BYTES_PER_ELEMENT,
  bytes: new Uint8Array(buffer, byteOffset, byteLength),
  stored: length,
  mask: null,
});

/** The values with each at its place, made anew where they are packed. */
export const flat = <Values extends Numbers>(values: Values | Packed): Values | Uint32Array =>
  isPacked(values) ? unpack(values, new Uint32Array(values.length), new Uint32Array(values.stored)) : values;

/** An array of `length` codes as wide as `most` needs. */
export const codesFor = (most: number, length: number): Codes =>
  most < 256 ? new Uint8Array(length) : most < 65536 ? new Uint16Array(length) : new Uint32Array(length);

/** As many as `codesFor` makes for all that fits into the packed width. */
const bytesInArray = ({ width, length }: Packed): number => length * codesFor(2 ** width - 1, 0).BYTES_PER_ELEMENT;

/** An array is widened some five times as fast as packed codes are unpacked: it may take so many times their memory. */
const arrayPartMax = 1.5;

/** Returns a function, with working memory of its own, that gives values the form that is worth keeping. */
export const createKeeper = (): (<Values extends Numbers>(values: Values | Packed) => Values | Codes | Packed) => {
  const [wide, behindMask] = [room(), room()];
  return values => {
    if (!isPacked(values)) return values;
    const { length, width, bytes, mask, stored } = values;
    if (bytesInArray(values) > arrayPartMax * (bytes.byteLength + (mask?.byteLength ?? 0))) return values;
    const array = codesFor(2 ** width - 1, length);
    array.set(unpack(values, wide(length), behindMask(stored)));
    return array;
  };
};

/** Gives the same memory again and again, as much as is asked for. */
const room = (): ((length: number) => Uint32Array) => {
  let memory = new Uint32Array(0);
  return length => {
    if (memory.length < length) memory = new Uint32Array(Math.ceil(1.25 * length));
    return memory.subarray(0, length);
  };
};
