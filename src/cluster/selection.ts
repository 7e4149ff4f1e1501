/** A slice as conditions on rows of its source, and its buckets. */
import { dayMs } from '../model/time.ts';
import type { Slice } from '../query/query.ts';
import { conditionOf } from './conditions.ts';
import type { RowSource } from './source.ts';
import { all } from './sql.ts';

/** All days that the slice has a part of, and what it selects of them. */
export interface RowSelection extends RowSource {
  /** The selected hits. */
  hits: string;
  /** All hits of the visits with a selected one. */
  visits: string;
}

/** The first and the last UTC day that a slice has a part of. */
export const daysIn = ({ from, to }: Slice): [first: number, last: number] => [
  inRange(Math.floor(from / dayMs)),
  inRange(Math.floor((to - 1) / dayMs)),
];

/** `source` has the days of the slice. */
export const selectionOf = ({ from, to, filters }: Slice, source: RowSource): RowSelection => {
  const { table, days } = source;
  const hits = all([days, `at >= ${from}`, `at < ${to}`, conditionOf(filters, source)]);
  if (hits === '0') return { ...source, hits: noHits, visits: noHits };
  return { ...source, hits, visits: all([days, `visit in (select visit from ${table} where ${hits})`]) };
};

/**
 * No site has the number 0, so nothing is read. Not a constant: where that is all there is, 18.16
 * forgets the columns that lambdas name (`bucketOf`).
 */
const noHits = 'site = 0 and at < 0';

/** ClickHouse's days are numbers of 16 bits. */
const lastDay = 65_535;
const inRange = (day: number): number => Math.min(Math.max(day, 0), lastDay);

/**
 * The number of the bucket that a hit lies in: by division where buckets are as long as each other,
 * in a few pieces where summer time begins or ends.
 */
export const bucketOf = (bounds: readonly number[]): string => {
  const pieces: { from: number; first: number; step: number }[] = [];
  for (let i = 0; i + 1 < bounds.length; i++) {
    const step = bounds[i + 1]! - bounds[i]!;
    if (pieces.at(-1)?.step !== step) pieces.push({ from: bounds[i]!, first: i, step });
  }
  if (pieces.length > piecesMax)
    return `toUInt32(arrayCount(b -> b <= at, [${bounds.slice(0, -1).map(asTime).join(', ')}]) - 1)`;
  const number = ({ from, first, step }: (typeof pieces)[number]): string =>
    `toUInt32(${first} + intDiv(at - ${from}, ${step}))`;
  const cases = pieces.slice(0, -1).map((piece, i) => `at < ${pieces[i + 1]!.from}, ${number(piece)}`);
  return cases.length === 0 ? number(pieces[0]!) : `multiIf(${cases.join(', ')}, ${number(pieces.at(-1)!)})`;
};
const piecesMax = 6;
const asTime = (at: number): string => `toInt64(${at})`;
