/**
 * Codes as they are stored: side by side in few bits, and of a column that is mostly null only
 * those that are not, behind a mask. Kept like this they take a third less memory. A scan unpacks
 * them (unpack.ts) or looks single ones up (look-up.ts).
 */

/** Unsigned integers as narrow as their largest one, or doubles. */
export type Numbers = Uint8Array | Uint16Array | Uint32Array | Float64Array;
export type Codes = Uint8Array | Uint16Array | Uint32Array;

export interface Packed {
  /** How many codes there are, with those that the mask leaves out. */
  length: number;
  /**
   * Bits of a code: 0, 1, 2, 4, 8, 16, 24 or 32. Narrower than 8, they stand from the low bits of
   * each byte up.
   */
  width: number;
  /** The codes that stand here: all, or those that the mask has a 1 for. */
  bytes: Uint8Array;
  stored: number;
  /**
   * A bit per code: 1 where it stands here, 0 where it is 0. Bits behind the last code mean
   * nothing.
   */
  mask: Uint32Array | null;
}

/**
 * Working memory: a function that is given some fills it as it likes. What it held before has no
 * meaning, and what it holds after neither, unless the function returns it.
 */
export type WorkingMemory = Uint32Array;

export const isPacked = (values: Numbers | Packed): values is Packed => 'width' in values;

/** An array of `length` codes as wide as `most` needs. */
export const codesFor = (most: number, length: number): Codes =>
  most < 256 ? new Uint8Array(length) : most < 65536 ? new Uint16Array(length) : new Uint32Array(length);
