/** The values that selected event hits carry under each property key. A hit carries a key at most once. */
import { propertyTypes } from '../model/hit.ts';
import type { Texts } from '../store/day/day.ts';
import type { Numbers } from '../store/day/packed.ts';
import type { Selection } from './selection.ts';

/** What one day's selected hits carry under one key. */
export interface KeyValues {
  /** Text id of the key. */
  key: number;
  /** Distinct values of type string, as ascending text ids (0 is the empty text), and how often each occurs. */
  texts: Uint32Array;
  textCounts: Uint32Array;
  /** Every value of type number and of type date, ascending. */
  numbers: Float64Array;
  dates: Float64Array;
  /** How often false and true occur. */
  booleans: [number, number];
}

/** What a selection of event hits carries under `onlyKey`, or under every key. */
export const scanProperties = (events: Selection, onlyKey: number | null): KeyValues[] => {
  const { day, scratch } = events;
  const { codes, dictionary } = day.texts('propertyKey');
  if (codes.length === 0) return [];
  const { rows } = events.places();
  const selected = scratch.bytes('hit is selected', day.hits).fill(rows === null ? 1 : 0);
  for (const hit of rows ?? []) selected[hit] = 1;
  const hits = day.numbers('propertyHit');
  const values: PropertyValues = {
    types: day.numbers('propertyType'),
    numbers: day.numbers('propertyNumber'),
    texts: day.texts('propertyText'),
  };
  const counts = scratch.zeros('value counts', values.texts.dictionary.length);
  const found: KeyValues[] = [];
  for (let from = 0, to = 0; from < codes.length; from = to) {
    const code = codes[from]!;
    while (to < codes.length && codes[to] === code) to++;
    const key = dictionary[code]!;
    if (onlyKey !== null && key !== onlyKey) continue;
    const rows: number[] = [];
    for (let row = from; row < to; row++) if (selected[hits[row]!] === 1) rows.push(row);
    if (rows.length > 0) found.push({ key, ...valuesOf(values, rows, counts) });
  }
  return found;
};

/** What the rows of properties hold, one for each key of each hit. */
interface PropertyValues {
  types: Numbers;
  numbers: Numbers;
  texts: Texts;
}

/** `counts` is zero for every text code, and is so again afterwards. */
const valuesOf = (
  { types, numbers: values, texts: { codes, dictionary } }: PropertyValues,
  rows: readonly number[],
  counts: Uint32Array,
): Omit<KeyValues, 'key'> => {
  const numbers: number[] = [];
  const dates: number[] = [];
  const booleans: [number, number] = [0, 0];
  const distinct: number[] = [];
  for (const row of rows) {
    const type = types[row]!;
    if (type === propertyTypes.number) numbers.push(values[row]!);
    else if (type === propertyTypes.date) dates.push(values[row]!);
    else if (type === propertyTypes.boolean) booleans[values[row] === 0 ? 0 : 1]++;
    else if (counts[codes[row]!]!++ === 0) distinct.push(codes[row]!);
  }
  const textCodes = Uint32Array.from(distinct).sort();
  const textCounts = textCodes.map(code => counts[code]!);
  for (const code of distinct) counts[code] = 0;
  return {
    texts: textCodes.map(code => dictionary[code]!),
    textCounts,
    numbers: Float64Array.from(numbers).sort(),
    dates: Float64Array.from(dates).sort(),
    booleans,
  };
};

/** How many values there are of each type, in the order of `propertyTypes`. */
export const countsByType = (of: readonly KeyValues[]): number[] => {
  const sum = (count: (values: KeyValues) => number): number => of.reduce((total, values) => total + count(values), 0);
  return [
    sum(({ textCounts }) => textCounts.reduce((total, some) => total + some, 0)),
    sum(({ numbers }) => numbers.length),
    sum(({ booleans }) => booleans[0] + booleans[1]),
    sum(({ dates }) => dates.length),
  ];
};
