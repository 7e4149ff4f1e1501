/** Which rows pass conditions on their codes: loops over one table each. */
import type { Day } from '../../store/day/day.ts';
import { maskedRowsPassing } from '../../store/day/mask.ts';
import { isPacked, type Numbers, type Packed } from '../../store/day/packed.ts';
import { unpackStored } from '../../store/day/unpack.ts';
import type { Scratch } from '../scratch.ts';
import type { DayIndex } from './day-index.ts';
import { gatherTo } from './lists.ts';
import { widen, widenRows } from './widen.ts';

/** A condition on rows as a table over the codes of a column: rows whose code has a 1 pass. */
export interface Condition {
  /** The code of each row. */
  values: Numbers | Packed;
  pass: Uint8Array;
}

/** A condition on visits, or on hits. */
export interface LevelCondition extends Condition {
  level: 'visit' | 'hit';
}

/** Makes the condition that a filter is on one day, good for as long as `scratch`. */
export type DayFilter = (day: Day, index: DayIndex, scratch: Scratch) => LevelCondition;

/** Some rows, and what was learned of them while they were found. */
export interface Found {
  /** Ascending; null when they are all. */
  rows: Uint32Array | null;
  known: readonly Known[];
}

interface Known {
  values: Numbers | Packed;
  /** The codes of the rows. */
  codes: Uint32Array;
}

/** What is found before any condition. */
export const allRows: Found = { rows: null, known: [] };

/** Passes codes of 1 and not of 0. */
export const isOne = Uint8Array.of(0, 1);

/**
 * Of what was found, the rows that pass all conditions. The condition that leaves the fewest rows
 * to look at comes first.
 */
export const filterRows = (found: Found, conditions: readonly Condition[], scratch: Scratch): Found =>
  [...conditions]
    .sort((a, b) => rowsLeft(a) - rowsLeft(b))
    .reduce((left, condition) => passing(left, condition, scratch), found);

/** How many rows a condition leaves at most. */
const rowsLeft = (condition: Condition): number => maskedIn(condition)?.stored ?? condition.values.length;

type Masked = Packed & { mask: Uint32Array };
/** Where the value that the mask leaves out does not pass, only the other rows need a look. */
const maskedIn = ({ values, pass }: Condition): Masked | null =>
  isPacked(values) && values.mask !== null && pass[values.base] === 0 ? (values as Masked) : null;

const passing = (found: Found, condition: Condition, scratch: Scratch): Found => {
  const { values, pass } = condition;
  if (found.rows !== null) {
    const isKnown = found.known.some(of => of.values === values);
    const codes = codesOf(found, values, scratch);
    const learned = isKnown ? found : { rows: found.rows, known: [...found.known, { values, codes }] };
    return keepPassing(learned, codes, pass, scratch);
  }
  const masked = maskedIn(condition);
  if (masked !== null) return passingBehindMask(masked, pass, scratch);
  return scratch.within(inner => keepPassing(found, widen(values, inner), pass, scratch));
};

const passingBehindMask = (values: Masked, pass: Uint8Array, scratch: Scratch): Found => {
  const codes = unpackStored(values, scratch.take(values.stored));
  const rows = scratch.take(values.stored);
  const count = maskedRowsPassing(values.mask, codes, pass, rows);
  return { rows: rows.subarray(0, count), known: [{ values, codes: codes.subarray(0, count) }] };
};

/** The codes of what was found, by position. `wide` gives the whole column. Do not write to it. */
export const codesOf = (
  { rows, known }: Found,
  values: Numbers | Packed,
  scratch: Scratch,
  wide: (scratch: Scratch) => Uint32Array = inner => widen(values, inner),
): Uint32Array => {
  if (rows === null) return wide(scratch);
  return known.find(of => of.values === values)?.codes ?? widenRows(values, rows, scratch, wide);
};

/** Of what was found, the rows that pass by the codes at their positions. */
export const keepPassing = (found: Found, codes: Uint32Array, pass: Uint8Array, scratch: Scratch): Found => {
  const { rows, known } = found;
  return scratch.within(inner => {
    const room = (rows === null ? scratch : inner).take(codes.length);
    const kept = room.subarray(0, rowsPassing(codes, pass, room));
    if (kept.length === codes.length) return found;
    if (rows === null) return { rows: kept, known };
    const keep = (list: Uint32Array): Uint32Array => gatherTo(list, kept, scratch.take(kept.length));
    return { rows: keep(rows), known: known.map(({ values, codes }) => ({ values, codes: keep(codes) })) };
  });
};

/** Puts the rows whose code has a 1 in `pass` into `rows`, and returns their number. */
export const rowsPassing = (codes: Uint32Array, pass: Uint8Array, rows: Uint32Array): number => {
  let count = 0;
  for (let row = 0; row < codes.length; row++) {
    rows[count] = row;
    count += pass[codes[row]!]!;
  }
  return count;
};
