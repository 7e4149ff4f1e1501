/** Look-ups among ascending numbers. */

/**
 * Position of the first value that is not below `bound`; the number of values when all are below.
 */
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

/** Position of a value among values that differ, or -1. */
export const positionAmong = (values: ArrayLike<number>, value: number): number => {
  const position = firstAtLeast(values, value);
  return values[position] === value ? position : -1;
};
