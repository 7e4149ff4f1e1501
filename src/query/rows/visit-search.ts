/** The search over visits (`q`; docs/api.md, "CSV export"): a text that is part of one of a visit's attributes or of its visitor's id, case aside. */
import { searchedFields } from '../../model/visit-fields.ts';
import { rememberById } from '../remember.ts';
import type { PlanContext } from '../reports/plan.ts';
import { visitCodes } from '../scan/selected-values.ts';
import type { Selection } from '../scan/selection.ts';

/** Clears the flags of selected visits that are not found. */
export type Search = (selection: Selection, flags: Uint32Array) => void;

/** Each text is looked at once per query, each dictionary entry once per day, and visits only look codes up. */
export const prepareSearch = (search: string, { text }: PlanContext): Search => {
  const wanted = search.toLowerCase();
  const matches = rememberById(id => (text(id)?.toLowerCase().includes(wanted) ? 1 : 0));
  const patterns = /^[0-9a-f]{1,16}$/.test(wanted) ? patternsOf(wanted) : [];
  return (selection, flags) => {
    const found = selection.scratch.zeros('found', flags.length);
    for (const name of searchedFields) {
      const dictionary = selection.day.dictionary(name);
      const pass = new Uint8Array(dictionary.length);
      for (let code = 1; code < pass.length; code++) pass[code] = matches(dictionary[code]!);
      if (pass.includes(1)) mark(found, visitCodes(selection, name), pass);
    }
    if (patterns.length > 0) markVisitors(found, selection, patterns);
    for (let i = 0; i < flags.length; i++) flags[i]! &= found[i]!;
  };
};

const mark = (found: Uint32Array, codes: Uint32Array, pass: Uint8Array): void => {
  for (let i = 0; i < found.length; i++) found[i]! |= pass[codes[i]!]!;
};

/** Some hex digits at one place within a visitor's 16, as bits of the two halves of its hash. */
interface Pattern {
  lowMask: number;
  low: number;
  highMask: number;
  high: number;
}

/** The digits at every place where they could stand: comparing bits, since writing out every visitor's digits takes seconds. */
const patternsOf = (digits: string): Pattern[] =>
  Array.from({ length: 17 - digits.length }, (_, place) => {
    const shift = BigInt(4 * place);
    const bits = BigInt(`0x${digits}`) << shift;
    const mask = ((1n << BigInt(4 * digits.length)) - 1n) << shift;
    const half = (value: bigint, from: bigint): number => Number(BigInt.asIntN(32, value >> from));
    return { lowMask: half(mask, 0n), low: half(bits, 0n), highMask: half(mask, 32n), high: half(bits, 32n) };
  });

const markVisitors = (found: Uint32Array, { day, visits }: Selection, patterns: readonly Pattern[]): void => {
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
