/** Lists of numbers: joining, gathering, summing, and sharing between threads. */

/** The numbers of some lists, one list after the other. */
export const concat = (lists: readonly (Float64Array | Uint32Array)[]): Float64Array => {
  const all = new Float64Array(lists.reduce((length, list) => length + list.length, 0));
  let at = 0;
  for (const list of lists) {
    all.set(list, at);
    at += list.length;
  }
  return all;
};

/** Puts the values of some rows, in their order, into `to`, which may be `rows` itself. */
export const gatherTo = (values: Uint32Array, rows: Uint32Array, to: Uint32Array): Uint32Array => {
  for (let i = 0; i < rows.length; i++) to[i] = values[rows[i]!]!;
  return to;
};

/** As `gatherTo`, from bytes. */
export const gatherBytes = (values: Uint8Array, rows: Uint32Array, to: Uint32Array): Uint32Array => {
  for (let i = 0; i < rows.length; i++) to[i] = values[rows[i]!]!;
  return to;
};

/** As `gatherTo`, from 16 bits each. */
export const gatherPairs = (values: Uint16Array, rows: Uint32Array, to: Uint32Array): Uint32Array => {
  for (let i = 0; i < rows.length; i++) to[i] = values[rows[i]!]!;
  return to;
};

/**
 * The first number from one up to, and without, another of which something holds; else the other.
 * It holds of all that are behind.
 */
export const firstWhere = (from: number, to: number, holds: (at: number) => boolean): number => {
  let [low, high] = [from, to];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
};

/** Adds to the counts of values how often each occurs. */
export const countValues = (values: Uint32Array, counts: Uint32Array): Uint32Array => {
  for (let i = 0; i < values.length; i++) counts[values[i]!]!++;
  return counts;
};

/** Puts the positions of the values that are not 0 into `positions`, and returns their number. */
export const positionsOfNonzero = (values: Uint32Array, positions: Uint32Array): number => {
  let count = 0;
  for (let position = 0; position < values.length; position++) {
    positions[count] = position;
    count += values[position] === 0 ? 0 : 1;
  }
  return count;
};

/** 1 in `flags` for each of some rows, and 0 for all others. */
export const flagged = (rows: Uint32Array, flags: Uint8Array): Uint8Array => {
  flags.fill(0);
  for (let i = 0; i < rows.length; i++) flags[rows[i]!] = 1;
  return flags;
};

/** The least `2 ** n - 1` that no value exceeds: a third of the work of finding the largest. */
export const boundOf = (values: Uint32Array): number => {
  let bits = 0;
  for (let i = values.length & ~3; i < values.length; i++) bits |= values[i]!;
  for (let i = 0; i + 4 <= values.length; i += 4) bits |= values[i]! | values[i + 1]! | values[i + 2]! | values[i + 3]!;
  return bits === 0 ? 0 : 2 ** (32 - Math.clz32(bits)) - 1;
};

/** Adds values to the sums from the position `first` on. */
export const addAt = (sums: Uint32Array, values: Uint32Array, first: number): void => {
  for (let i = 0; i < values.length; i++) sums[first + i]! += values[i]!;
};

/** The sum of some values. */
export const sumOf = (values: Uint32Array): number => {
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += values[i]!;
  return sum;
};

/** The sum of what each of some items counts. */
export const sumBy = <T>(items: readonly T[], count: (item: T) => number): number =>
  items.reduce((sum, item) => sum + count(item), 0);

/** Zeros in memory that threads share, so that a large list is not copied when it is sent. */
export const sharedWords = (length: number): Uint32Array => new Uint32Array(new SharedArrayBuffer(4 * length));

export const sharedCopy = (words: Uint32Array): Uint32Array => {
  const copy = sharedWords(words.length);
  copy.set(words);
  return copy;
};
