/** Which rows pass conditions on their codes: loops over one table each. */
import { maskedRowsPassing } from '../store/day/mask.ts';
import { isPacked, type Numbers, type Packed } from '../store/day/packed.ts';
import { unpackStored } from '../store/day/unpack.ts';
import type { Scratch } from './scratch.ts';

/** A condition ready for a loop: on visits, or on hits by place. */
export interface Test {
  /** By code, 1 for those that pass. */
  pass: Uint8Array;
  codes(): Uint32Array;
  /** The same codes as they are kept, where that is behind a mask. */
  masked: Masked | null;
}

type Masked = Packed & { mask: Uint32Array };
export const maskedIn = (values: Numbers | Packed): Masked | null =>
  isPacked(values) && values.mask !== null ? (values as Masked) : null;

/** Passes codes of 1 and not of 0. */
export const isOne = Uint8Array.of(0, 1);

/** Puts the rows that pass all of some tests into `rows`, and returns their number. */
export const passingAll = ([first, ...others]: readonly Test[], rows: Uint32Array, scratch: Scratch): number =>
  others.reduce((count, { codes, pass }) => keepPassing(rows, count, codes(), pass), passing(first!, rows, scratch));

/** Where null does not pass, only the rows that are not null need a look. */
const passing = ({ codes, pass, masked }: Test, rows: Uint32Array, scratch: Scratch): number => {
  if (masked === null || pass[0] === 1) return rowsPassing(codes(), pass, rows);
  const stored = unpackStored(masked, scratch.take('behind mask', masked.stored));
  return maskedRowsPassing(masked.mask, stored, pass, rows);
};

/** Puts the rows whose code has a 1 in `pass` into `rows`, and returns their number. Of few filters many rows pass, so four are left out at once. */
export const rowsPassing = (codes: Uint32Array, pass: Uint8Array, rows: Uint32Array): number => {
  let count = 0;
  let row = 0;
  for (; row + 3 < codes.length; row += 4) {
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
  for (; row < codes.length; row++) {
    rows[count] = row;
    count += pass[codes[row]!]!;
  }
  return count;
};

const keepPassing = (rows: Uint32Array, count: number, codes: Uint32Array, pass: Uint8Array): number => {
  let kept = 0;
  for (let i = 0; i < count; i++) {
    const row = rows[i]!;
    rows[kept] = row;
    kept += pass[codes[row]!]!;
  }
  return kept;
};
