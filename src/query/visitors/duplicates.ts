/**
 * Finds who came on several days. The days' visitors are walked side by side, a piece of the hashes at a time: those that begin with the same
 * bits, so few that what is known of them stays in the processor's cache. They are sorted by hash, so a piece is a contiguous part of each day. In each
 * piece visitors are given numbers first, once for all counts that are about the same visitors, as those of all dimensions are: a number is
 * looked up sooner than a hash.
 */
import { type DailyVisitors, groupsListed, type Part, type PersistentVisitors } from './daily-visitors.ts';
import { createNumbering, createSeen, endOfGroups, type GroupsOfDay, type VisitorsOfDay } from './duplicate-counter.ts';

/** By list of visitors, and then by place; behind the last, what is not counted. */
export type Duplicates = Uint32Array[];

/** Visitors in one piece, about, each as often as there are days that it came on. With some groups each, tables of a few hundred KB are enough for them. */
const pieceSize = 4096;
/** After so many groups, a millisecond's work or less, others have their turn. */
const turnSize = 100_000;
/** To walk past a piece of a part before takes less than a tenth as long as to look through it. */
const skipsPerLook = 10;

/** The repeats among the visitors of a part. Yields between turns. */
export function* findDuplicates(visitors: readonly DailyVisitors[], part: Part): Generator<void, Duplicates> {
  const counted = visitors.map(some => ({ ...some, repeats: new Uint32Array(some.counts.length + 1) }));
  for (const crowd of crowdsOf(counted)) yield* lookThrough(crowd, part);
  return counted.map(({ repeats }) => repeats);
}

/** Visitors by day, and all that is counted of them. */
interface Crowd {
  days: VisitorsOfDay[];
  counts: { days: GroupsOfDay[]; groups: number; repeats: Uint32Array }[];
}

/** One crowd for all that have the very same lists of hashes. */
const crowdsOf = (visitors: readonly (DailyVisitors & { repeats: Uint32Array })[]): Crowd[] => {
  const numbers = new Map<Uint32Array, number>();
  const numberOf = ({ hashes }: PersistentVisitors): number => {
    const known = numbers.get(hashes) ?? numbers.size;
    numbers.set(hashes, known);
    return known;
  };
  const crowds = new Map<string, Crowd>();
  for (const some of visitors) {
    const listed = some.days.flatMap(({ persistent, placeOf }) =>
      persistent === null ? [] : { ...persistent, placeOf },
    );
    const key = listed.map(numberOf).join();
    const crowd = crowds.get(key) ?? {
      days: listed.map(({ hashes }) => ({ hashes, from: 0, to: 0, at: 0 })),
      counts: [],
    };
    crowds.set(key, crowd);
    crowd.counts.push({
      days: listed.map(({ groups, placeOf }, i) => ({ groups, placeOf, visitors: crowd.days[i]!, from: 0 })),
      groups: groupsListed(some),
      repeats: some.repeats,
    });
  }
  return [...crowds.values()];
};

function* lookThrough(crowd: Crowd, { number, of }: Part): Generator<void, void> {
  const visitors = crowd.days.reduce((sum, { hashes }) => sum + hashes.length / 2, 0);
  const groups = crowd.counts.reduce((sum, count) => sum + count.groups, 0);
  const pieces = Math.max(1, Math.ceil(visitors / of / pieceSize));
  const piecesInTurn = Math.ceil((turnSize * of * pieces) / Math.max(groups, 1));
  /** Where a piece begins, of those of all parts: as one fraction, so that a part ends at the very number at which the next begins. */
  const edge = (piece: number): number => (2 ** 32 * piece) / (of * pieces);
  const skipped = skipsPerLook * piecesInTurn;
  const [first, last] = [number * pieces, (number + 1) * pieces];
  const numbering = createNumbering();
  const seen = createSeen();
  for (let piece = skipped; piece < first; piece += skipped) {
    skip(crowd, edge(piece));
    yield;
  }
  skip(crowd, edge(first));
  for (let piece = first + 1; piece <= last; piece++) {
    advance(crowd.days, edge(piece));
    const numbered = numbering.number(crowd.days);
    for (const { days, groups, repeats } of crowd.counts) seen.see(days, numbered, groups / visitors, repeats);
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
