/** The rows of properties that have a key. They are together, since rows are sorted by key. */
import { positionAmong } from '../../store/day/ascending.ts';
import type { Day } from '../../store/day/day.ts';
import { lookUp } from '../../store/day/look-up.ts';
import type { Scratch } from '../scratch.ts';
import { firstWhere } from './lists.ts';

/** The rows of each key, by its text id; null where the day has none. */
export const keyRows = (day: Day): ((key: number, scratch: Scratch) => Uint32Array | null) => {
  const dictionary = day.dictionary('propertyKey');
  const codes = day.keptCodes('propertyKey');
  const codeAt = lookUp(codes);
  const firstOf = (code: number): number => firstWhere(0, codes.length, row => codeAt(row) >= code);
  return (key, scratch) => {
    const code = key === 0 ? -1 : positionAmong(dictionary, key);
    return code < 0 ? null : rowsBetween(firstOf(code), firstOf(code + 1), scratch);
  };
};

const rowsBetween = (from: number, to: number, scratch: Scratch): Uint32Array => {
  const rows = scratch.take(to - from);
  for (let i = 0; i < rows.length; i++) rows[i] = from + i;
  return rows;
};
