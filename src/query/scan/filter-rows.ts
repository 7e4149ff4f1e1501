/** Which rows pass conditions on their codes: loops over one table each. */
import { maskedRowsPassing } from '../../store/day/mask.ts';
import { isPacked, type Numbers, type Packed } from '../../store/day/packed.ts';
import { unpackStored } from '../../store/day/unpack.ts';
import { gatherTo } from './lists.ts';
import type { Scratch } from './scratch.ts';

/** A condition on rows as a table over the codes of a column: rows whose code has a 1 pass. */
export interface Condition {
  /** The code of each row. */
  values: Numbers | Packed;
  pass: Uint8Array;
}

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

/** What is found before anything was looked at. */
export const allRows: Found = { rows: null, known: [] };

/** Passes codes of 1 and not of 0. */
export const isOne = Uint8Array.of(0, 1);

/**
 * Of what was found, the rows that pass all of some conditions; one that leaves few rows to look at comes first. `name` keeps its scratch
 * apart from that of what it starts from, which stays as it is.
 */
export const filterRows = (found: Found, conditions: readonly Condition[], scratch: Scratch, name: string): Found =>
  [...conditions]
    .sort((a, b) => rowsLeft(a) - rowsLeft(b))
    .reduce((left, condition) => passing(left, condition, scratch, name), found);

/** How many rows a condition leaves at most. */
const rowsLeft = (condition: Condition): number => maskedIn(condition)?.stored ?? condition.values.length;

type Masked = Packed & { mask: Uint32Array };
/** Where null does not pass, only the rows that are not null need a look. */
const maskedIn = ({ values, pass }: Condition): Masked | null =>
  isPacked(values) && values.mask !== null && pass[0] === 0 ? (values as Masked) : null;

const passing = (found: Found, condition: Condition, scratch: Scratch, name: string): Found => {
  const masked = found.rows === null ? maskedIn(condition) : null;
  if (masked !== null) return passingBehindMask(masked, condition.pass, scratch, name);
  const { values, pass } = condition;
  const codes = codesOf(found, values, knownName(name, found.known.length), scratch);
  const isNew = found.rows !== null && found.known.every(of => of.values !== values);
  const left = isNew ? { rows: found.rows, known: [...found.known, { values, codes }] } : found;
  return keepPlaces(left, codes, pass, scratch, name);
};

const knownName = (name: string, place: number): string => `${name} known ${place}`;

const passingBehindMask = (values: Masked, pass: Uint8Array, scratch: Scratch, name: string): Found => {
  const codes = unpackStored(values, scratch.take(knownName(name, 0), values.stored));
  const rows = scratch.take(`${name} rows`, values.stored);
  const count = maskedRowsPassing(values.mask, codes, pass, rows);
  return { rows: rows.subarray(0, count), known: [{ values, codes: codes.subarray(0, count) }] };
};

/** The codes of what was found, by place. */
export const codesOf = (
  { rows, known }: Found,
  values: Numbers | Packed,
  name: string,
  scratch: Scratch,
): Uint32Array =>
  rows === null
    ? scratch.widen(name, values)
    : (known.find(of => of.values === values)?.codes ?? scratch.at(name, values, rows));

/** Of what was found, the rows that pass by the codes at their places. */
export const keepPlaces = (
  { rows, known }: Found,
  codes: Uint32Array,
  pass: Uint8Array,
  scratch: Scratch,
  name: string,
): Found => {
  const room = scratch.take(rows === null ? `${name} rows` : 'kept places', codes.length);
  const kept = room.subarray(0, rowsPassing(codes, pass, room));
  if (kept.length === codes.length) return { rows, known };
  if (rows === null) return { rows: kept, known: [] };
  const keep = (list: Uint32Array, listName: string): Uint32Array =>
    gatherTo(list, kept, scratch.take(listName, kept.length));
  return {
    rows: keep(rows, `${name} rows`),
    known: known.map(({ values, codes }, i) => ({ values, codes: keep(codes, knownName(name, i)) })),
  };
};

/** Puts the rows whose code has a 1 in `pass` into `rows`, and returns their number. */
export const rowsPassing = (codes: Uint32Array, pass: Uint8Array, rows: Uint32Array): number => {
  const fours = codes.length & ~3;
  let count = foursPassing(codes, pass, rows, fours);
  for (let row = fours; row < codes.length; row++) {
    rows[count] = row;
    count += pass[codes[row]!]!;
  }
  return count;
};

/** Of few filters many rows pass, so four are left out at once. */
const foursPassing = (codes: Uint32Array, pass: Uint8Array, rows: Uint32Array, end: number): number => {
  let count = 0;
  for (let row = 0; row < end; row += 4) {
    const first = pass[codes[row]!]!;
    const second = pass[codes[row + 1]!]!;
    const third = pass[codes[row + 2]!]!;
    const fourth = pass[codes[row + 3]!]!;
    if ((first | second | third | fourth) === 0) continue;
    rows[count] = row;
    count += first;
    rows[count] = row + 1;
    count += second;
    rows[count] = row + 2;
    count += third;
    rows[count] = row + 3;
    count += fourth;
  }
  return count;
};
