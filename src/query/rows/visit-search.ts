/**
 * The search over visits (`q`; docs/api.md, "CSV export"): a text that is part of one of a visit's
 * attributes or of its visitor's id. Case makes no difference. Paths are compared as they are
 * stored, and as people read them.
 */
import { searchedFields } from '../../model/visit-fields.ts';
import type { Day } from '../../store/day/day.ts';
import type { QueryContext } from '../context.ts';
import { type Selection, visitCodes } from '../scan/selection.ts';
import { testTexts } from '../scan/text-test.ts';
import type { Scratch } from '../scratch.ts';

/** Clears the flags of selected visits that do not match. */
export type Search = (selection: Selection, flags: Uint32Array, scratch: Scratch) => void;

/** Tests a dictionary entry once per day. Visits only look codes up. */
export const prepareSearch = (search: string, context: QueryContext): Search => {
  const wanted = search.toLowerCase();
  const test = testTexts({ operator: 'contains', values: [search] }, context);
  // What is stored of a path is ASCII alone.
  const read = /[^\p{ASCII}]/u.test(search)
    ? testTexts({ operator: 'contains', values: [search], isRead: true }, context)
    : test;
  const patterns = /^[0-9a-f]{1,16}$/.test(wanted) ? patternsOf(wanted) : [];
  return (selection, flags, scratch) => {
    const found = scratch.zeros(flags.length);
    for (const name of searchedFields) {
      const pass = (name.endsWith('Path') ? read : test)(selection.day.dictionary(name));
      if (pass.includes(1))
        scratch.within(inner => mark(found, visitCodes(selection, selection.day.keptCodes(name), inner), pass));
    }
    if (patterns.length > 0) markVisitors(found, selection.day, selection.visits(), patterns);
    for (let i = 0; i < flags.length; i++) flags[i]! &= found[i]!;
  };
};

const mark = (found: Uint32Array, codes: Uint32Array, pass: Uint8Array): void => {
  for (let i = 0; i < found.length; i++) found[i]! |= pass[codes[i]!]!;
};

/** Some hex digits at one position in a visitor's 16, as bits of the two halves of its hash. */
interface Pattern {
  lowMask: number;
  low: number;
  highMask: number;
  high: number;
}

/**
 * The digits at every position that they could have. Comparing bits is fast; to write out every
 * visitor's digits takes seconds.
 */
const patternsOf = (digits: string): Pattern[] =>
  Array.from({ length: 17 - digits.length }, (_, position) => {
    const shift = BigInt(4 * position);
    const bits = BigInt(`0x${digits}`) << shift;
    const mask = ((1n << BigInt(4 * digits.length)) - 1n) << shift;
    const half = (value: bigint, from: bigint): number => Number(BigInt.asIntN(32, value >> from));
    return { lowMask: half(mask, 0n), low: half(bits, 0n), highMask: half(mask, 32n), high: half(bits, 32n) };
  });

const markVisitors = (found: Uint32Array, day: Day, visits: Uint32Array, patterns: readonly Pattern[]): void => {
  const hashes = day.hashes();
  const words = new Int32Array(hashes.buffer, hashes.byteOffset, 2 * hashes.length);
  for (let i = 0; i < found.length; i++) {
    if (found[i] === 1) continue;
    const lowWord = words[2 * visits[i]!]!;
    const highWord = words[2 * visits[i]! + 1]!;
    for (let p = 0; p < patterns.length; p++) {
      const { lowMask, low, highMask, high } = patterns[p]!;
      if ((lowWord & lowMask) !== low || (highWord & highMask) !== high) continue;
      found[i] = 1;
      break;
    }
  }
};
