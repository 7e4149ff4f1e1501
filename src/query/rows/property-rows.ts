/**
 * The values that selected event hits carry under a property key. A hit carries a key at most once.
 */
import { instantCode, propertyTypes } from '../../model/hit.ts';
import type { Day } from '../../store/day/day.ts';
import { gather, gatherDoubles } from '../../store/day/gather.ts';
import { rowsPassing } from '../scan/filter-rows.ts';
import { keyRows } from '../scan/key-rows.ts';
import { flagged, gatherTo, sumBy, sumOf } from '../scan/lists.ts';
import type { Selection } from '../scan/selection.ts';
import { widen, widenRows } from '../scan/widen.ts';
import type { Scratch } from '../scratch.ts';
import { type Counted, countDoubles, countWhole, nothingCounted } from './counted.ts';

/** What one day's selected hits carry under one key. */
export interface KeyValues {
  /** Text ids; 0 is the empty text. */
  texts: Counted<Uint32Array>;
  /** How many of the texts that occur are dates. */
  dateTexts: number;
  /** The values of the other kinds. */
  numbers: Record<NumberKind, Counted>;
}

/**
 * Codes of the values that are stored as numbers: a boolean is 0 or 1, and an instant is a date in
 * UTC milliseconds.
 */
export const numberCodes = { number: propertyTypes.number, boolean: propertyTypes.boolean, instant: instantCode };
export type NumberKind = keyof typeof numberCodes;
export const numberKinds = Object.keys(numberCodes) as NumberKind[];

/**
 * The keys that a selection of event hits carries, by text id, and how many of its hits carry each:
 * one look at each row, however many keys there are.
 */
export const countKeys = (events: Selection, scratch: Scratch): Counted<Uint32Array> => {
  const { day, index } = events;
  const dictionary = day.dictionary('propertyKey');
  const hits = index.numbers('propertyHit');
  const room = scratch.take(hits.length);
  const rows = room.subarray(0, rowsOfSelected(hits, selectedHits(events, scratch), 0, room));
  const codes = gatherTo(widen(day.keptCodes('propertyKey'), scratch), rows, rows);
  const { values, counts } = countWhole(codes, scratch);
  return { values: gather(dictionary, values), counts };
};

/** What a selection of event hits carries under each of some keys, given as text ids. */
export const scanProperties = (
  events: Selection,
  keys: readonly number[],
  scratch: Scratch,
): (KeyValues | undefined)[] => {
  const { day } = events;
  const rowsOf = keyRows(day);
  const isSelected = selectedHits(events, scratch);
  return keys.map(key =>
    scratch.within(inner => {
      const rows = rowsOf(key, inner);
      if (rows === null) return undefined;
      const hits = widenRows(day.keptNumbers('propertyHit'), rows, inner, () => events.index.numbers('propertyHit'));
      const selected = rows.subarray(0, rowsOfSelected(hits, isSelected, rows[0] ?? 0, rows));
      return selected.length === 0 ? undefined : valuesOf(day, selected, inner);
    }),
  );
};

/** By hit, 1 for those that are selected. */
export const selectedHits = ({ day, found }: Selection, scratch: Scratch): Uint8Array => {
  const { rows } = found();
  const flags = scratch.bytes(day.hits);
  return rows === null ? flags.fill(1) : flagged(rows, flags);
};

/** Given the hits of the rows from one on, puts those of selected hits into `rows`: how many. */
export const rowsOfSelected = (hits: Uint32Array, selected: Uint8Array, from: number, rows: Uint32Array): number => {
  let count = 0;
  for (let i = 0; i < hits.length; i++) {
    rows[count] = from + i;
    count += selected[hits[i]!]!;
  }
  return count;
};

/** The values of some rows of properties. */
const valuesOf = (day: Day, rows: Uint32Array, scratch: Scratch): KeyValues => {
  const types = widenRows(day.keptNumbers('propertyType'), rows, scratch);
  const rowsOf = (...codes: number[]): Uint32Array => {
    const isType = new Uint8Array(1 + Math.max(...Object.values(propertyTypes), instantCode));
    for (const code of codes) isType[code] = 1;
    const room = scratch.take(rows.length);
    const positions = room.subarray(0, rowsPassing(types, isType, room));
    return gatherTo(rows, positions, positions);
  };
  const numbersOf = (kind: NumberKind): Counted => {
    const own = rowsOf(numberCodes[kind]);
    return own.length === 0 ? nothingCounted : scratch.within(inner => countNumbers(day, own, inner));
  };
  const texts = widenRows(day.keptCodes('propertyText'), rowsOf(propertyTypes.string, propertyTypes.date), scratch);
  const { values, counts } = countWhole(texts, scratch);
  return {
    texts: { values: gather(day.dictionary('propertyText'), values), counts },
    dateTexts: rowsOf(propertyTypes.date).length,
    numbers: { number: numbersOf('number'), boolean: numbersOf('boolean'), instant: numbersOf('instant') },
  };
};

const countNumbers = (day: Day, rows: Uint32Array, scratch: Scratch): Counted => {
  const stored = day.keptNumbers('propertyNumber');
  if (stored instanceof Float64Array) return countDoubles(gatherDoubles(stored, rows));
  const { values, counts } = countWhole(widenRows(stored, rows, scratch), scratch);
  return { values: new Float64Array(values), counts };
};

/** How many values there are of each type, in the order of `propertyTypes`. */
export const countsByType = (of: readonly KeyValues[]): number[] => {
  const countOf = (kind: NumberKind): number => sumBy(of, ({ numbers }) => sumOf(numbers[kind].counts));
  const dateTexts = sumBy(of, day => day.dateTexts);
  return [
    sumBy(of, ({ texts }) => sumOf(texts.counts)) - dateTexts,
    countOf('number'),
    countOf('boolean'),
    countOf('instant') + dateTexts,
  ];
};
