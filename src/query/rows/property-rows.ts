/**
 * The values that selected event hits carry under each property key. A hit carries a key at most
 * once.
 */
import { instantCode, propertyTypes } from '../../model/hit.ts';
import type { Day } from '../../store/day/day.ts';
import { gather, gatherDoubles } from '../../store/day/gather.ts';
import { lookUp } from '../../store/day/look-up.ts';
import type { Numbers, Packed } from '../../store/day/packed.ts';
import { rowsPassing } from '../scan/filter-rows.ts';
import { concat, countValues, flagged, gatherTo, positionsOfNonzero, sumBy, sumOf } from '../scan/lists.ts';
import type { Selection } from '../scan/selection.ts';
import { widenRows } from '../scan/widen.ts';
import type { Scratch } from '../scratch.ts';

/** What one day's selected hits carry under one key. */
export interface KeyValues {
  /** Text id of the key. */
  key: number;
  /** Different texts, as ascending ids; 0 is the empty text. */
  texts: Uint32Array;
  /** How often each of them occurs. */
  textCounts: Uint32Array;
  /** How many of the texts that occur are dates. */
  dateTexts: number;
  /** Every value of the other kinds, in no order. */
  numbers: Record<NumberKind, Float64Array>;
}

/**
 * Codes of the values that are stored as numbers: a boolean is 0 or 1, and an instant is a date in
 * UTC milliseconds.
 */
export const numberCodes = { number: propertyTypes.number, boolean: propertyTypes.boolean, instant: instantCode };
type NumberKind = keyof typeof numberCodes;
export const numberKinds = Object.keys(numberCodes) as NumberKind[];

/** What a selection of event hits carries under `onlyKey`, or under every key. */
export const scanProperties = (events: Selection, onlyKey: number | null, scratch: Scratch): KeyValues[] => {
  const { day, index } = events;
  const isSelected = selectedHits(events, scratch);
  const hits = index.numbers('propertyHit');
  const firstOf = firstRows(day);
  const found: KeyValues[] = [];
  for (const [code, key] of day.dictionary('propertyKey').entries()) {
    if (onlyKey !== null && key !== onlyKey) continue;
    const [from, to] = [firstOf(code), firstOf(code + 1)];
    scratch.within(inner => {
      const room = inner.take(to - from);
      const rows = room.subarray(0, rowsOfSelected(hits, from, to, isSelected, room));
      if (rows.length > 0) found.push({ key, ...valuesOf(day, rows, inner) });
    });
  }
  return found;
};

/** By hit, 1 for those that are selected. */
const selectedHits = ({ day, found }: Selection, scratch: Scratch): Uint8Array => {
  const { rows } = found();
  const flags = scratch.bytes(day.hits);
  return rows === null ? flags.fill(1) : flagged(rows, flags);
};

/** Where the rows of a key begin, by its code: rows are sorted by key. */
const firstRows = (day: Day): ((code: number) => number) => {
  const codes = day.keptCodes('propertyKey');
  const codeAt = lookUp(codes);
  return code => {
    let [low, high] = [0, codes.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (codeAt(middle) < code) low = middle + 1;
      else high = middle;
    }
    return low;
  };
};

/** Of the rows between two, those whose hit is selected; returns their number. */
const rowsOfSelected = (
  hits: Uint32Array,
  from: number,
  to: number,
  selected: Uint8Array,
  rows: Uint32Array,
): number => {
  let count = 0;
  for (let row = from; row < to; row++) {
    rows[count] = row;
    count += selected[hits[row]!]!;
  }
  return count;
};

/** The values of some rows of properties. */
const valuesOf = (day: Day, rows: Uint32Array, scratch: Scratch): Omit<KeyValues, 'key'> => {
  const types = widenRows(day.keptNumbers('propertyType'), rows, scratch);
  const rowsOf = (...codes: number[]): Uint32Array => {
    const isType = new Uint8Array(1 + Math.max(...Object.values(propertyTypes)));
    for (const code of codes) isType[code] = 1;
    const room = scratch.take(rows.length);
    const positions = room.subarray(0, rowsPassing(types, isType, room));
    return gatherTo(rows, positions, positions);
  };
  const numbersOf = (kind: NumberKind): Float64Array => {
    const rows = rowsOf(numberCodes[kind]);
    return rows.length === 0 ? new Float64Array(0) : doublesAt(day.keptNumbers('propertyNumber'), rows, scratch);
  };
  return {
    ...countTexts(day, rowsOf(propertyTypes.string, propertyTypes.date), scratch),
    dateTexts: rowsOf(propertyTypes.date).length,
    numbers: { number: numbersOf('number'), boolean: numbersOf('boolean'), instant: numbersOf('instant') },
  };
};

/** In memory of their own. */
const doublesAt = (values: Numbers | Packed, rows: Uint32Array, scratch: Scratch): Float64Array =>
  values instanceof Float64Array ? gatherDoubles(values, rows) : new Float64Array(widenRows(values, rows, scratch));

const countTexts = (day: Day, rows: Uint32Array, scratch: Scratch): Pick<KeyValues, 'texts' | 'textCounts'> => {
  const dictionary = day.dictionary('propertyText');
  const counts = scratch.zeros(dictionary.length);
  countValues(widenRows(day.keptCodes('propertyText'), rows, scratch), counts);
  const room = scratch.take(counts.length);
  const counted = room.subarray(0, positionsOfNonzero(counts, room));
  return { texts: gather(dictionary, counted), textCounts: gather(counts, counted) };
};

/** How many values there are of each type, in the order of `propertyTypes`. */
export const countsByType = (of: readonly KeyValues[]): number[] => {
  return [
    sumBy(of, ({ textCounts, dateTexts }) => sumOf(textCounts) - dateTexts),
    sumBy(of, ({ numbers }) => numbers.number.length),
    sumBy(of, ({ numbers }) => numbers.boolean.length),
    sumBy(of, ({ numbers, dateTexts }) => numbers.instant.length + dateTexts),
  ];
};

/** All values of a kind, ascending. */
export const sortedNumbers = (of: readonly KeyValues[], kind: NumberKind): Float64Array =>
  concat(of.map(({ numbers }) => numbers[kind])).sort();
