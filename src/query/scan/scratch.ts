/**
 * Working memory that is used again from day to day and from query to query: taking a fresh array for every step of every day would cost
 * more than the steps do.
 */
import type { Day, NumberName } from '../../store/day/day.ts';
import { pick } from '../../store/day/look-up.ts';
import { asPacked, isPacked, type Numbers, type Packed } from '../../store/day/packed.ts';
import { unpack } from '../../store/day/unpack.ts';
import { gatherTo } from './lists.ts';

/** Of more than this part of a column's rows, widening them all is faster than picking some. */
const pickedPartMax = 1 / 8;

export interface Scratch {
  /** An array of `length` with unknown content. What was taken under the same name before is overwritten. */
  take(name: string, length: number): Uint32Array;
  /** As `take`, filled with zeros. */
  zeros(name: string, length: number): Uint32Array;
  /** As `take`, of bytes. */
  bytes(name: string, length: number): Uint8Array;
  /**
   * Values as 32-bit integers, each at its place; not to be written to. They are kept as narrow as they can be; loops that met all widths
   * would be compiled for none of them. The same ones are widened once, and are good until others are widened under the name that was theirs.
   */
  widen(name: string, values: Numbers | Packed): Uint32Array;
  /** The values of some rows as 32-bit integers. Good until others are asked for under the same name. */
  at(name: string, values: Numbers | Packed, rows: Uint32Array): Uint32Array;
  /** The values of a column of integers, widened under its own name. */
  column(day: Day, name: NumberName): Uint32Array;
  /** The numbers from 0 to below `length`; not to be written to. */
  identity(length: number): Uint32Array;
  /**
   * Called after each query: forgets where columns came from, which belongs to the cache, and lets go of everything when it is more than a
   * number of bytes: one enormous day should not be paid for ever after.
   */
  trim(bytesMax: number): void;
}

/** `rest` is called before memory is handed out: every loop over a day has some, so that a long scan can rest between two. */
export const createScratch = (rest: () => void = () => {}): Scratch => {
  const buffers = new Map<string, ArrayBuffer>();
  const buffer = (name: string, bytes: number): ArrayBuffer => {
    rest();
    let found = buffers.get(name);
    if (found === undefined || found.byteLength < bytes) {
      found = new ArrayBuffer(4 * Math.ceil((bytes * 1.25) / 4));
      buffers.set(name, found);
    }
    return found;
  };
  let numbers = new Uint32Array(0);
  const take = (name: string, length: number): Uint32Array => new Uint32Array(buffer(name, 4 * length), 0, length);
  /** By name, what was widened last, and what became of it. */
  const widened = new Map<string, { from: Numbers | Packed; to: Uint32Array }>();
  const widen = (name: string, from: Numbers | Packed): Uint32Array => {
    if (from instanceof Uint32Array) return from;
    for (const known of widened.values()) if (known.from === from) return known.to;
    const to = take(`wide ${name}`, from.length);
    if (isPacked(from)) unpack(from, to, take('behind mask', from.stored));
    else to.set(from);
    widened.set(name, { from, to });
    return to;
  };
  const at = (name: string, values: Numbers | Packed, rows: Uint32Array): Uint32Array => {
    const to = take(`at ${name}`, rows.length);
    if (values instanceof Uint32Array || values instanceof Float64Array || rows.length > values.length * pickedPartMax)
      return gatherTo(widen(name, values), rows, to);
    const packed = isPacked(values) ? values : asPacked(values);
    return pick(packed, rows, to, take('bits before', packed.mask?.length ?? 0));
  };
  return {
    take,
    widen,
    at,
    column: (day, name) => widen(name, day.keptNumbers(name)),
    zeros: (name, length) => take(name, length).fill(0),
    bytes: (name, length) => new Uint8Array(buffer(name, length), 0, length),
    identity(length) {
      if (numbers.length < length) {
        numbers = new Uint32Array(Math.ceil(length * 1.25));
        for (let i = 0; i < numbers.length; i++) numbers[i] = i;
      }
      return numbers.subarray(0, length);
    },
    trim(bytesMax) {
      widened.clear();
      const bytes = [...buffers.values(), numbers].reduce((sum, { byteLength }) => sum + byteLength, 0);
      if (bytes <= bytesMax) return;
      buffers.clear();
      numbers = new Uint32Array(0);
    },
  };
};
