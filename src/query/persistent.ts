/**
 * Visitors of cookie mode live longer than a day, so a range must count each of them once. The sum of what was counted day by day
 * is too large by the repeats: visitors that a place saw on an earlier day already. They are found with a set of what was
 * seen, visitor and place, which is filled piece by piece: a piece is the visitors whose hashes begin with the same bits, so few
 * that the set stays in the processor's cache. Lists are sorted by hash, so a piece is a contiguous part of each of them.
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
export const mayRepeat = ({ days }: DailyVisitors): boolean =>
  days.filter(({ persistent }) => persistent !== null).length > 1;

/** How much there is to look through. */
export const groupsListed = ({ days }: DailyVisitors): number =>
  days.reduce((sum, { persistent }) => sum + (persistent?.groups.length ?? 0), 0);

/** Groups in one piece, about. Its set takes some 400 KB. */
const pieceSize = 8192;

/** By place, the repeats among the visitors of a part. `checkpoint` is called again and again and may throw to end the work. */
export const repeatsIn = (
  { days, counts }: DailyVisitors,
  { number, of }: Part,
  checkpoint: () => void,
): Uint32Array => {
  const walks = days.flatMap(({ persistent, placeOf }) => (persistent === null ? [] : [walkOf(persistent, placeOf)]));
  const pieces = Math.max(1, Math.ceil(total(walks, ({ groups }) => groups.length) / of / pieceSize));
  /** Where a piece begins, from 0: as one fraction, so that a part ends at the very number at which the next begins. */
  const edge = (piece: number): number => (2 ** 32 * (number * pieces + piece)) / (of * pieces);
  for (const walk of walks) advance(walk, edge(0));
  const repeats = new Uint32Array(counts.length + 1);
  let seen = new Uint32Array(0);
  for (let piece = 1; piece <= pieces; piece++) {
    checkpoint();
    for (const walk of walks) advance(walk, edge(piece));
    const size = total(walks, ({ group, groupTo }) => groupTo - group);
    if (seen.length < 2 * size * entryWords) seen = new Uint32Array(2 ** Math.ceil(Math.log2(4 * size)) * entryWords);
    for (const walk of walks) see(walk, seen, piece, repeats);
  }
  return repeats;
};

/** Takes the repeats of a part from the counts. */
export const takeRepeats = (counts: Uint32Array, repeats: Uint32Array): void => {
  for (let place = 0; place < counts.length; place++) counts[place]! -= repeats[place]!;
};

/** A list that is walked, and the part of it that lies in the piece: where its visitors and their groups begin and end. */
interface Walk extends PersistentVisitors {
  placeOf: Uint32Array;
  visitor: number;
  visitorTo: number;
  group: number;
  groupTo: number;
}

const walkOf = (persistent: PersistentVisitors, placeOf: Uint32Array): Walk => ({
  ...persistent,
  placeOf,
  visitor: 0,
  visitorTo: 0,
  group: 0,
  groupTo: 0,
});

const total = (walks: readonly Walk[], of: (walk: Walk) => number): number =>
  walks.reduce((sum, walk) => sum + of(walk), 0);

/** Goes on to the piece of hashes whose high halves are below `end`. */
const advance = (walk: Walk, end: number): void => {
  walk.visitor = walk.visitorTo;
  walk.group = walk.groupTo;
  walk.visitorTo = visitorsBelow(walk, end);
  walk.groupTo = groupsOfVisitors(walk);
};

const visitorsBelow = ({ hashes, visitor }: Walk, end: number): number => {
  let to = visitor;
  while (2 * to < hashes.length && hashes[2 * to + 1]! < end) to++;
  return to;
};

const groupsOfVisitors = ({ groups, group, visitor, visitorTo }: Walk): number => {
  let to = group;
  let begun = visitor;
  while (to < groups.length) {
    begun += groups[to]! >>> 31;
    if (begun > visitorTo) break;
    to++;
  }
  return to;
};

/** An entry of the set: both halves of the visitor's hash, the place, and the piece, since earlier pieces leave theirs behind. */
const entryWords = 4;

/** Enters a list's part of a piece into the set, a hash table with open addressing, and counts by place what was there already. */
const see = (walk: Walk, seen: Uint32Array, piece: number, repeats: Uint32Array): void => {
  const { hashes, groups, placeOf, groupTo } = walk;
  const lastEntry = seen.length - entryWords;
  let visitor = walk.visitor - 1;
  for (let i = walk.group; i < groupTo; i++) {
    visitor += groups[i]! >>> 31;
    const low = hashes[2 * visitor]!;
    const high = hashes[2 * visitor + 1]!;
    const place = placeOf[groups[i]! & ~firstOfVisitor]!;
    let at = Math.imul(low ^ Math.imul(place, 0x9e3779b1), entryWords) & lastEntry;
    while (seen[at + 3] === piece && (seen[at] !== low || seen[at + 1] !== high || seen[at + 2] !== place))
      at = (at + entryWords) & lastEntry;
    if (seen[at + 3] === piece) {
      repeats[place]!++;
      continue;
    }
    seen[at] = low;
    seen[at + 1] = high;
    seen[at + 2] = place;
    seen[at + 3] = piece;
  }
};
