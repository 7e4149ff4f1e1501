/** Lists of row numbers, and moving values by row numbers and positions. */

/** Row numbers from one up to, and without, another. */
export const rowsBetween = (from: number, to: number): Uint32Array => {
  const rows = new Uint32Array(to - from);
  for (let i = 0; i < rows.length; i++) rows[i] = from + i;
  return rows;
};

/**
 * Those of the rows whose value, by row, passes a test. Uint32Array's own `filter` takes several
 * times as long.
 */
export const rowsWhere = (
  rows: Uint32Array,
  values: Uint8Array | Uint32Array | Float64Array,
  test: (value: number) => boolean,
): Uint32Array => {
  const passed = new Uint32Array(rows.length);
  let count = 0;
  for (const row of rows) if (test(values[row]!)) passed[count++] = row;
  return passed.slice(0, count);
};

/** All parts, one behind the other. */
export const joined = (parts: readonly Uint32Array[]): Uint32Array => {
  const all = new Uint32Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
};

/** The values of some rows, in their order. */
export const gather = (values: Uint8Array | Uint16Array | Uint32Array, rows: Uint32Array): Uint32Array => {
  const gathered = new Uint32Array(rows.length);
  for (let i = 0; i < rows.length; i++) gathered[i] = values[rows[i]!]!;
  return gathered;
};

export const gatherDoubles = (values: Float64Array, rows: Uint32Array): Float64Array => {
  const gathered = new Float64Array(rows.length);
  for (let i = 0; i < rows.length; i++) gathered[i] = values[rows[i]!]!;
  return gathered;
};

type Values = Uint8Array | Uint16Array | Uint32Array | Float64Array | BigUint64Array;

/**
 * Fills `into` with `values` in their order and `inserted` ones in between, at ascending positions
 * of `into`.
 */
export const mergeAt = <V extends Values>(into: V, values: V, inserted: V, positions: Uint32Array): V => {
  // All three hold numbers, or all three hold 64-bit integers.
  const [target, source, others] = [into, values, inserted] as Values[] as Uint32Array[];
  let from = 0;
  for (let i = 0; i < positions.length; i++) {
    const to = positions[i]! - i;
    copy(target!, source!, from, to, i);
    from = to;
    target![to + i] = others![i]!;
  }
  copy(target!, source!, from, source!.length, positions.length);
  return into;
};

/** Values more than that are copied at once, which costs something to begin with. */
const copiedOneByOne = 16;

const copy = (into: Uint32Array, values: Uint32Array, from: number, to: number, shift: number): void => {
  if (to - from > copiedOneByOne) into.set(values.subarray(from, to), from + shift);
  else for (let i = from; i < to; i++) into[i + shift] = values[i]!;
};
