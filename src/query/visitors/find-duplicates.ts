/**
 * Finds visitors who came on several days. It goes through the visitors of all days side by side,
 * one piece of the hashes at a time: so few that what it knows of them stays in the processor's
 * cache. Days are sorted by hash, so a piece is a contiguous part of each. In each piece it first
 * gives the visitors numbers, once for all counts of the same visitors, such as those of all
 * dimensions: a number is faster to look up than a hash.
 */
import type { Part } from '../../store/day/part.ts';
import type { ScratchPool } from '../scratch.ts';
import { type DailyVisitors, groupsListed, type PersistentVisitors } from './daily-visitors.ts';
import {
  countDuplicates,
  endOfGroups,
  numberVisitors,
  type VisitorGroups,
  type VisitorsOfDay,
} from './duplicate-counter.ts';

/** By list of visitors and position; the last position is for groups that are not counted. */
export type Duplicates = Uint32Array[];

/**
 * Visitors in one piece, about, each once per day. With some groups each, their tables take a few
 * hundred KB.
 */
const pieceSize = 4096;
/** After so many groups, at most a millisecond's work, it yields. */
const turnSize = 100_000;

/** The duplicates among the visitors of a part. Yields between turns. */
export function* findDuplicates(
  visitors: readonly DailyVisitors[],
  part: Part,
  scratchPool: ScratchPool,
): Generator<void, Duplicates> {
  const counted = visitors.map(some => ({ ...some, duplicates: new Uint32Array(some.counts.length + 1) }));
  for (const crowd of crowdsOf(counted)) yield* search(crowd, part, scratchPool);
  return counted.map(({ duplicates }) => duplicates);
}

/** Visitors by day, and all counts of them. */
interface Crowd {
  days: VisitorsOfDay[];
  counts: { days: VisitorGroups[]; groups: number; duplicates: Uint32Array }[];
}

/** One crowd for all counts that have the same lists of hashes. */
const crowdsOf = (visitors: readonly (DailyVisitors & { duplicates: Uint32Array })[]): Crowd[] => {
  const numbers = new Map<Uint32Array, number>();
  const numberOf = ({ hashes }: PersistentVisitors): number => {
    const known = numbers.get(hashes) ?? numbers.size;
    numbers.set(hashes, known);
    return known;
  };
  const crowds = new Map<string, Crowd>();
  for (const some of visitors) {
    const listed = some.days.flatMap(({ persistent, positionOf }) =>
      persistent === null ? [] : { ...persistent, positionOf },
    );
    const key = listed.map(numberOf).join();
    const crowd = crowds.get(key) ?? {
      days: listed.map(({ hashes }) => ({ hashes, from: 0, to: 0, at: 0 })),
      counts: [],
    };
    crowds.set(key, crowd);
    crowd.counts.push({
      days: listed.map(({ groups, positionOf }, i) => ({ groups, positionOf, visitors: crowd.days[i]!, from: 0 })),
      groups: groupsListed(some),
      duplicates: some.duplicates,
    });
  }
  return [...crowds.values()];
};

function* search(crowd: Crowd, { number, of }: Part, scratchPool: ScratchPool): Generator<void, void> {
  const visitors = crowd.days.reduce((sum, { hashes }) => sum + hashes.length / 2, 0);
  const groups = crowd.counts.reduce((sum, count) => sum + count.groups, 0);
  const pieces = Math.max(1, Math.ceil(visitors / of / pieceSize));
  const piecesInTurn = Math.ceil((turnSize * of * pieces) / Math.max(groups, 1));
  /**
   * Where a piece, of those of all parts, begins. One fraction for all parts: each ends exactly
   * where the next begins.
   */
  const edge = (piece: number): number => (2 ** 32 * piece) / (of * pieces);
  const [first, last] = [number * pieces, (number + 1) * pieces];
  skip(crowd, edge(first));
  for (let piece = first + 1; piece <= last; piece++) {
    advance(crowd.days, edge(piece));
    scratchPool.within(scratch => {
      const numbered = numberVisitors(crowd.days, scratch);
      for (const { days, groups, duplicates } of crowd.counts)
        scratch.within(inner => countDuplicates(days, numbered, groups / visitors, duplicates, inner));
    });
    if (piece % piecesInTurn === 0) yield;
  }
}

/** Goes on to the piece of hashes whose high halves are below `end`. */
const advance = (days: readonly VisitorsOfDay[], end: number): void => {
  let at = 0;
  for (const day of days) {
    day.at = at;
    day.from = day.to;
    day.to = visitorsBelow(day, end);
    at += day.to - day.from;
  }
};

const visitorsBelow = ({ hashes, from }: VisitorsOfDay, end: number): number => {
  let to = from;
  while (2 * to < hashes.length && hashes[2 * to + 1]! < end) to++;
  return to;
};

/** Goes on past the piece of hashes whose high halves are below `end`. */
const skip = ({ days, counts }: Crowd, end: number): void => {
  advance(days, end);
  for (const { days } of counts) for (const day of days) day.from = endOfGroups(day);
};
