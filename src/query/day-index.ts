/** Where each visit's hits lie and which visitor it belongs to: running sums of two columns, the same for every query. */
import type { Day } from '../store/day.ts';
import { firstAtLeast } from './ascending.ts';

export interface DayIndex {
  /** Per visit, the ordinal of its visitor within the day, from 1. */
  visitors: Uint32Array;
  /** Per visit, the number of its first hit, and one more entry: the number of hits. */
  hitsFrom: Uint32Array;
}

export const indexDay = (day: Day): DayIndex => {
  const newVisitor = day.numbers('newVisitor');
  const hits = day.numbers('hits');
  const visitors = new Uint32Array(day.visits);
  const hitsFrom = new Uint32Array(day.visits + 1);
  let visitor = 0;
  let from = 0;
  for (let visit = 0; visit < day.visits; visit++) {
    visitor += newVisitor[visit]!;
    from += hits[visit]!;
    visitors[visit] = visitor;
    hitsFrom[visit + 1] = from;
  }
  return { visitors, hitsFrom };
};

/** The visit that a hit belongs to; every visit has at least one. */
export const visitOfHit = ({ hitsFrom }: DayIndex, hit: number): number => firstAtLeast(hitsFrom, hit + 1) - 1;
