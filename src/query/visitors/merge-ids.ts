/** The ids of all days' contributions, each once, and the position of each one's sums. */

export interface MergedIds {
  /** Ascending. */
  ids: Uint32Array;
  /** Position of each id among `ids`; for an id that is not among them, their number. */
  positionOf: Uint32Array;
}

/** `lists` hold ascending ids. Ids are dense, so a table over them is small. */
export const mergeIds = (lists: readonly Uint32Array[]): MergedIds => {
  const most = lists.reduce((most, ids) => Math.max(most, ids[ids.length - 1] ?? 0), 0);
  const positionOf = new Uint32Array(most + 1);
  for (const ids of lists) {
    for (let i = 0; i < ids.length; i++) positionOf[ids[i]!] = 1;
  }
  const merged = new Uint32Array(positionOf.length);
  let count = 0;
  for (let id = 0; id <= most; id++) if (positionOf[id] === 1) merged[count++] = id;
  const found = merged.slice(0, count);
  return { ids: found, positionOf: positionsOf(found, positionOf) };
};

/** Position of each of some ascending ids; for an id that is not among them, their number. */
export const positionsOf = (
  ids: Uint32Array,
  positionOf: Uint32Array = new Uint32Array((ids[ids.length - 1] ?? 0) + 1),
): Uint32Array => {
  positionOf.fill(ids.length);
  for (let position = 0; position < ids.length; position++) positionOf[ids[position]!] = position;
  return positionOf;
};

/** Adds values to the sums at the positions of the `ids` they belong to. */
export const addTo = (sums: Uint32Array, { positionOf }: MergedIds, ids: Uint32Array, values: Uint32Array): void => {
  for (let i = 0; i < ids.length; i++) sums[positionOf[ids[i]!]!]! += values[i]!;
};

/** Adds values to the sums from the position `first` on. */
export const addAt = (sums: Uint32Array, values: Uint32Array, first: number): void => {
  for (let i = 0; i < values.length; i++) sums[first + i]! += values[i]!;
};
