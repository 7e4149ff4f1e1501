/**
 * Visitors of cookie mode live longer than a day, and a range must count each of them once. The sum
 * of the days' counts is too large by the duplicates: visitors whom the same count has from an
 * earlier day already (find-duplicates.ts).
 */

/** Visitors of one day and the groups that they belong to. */
export interface PersistentVisitors {
  /** Ascending. Two words per visitor: the low and the high half of its hash. */
  hashes: Uint32Array;
  /**
   * Visitor by visitor, at least one for each and none twice. The first of each visitor is marked.
   */
  groups: Uint32Array;
}

/** Marks the first group of a visitor. Groups are below it. */
export const firstOfVisitor = 0x8000_0000;

/**
 * A day's visitors, and the position of each group in the counts. A group that is not counted has
 * the position behind the last.
 */
export interface Appearances {
  persistent: PersistentVisitors | null;
  positionOf: Uint32Array;
}

/**
 * Visitors of some days, and by position the sum of the days' counts, until the duplicates are
 * taken from it.
 */
export interface DailyVisitors {
  days: readonly Appearances[];
  counts: Uint32Array;
}

/** Position of the one group, 0. */
const onlyPosition = Uint32Array.of(0);

/**
 * All visitors of days that count them as one group, 0 (as `tallyVisitors` does). There is one
 * count.
 */
export const allVisitors = (
  days: readonly { visitors: number; persistent: PersistentVisitors | null }[],
): DailyVisitors => ({
  days: days.map(({ persistent }) => ({ persistent, positionOf: onlyPosition })),
  counts: Uint32Array.of(days.reduce((sum, { visitors }) => sum + visitors, 0)),
});

/** Whether a visitor may have come on two days. */
export const mayHaveDuplicates = ({ days }: DailyVisitors): boolean =>
  days.filter(({ persistent }) => persistent !== null).length > 1;

/** How much there is to search. */
export const groupsListed = ({ days }: DailyVisitors): number =>
  days.reduce((sum, { persistent }) => sum + (persistent?.groups.length ?? 0), 0);

/** Bytes of the lists, some of which share their hashes. */
export const bytesListed = (visitors: readonly DailyVisitors[]): number => {
  const lists = visitors.flatMap(({ days }) => days.flatMap(({ persistent }) => persistent ?? []));
  const arrays = new Set(lists.flatMap(({ hashes, groups }) => [hashes, groups]));
  return [...arrays].reduce((sum, { byteLength }) => sum + byteLength, 0);
};

/** Takes the duplicates of a part from the counts. */
export const subtractDuplicates = (counts: Uint32Array, duplicates: Uint32Array): void => {
  for (let position = 0; position < counts.length; position++) counts[position]! -= duplicates[position]!;
};
