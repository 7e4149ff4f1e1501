/** Lists of numbers: joining, gathering and adding up. */

/** The numbers of some lists, one list after the other. */
export const concat = (lists: readonly Float64Array[]): Float64Array => {
  const all = new Float64Array(lists.reduce((length, list) => length + list.length, 0));
  let at = 0;
  for (const list of lists) {
    all.set(list, at);
    at += list.length;
  }
  return all;
};

export const gatherTo = (values: Uint32Array, rows: Uint32Array, to: Uint32Array): Uint32Array => {
  for (let i = 0; i < rows.length; i++) to[i] = values[rows[i]!]!;
  return to;
};

export const sumOf = (values: Uint32Array): number => {
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += values[i]!;
  return sum;
};
