/** Bringing a column up to date with an order of rows that has changed since the column was made. */
import type { Column, TextColumn } from '../column-codec.ts';
import { putIn } from '../gather.ts';
import { type Codes, codesFor, flat, type Numbers } from '../packed.ts';
import type { Change } from './row-order.ts';

/**
 * The column as it is after a change, `fresh` being the values of the rows that the change is about. It is as if it had been made anew,
 * unless a text was altered that no other row has: that stays in the dictionary. What the column was before is left as it is.
 */
export const mendColumn = (column: Column, fresh: Column, change: Change): Column => {
  if (column.kind === 'text' && fresh.kind === 'text') return mendTexts(column, fresh, change);
  if (column.kind === 'number' && fresh.kind === 'number')
    return { kind: 'number', values: mendNumbers(flat(column.values), flat(fresh.values), change) };
  if (column.kind === 'hash' && fresh.kind === 'hash') {
    const into = new BigUint64Array(lengthAfter(column.values, change));
    return { kind: 'hash', values: mendValues(into, column.values, fresh.values, change) };
  }
  throw new Error(`a column of kind ${column.kind} can't become one of kind ${fresh.kind}`);
};

const lengthAfter = (values: { length: number }, { kind, places }: Change): number =>
  values.length + (kind === 'entered' ? places.length : 0);

const mendValues = <V extends Numbers | BigUint64Array>(into: V, values: V, fresh: V, { kind, places }: Change): V => {
  if (kind === 'entered') return putIn(into, values, fresh, places);
  into.set(values as never);
  for (let i = 0; i < places.length; i++) into[places[i]!] = fresh[i]!;
  return into;
};

const mendNumbers = (values: Numbers, fresh: Numbers, change: Change): Numbers => {
  const Wider = values.BYTES_PER_ELEMENT > fresh.BYTES_PER_ELEMENT ? values.constructor : fresh.constructor;
  const into = new (Wider as new (length: number) => Numbers)(lengthAfter(values, change));
  return mendValues(into, values, fresh, change);
};

const mendTexts = (column: TextColumn, fresh: TextColumn, change: Change): TextColumn => {
  const dictionary = unite(column.dictionary, fresh.dictionary);
  const into = codesFor(dictionary.length - 1, lengthAfter(column.codes, change));
  const codes = mendValues<Codes>(into, recoded(column, dictionary), recoded(fresh, dictionary), change);
  return { kind: 'text', codes, dictionary };
};

/** All ids of two dictionaries. */
const unite = (known: Uint32Array, others: Uint32Array): Uint32Array => {
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
  for (let code = 0, place = 0; code < codeOf.length; code++, place++) {
    while (all[place] !== dictionary[code]) place++;
    codeOf[code] = place;
  }
  // Texts that are new to the site have the largest ids, and the codes of the others stay as they are.
  if (codeOf.at(-1) === codeOf.length - 1) return codes;
  const into = codesFor(all.length - 1, codes.length);
  for (let row = 0; row < codes.length; row++) into[row] = codeOf[codes[row]!]!;
  return into;
};
