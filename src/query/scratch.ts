/**
 * Working memory that is used again from day to day and from query to query: taking a fresh array for every step of every day would cost
 * more than the steps do.
 */
import type { Numbers } from '../store/column-codec.ts';

export interface Scratch {
  /** An array of `length` with unknown content. What was taken under the same name before is overwritten. */
  take(name: string, length: number): Uint32Array;
  /** As `take`, filled with zeros. */
  zeros(name: string, length: number): Uint32Array;
  /**
   * The values of a column as 32-bit integers. Columns are stored as narrow as their values; loops that met all widths would
   * be compiled for none of them, and widening costs a tenth of a nanosecond a value.
   */
  widen(name: string, values: Numbers): Uint32Array;
}

export const createScratch = (): Scratch => {
  const arrays = new Map<string, Uint32Array>();
  const take = (name: string, length: number): Uint32Array => {
    let array = arrays.get(name);
    if (array === undefined || array.length < length) {
      array = new Uint32Array(Math.ceil(length * 1.25));
      arrays.set(name, array);
    }
    return array.subarray(0, length);
  };
  return {
    take,
    zeros: (name, length) => take(name, length).fill(0),
    widen(name, values) {
      if (values instanceof Uint32Array) return values;
      const wide = take(name, values.length);
      wide.set(values);
      return wide;
    },
  };
};
