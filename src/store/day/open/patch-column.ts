/** Patches a column after the order of its rows has changed. */
import type { Column, TextColumn } from '../column-codec.ts';
import { mergeAt } from '../gather.ts';
import { type Codes, codesFor, type Numbers } from '../packed.ts';
import { flat } from '../unpack.ts';
import type { Change } from './row-order.ts';

/**
 * The column after a change; `fresh` has the values of the changed rows. It equals a column made
 * from all rows, except that its dictionary keeps a text whose last row was updated to another one.
 * Leaves the column it is given as it is.
 */
export const patchColumn = (column: Column, fresh: Column, change: Change): Column => {
  if (column.kind === 'text' && fresh.kind === 'text') return patchTexts(column, fresh, change);
  if (column.kind === 'number' && fresh.kind === 'number')
    return { kind: 'number', values: patchNumbers(flat(column.values), flat(fresh.values), change) };
  if (column.kind === 'hash' && fresh.kind === 'hash') {
    const into = new BigUint64Array(lengthAfter(column.values, change));
    return { kind: 'hash', values: patchValues(into, column.values, fresh.values, change) };
  }
  throw new Error(`a column of kind ${column.kind} can't become one of kind ${fresh.kind}`);
};

const lengthAfter = (values: { length: number }, { kind, positions }: Change): number =>
  values.length + (kind === 'insert' ? positions.length : 0);

const patchValues = <V extends Numbers | BigUint64Array>(
  into: V,
  values: V,
  fresh: V,
  { kind, positions }: Change,
): V => {
  if (kind === 'insert') return mergeAt(into, values, fresh, positions);
  into.set(values as never);
  for (let i = 0; i < positions.length; i++) into[positions[i]!] = fresh[i]!;
  return into;
};

const patchNumbers = (values: Numbers, fresh: Numbers, change: Change): Numbers => {
  const Wider = values.BYTES_PER_ELEMENT > fresh.BYTES_PER_ELEMENT ? values.constructor : fresh.constructor;
  const into = new (Wider as new (length: number) => Numbers)(lengthAfter(values, change));
  return patchValues(into, values, fresh, change);
};

const patchTexts = (column: TextColumn, fresh: TextColumn, change: Change): TextColumn => {
  const dictionary = union(column.dictionary, fresh.dictionary);
  const into = codesFor(dictionary.length - 1, lengthAfter(column.codes, change));
  const codes = patchValues<Codes>(into, recoded(column, dictionary), recoded(fresh, dictionary), change);
  return { kind: 'text', codes, dictionary };
};

/** All ids of two dictionaries. */
const union = (known: Uint32Array, others: Uint32Array): Uint32Array => {
  const all = new Uint32Array(known.length + others.length);
  let length = 0;
  for (let i = 0, j = 0; i < known.length || j < others.length; length++) {
    const [one, other] = [known[i] ?? Number.POSITIVE_INFINITY, others[j] ?? Number.POSITIVE_INFINITY];
    all[length] = Math.min(one, other);
    if (one <= other) i++;
    if (other <= one) j++;
  }
  return length === known.length ? known : all.slice(0, length);
};

/** The codes of a column in a dictionary that has all its texts. */
const recoded = (column: TextColumn, all: Uint32Array): Codes => {
  const { dictionary } = column;
  const codes = flat(column.codes);
  const codeOf = new Uint32Array(dictionary.length);
  for (let code = 0, found = 0; code < codeOf.length; code++, found++) {
    while (all[found] !== dictionary[code]) found++;
    codeOf[code] = found;
  }
  // Texts that are new to the site have the largest ids, so the codes of the others stay as they
  // are.
  if (codeOf.at(-1) === codeOf.length - 1) return codes;
  const into = codesFor(all.length - 1, codes.length);
  for (let row = 0; row < codes.length; row++) into[row] = codeOf[codes[row]!]!;
  return into;
};
