/** Looking things up among ascending numbers. */

/** Place of the first of the values that is not below `bound`; their number when all are. */
export const firstAtLeast = (values: ArrayLike<number>, bound: number): number => {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (values[middle]! < bound) low = middle + 1;
    else high = middle;
  }
  return low;
};

/** Place of a value among values that differ, or -1. */
export const placeAmong = (values: ArrayLike<number>, value: number): number => {
  const place = firstAtLeast(values, value);
  return values[place] === value ? place : -1;
};
