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
  /** Bits of a code, 0 to 32. Codes stand side by side from the low bits of each word up. */
  width: number;
  /** The codes that stand here: all, or those that the mask has a 1 for. */
  words: Uint32Array;
  stored: number;
  /**
   * A bit per code: 1 where it stands here, 0 where it is 0. Bits behind the last code mean
   * nothing.
   */
  mask: Uint32Array | null;
  /** A value is so much more than its code. */
  base: number;
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

/** The largest value; 0 of none. */
export const largest = (values: ArrayLike<number>): number => {
  let most = 0;
  for (let i = 0; i < values.length; i++) if (values[i]! > most) most = values[i]!;
  return most;
};
