/**
 * Visitors of cookie mode live longer than a day, so a range must count each of them once. The days' lists are united piece
 * by piece: a piece is the visitors whose hashes begin with the same bits, small enough that its table stays in the
 * processor's cache. Each list is sorted by hash, so a piece is a contiguous part of every list.
 */

/** Visitors of one day, each with a group it was seen in, every pair once, in ascending order of hash. */
export interface PersistentVisitors {
  /** Two words per pair: the low and the high half of the visitor's hash. */
  hashes: Uint32Array;
  groups: Uint32Array;
}

/** Pairs that one piece holds about. Its table has twice as many slots, at most: some 100 KB. */
const piecePairs = 4096;

/** Gives each group another number; pairs whose group gets null are dropped. */
export const regroup = (
  visitors: PersistentVisitors | null,
  groupOf: (group: number) => number | null,
): PersistentVisitors | null => {
  if (visitors === null) return null;
  const hashes = new Uint32Array(visitors.hashes.length);
  const groups = new Uint32Array(visitors.groups.length);
  let count = 0;
  for (let i = 0; i < groups.length; i++) {
    const group = groupOf(visitors.groups[i]!);
    if (group === null) continue;
    hashes[2 * count] = visitors.hashes[2 * i]!;
    hashes[2 * count + 1] = visitors.hashes[2 * i + 1]!;
    groups[count++] = group;
  }
  return { hashes: hashes.slice(0, 2 * count), groups: groups.slice(0, count) };
};

interface WithVisitors {
  persistent: PersistentVisitors | null;
}

/**
 * Adds to `counts`, for each group, the number of distinct visitors that any of the partials has in it; `groupOf` says what
 * a partial's group is among all groups.
 */
export const countPersistent = <P extends WithVisitors>(
  partials: readonly P[],
  counts: Uint32Array,
  groupOf: (group: number, partial: P) => number = group => group,
): void => {
  const lists = partials.flatMap(partial => {
    return regroup(partial.persistent, group => groupOf(group, partial)) ?? [];
  });
  const pairs = lists.reduce((sum, { groups }) => sum + groups.length, 0);
  const bits = Math.max(0, Math.ceil(Math.log2(pairs / piecePairs)));
  const next = new Uint32Array(lists.length);
  for (let piece = 1; piece <= 2 ** bits; piece++) {
    const end = piece * 2 ** (32 - bits);
    const parts = lists.map(({ hashes, groups }, i) => {
      const from = next[i]!;
      let to = from;
      while (to < groups.length && hashes[2 * to + 1]! < end) to++;
      next[i] = to;
      return { hashes: hashes.subarray(2 * from, 2 * to), groups: groups.subarray(from, to) };
    });
    countPiece(parts, counts);
  }
};

const countPiece = (parts: readonly PersistentVisitors[], counts: Uint32Array): void => {
  const pairs = parts.reduce((sum, { groups }) => sum + groups.length, 0);
  const slots = 2 ** Math.ceil(Math.log2(2 * pairs + 1));
  const mask = slots - 1;
  const lows = new Uint32Array(slots);
  const highs = new Uint32Array(slots);
  const inGroups = new Uint32Array(slots);
  const used = new Uint8Array(slots);
  for (const { hashes, groups } of parts) {
    for (let i = 0; i < groups.length; i++) {
      const low = hashes[2 * i]!;
      const high = hashes[2 * i + 1]!;
      const group = groups[i]!;
      let slot = (low ^ Math.imul(group + 1, 0x9e3779b1)) & mask;
      while (used[slot] === 1 && !(lows[slot] === low && highs[slot] === high && inGroups[slot] === group)) {
        slot = (slot + 1) & mask;
      }
      if (used[slot] === 1) continue;
      used[slot] = 1;
      lows[slot] = low;
      highs[slot] = high;
      inGroups[slot] = group;
      counts[group]!++;
    }
  }
};
