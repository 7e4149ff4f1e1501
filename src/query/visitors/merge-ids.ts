/** The ids of all days' contributions, each once, and the place of each one's sums. */

export interface MergedIds {
  /** Ascending. */
  ids: Uint32Array;
  /** Place of each id among `ids`; for an id that is not among them, their number. */
  placeOf: Uint32Array;
}

/** `lists` hold ascending ids. Ids are dense, so a table over them is small. */
export const mergeIds = (lists: readonly Uint32Array[]): MergedIds => {
  const most = lists.reduce((most, ids) => Math.max(most, ids[ids.length - 1] ?? 0), 0);
  const placeOf = new Uint32Array(most + 1);
  for (const ids of lists) {
    for (let i = 0; i < ids.length; i++) placeOf[ids[i]!] = 1;
  }
  const merged = new Uint32Array(placeOf.length);
  let count = 0;
  for (let id = 0; id <= most; id++) if (placeOf[id] === 1) merged[count++] = id;
  placeOf.fill(count);
  for (let place = 0; place < count; place++) placeOf[merged[place]!] = place;
  return { ids: merged.slice(0, count), placeOf };
};

/** Adds values to the sums at the places of the `ids` they belong to. */
export const addTo = (sums: Uint32Array, { placeOf }: MergedIds, ids: Uint32Array, values: Uint32Array): void => {
  for (let i = 0; i < ids.length; i++) sums[placeOf[ids[i]!]!]! += values[i]!;
};

/** Adds values to the sums from the place `first` on. */
export const addAt = (sums: Uint32Array, values: Uint32Array, first: number): void => {
  for (let i = 0; i < values.length; i++) sums[first + i]! += values[i]!;
};
