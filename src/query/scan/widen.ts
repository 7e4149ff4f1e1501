/**
 * Stored values as 32-bit integers. Days keep values as narrow as they can be, and a loop that met
 * arrays of every width would be compiled for none of them. Do not write to what these functions
 * return: it may be the column as the cache keeps it.
 */
import { pick } from '../../store/day/look-up.ts';
import { isPacked, type Numbers, type Packed } from '../../store/day/packed.ts';
import { unpack } from '../../store/day/unpack.ts';
import type { Scratch } from '../scratch.ts';
import { gatherBytes, gatherPairs, gatherTo } from './lists.ts';

/** To unpack a whole column is faster than to pick more than this part of its rows. */
const pickedPartMax = 1 / 8;

/** All values of a column of integers, by row. */
export const widen = (values: Numbers | Packed, scratch: Scratch): Uint32Array => {
  if (values instanceof Uint32Array) return values;
  const to = scratch.take(values.length);
  if (isPacked(values)) return scratch.within(inner => unpack(values, to, inner.take(values.stored)));
  to.set(values);
  return to;
};

/** The same of a column that may hold doubles. */
export const wideNumbers = (values: Numbers | Packed, scratch: Scratch): Uint32Array | Float64Array =>
  values instanceof Float64Array ? values : widen(values, scratch);

/** The values of some rows, in their order. `wide` gives the whole column. */
export const widenRows = (
  values: Numbers | Packed,
  rows: Uint32Array,
  scratch: Scratch,
  wide: (scratch: Scratch) => Uint32Array = inner => widen(values, inner),
): Uint32Array => {
  const to = scratch.take(rows.length);
  if (values instanceof Uint8Array) return gatherBytes(values, rows, to);
  if (values instanceof Uint16Array) return gatherPairs(values, rows, to);
  return scratch.within(inner =>
    isPacked(values) && rows.length <= values.length * pickedPartMax
      ? pick(values, rows, to, inner.take(values.mask?.length ?? 0))
      : gatherTo(wide(inner), rows, to),
  );
};
