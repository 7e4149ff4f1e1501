/**
 * Working memory that is used again from day to day and from query to query: taking a fresh array for every step of every day would cost
 * more than the steps do.
 */
import type { Numbers } from '../store/day/column-codec.ts';

export interface Scratch {
  /** An array of `length` with unknown content. What was taken under the same name before is overwritten. */
  take(name: string, length: number): Uint32Array;
  /** As `take`, filled with zeros. */
  zeros(name: string, length: number): Uint32Array;
  /** As `take`, of bytes. */
  bytes(name: string, length: number): Uint8Array;
  /**
   * The values of a column as 32-bit integers. Columns are stored as narrow as their values; loops that met all widths would
   * be compiled for none of them, and widening costs a tenth of a nanosecond a value.
   */
  widen(name: string, values: Numbers): Uint32Array;
  /** The numbers from 0 to below `length`; not to be written to. */
  identity(length: number): Uint32Array;
  /** Lets go of everything when it is more than a number of bytes: one enormous day should not be paid for ever after. */
  trim(bytesMax: number): void;
}

export const createScratch = (): Scratch => {
  const buffers = new Map<string, ArrayBuffer>();
  const buffer = (name: string, bytes: number): ArrayBuffer => {
    let found = buffers.get(name);
    if (found === undefined || found.byteLength < bytes) {
      found = new ArrayBuffer(4 * Math.ceil((bytes * 1.25) / 4));
      buffers.set(name, found);
    }
    return found;
  };
  let numbers = new Uint32Array(0);
  const take = (name: string, length: number): Uint32Array => new Uint32Array(buffer(name, 4 * length), 0, length);
  return {
    take,
    zeros: (name, length) => take(name, length).fill(0),
    bytes: (name, length) => new Uint8Array(buffer(name, length), 0, length),
    widen(name, values) {
      if (values instanceof Uint32Array) return values;
      const wide = take(name, values.length);
      wide.set(values);
      return wide;
    },
    identity(length) {
      if (numbers.length < length) {
        numbers = new Uint32Array(Math.ceil(length * 1.25));
        for (let i = 0; i < numbers.length; i++) numbers[i] = i;
      }
      return numbers.subarray(0, length);
    },
    trim(bytesMax) {
      const bytes = [...buffers.values(), numbers].reduce((sum, { byteLength }) => sum + byteLength, 0);
      if (bytes <= bytesMax) return;
      buffers.clear();
      numbers = new Uint32Array(0);
    },
  };
};
