/**
 * Visitors of cookie mode live longer than a day, so a range must count each of them once. The sum of what was counted day by day
 * is too large by the repeats: visitors that a place saw on an earlier day already (repeats.ts).
 */

/** Visitors of one day and the groups they were seen in. */
export interface PersistentVisitors {
  /** Ascending. Two words per visitor: the low and the high half of its hash. */
  hashes: Uint32Array;
  /** Those of one visitor after the other, of each at least one and none twice; the first of each is marked. */
  groups: Uint32Array;
}

/** Marks the first group of a visitor. Groups are below it. */
export const firstOfVisitor = 0x8000_0000;

/** A day's visitors, and the place in the counts of each group: for one that is not counted, the place behind the last. */
export interface Appearances {
  persistent: PersistentVisitors | null;
  placeOf: Uint32Array;
}

/** Visitors of some days, and by place the sum of what the days count, until the repeats are taken from it. */
export interface DailyVisitors {
  days: readonly Appearances[];
  counts: Uint32Array;
}

/** One of some equal parts of all hashes; they are numbered from 0. Nobody is in two of them, so each is looked through by itself. */
export interface Part {
  number: number;
  of: number;
}

/** Whether anybody may have come on two days. */
export const mayHaveDuplicates = ({ days }: DailyVisitors): boolean =>
  days.filter(({ persistent }) => persistent !== null).length > 1;

/** How much there is to look through. */
export const groupsListed = ({ days }: DailyVisitors): number =>
  days.reduce((sum, { persistent }) => sum + (persistent?.groups.length ?? 0), 0);

/** What the lists take; several may be about the same hashes. */
export const bytesListed = (visitors: readonly DailyVisitors[]): number => {
  const lists = visitors.flatMap(({ days }) => days.flatMap(({ persistent }) => persistent ?? []));
  const arrays = new Set(lists.flatMap(({ hashes, groups }) => [hashes, groups]));
  return [...arrays].reduce((sum, { byteLength }) => sum + byteLength, 0);
};

/** Takes the repeats of a part from the counts. */
export const subtractDuplicates = (counts: Uint32Array, repeats: Uint32Array): void => {
  for (let place = 0; place < counts.length; place++) counts[place]! -= repeats[place]!;
};
