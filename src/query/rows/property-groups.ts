/**
 * Hits grouped by the value that they carry under a property key. Values are the same where they
 * read the same: a number and a text that reads like it are one group. Numbers have no ids that
 * mean the same on every day, so each day numbers its own values, and `mergeValues` says what they
 * are among those of all days.
 */
import { isTextCode, valueText } from '../../model/hit.ts';
import { firstAtLeast, positionAmong } from '../../store/day/ascending.ts';
import type { Day } from '../../store/day/day.ts';
import { joined } from '../../store/day/gather.ts';
import type { Numbers } from '../../store/day/packed.ts';
import type { QueryContext } from '../context.ts';
import { giveWay, type Pace } from '../pace.ts';
import { keyRows } from '../scan/key-rows.ts';
import { gatherTo } from '../scan/lists.ts';
import { selectHits } from '../scan/select.ts';
import { hitCodes, type Selection } from '../scan/selection.ts';
import { wideNumbers, widenRows } from '../scan/widen.ts';
import type { Scratch } from '../scratch.ts';
import { findAlike } from './alike-values.ts';
import { countDoubles, mergeCounted, sumCounts } from './counted.ts';
import type { RowGrouping } from './grouping.ts';
import { type NumberKind, numberCodes, numberKinds, rowsOfSelected, selectedHits } from './property-rows.ts';
import { positionsOf } from './sum-by-id.ts';
import { comparedNames, type Names, textNames } from './top-rows.ts';

/**
 * Values in the order of their numbers: text ids, then the values of each other kind that no text
 * reads like. Each list ascends. Arrays own their memory.
 */
export interface PropertyValues extends Record<NumberKind, Float64Array> {
  texts: Uint32Array;
}

export interface PropertyGroups {
  /** The hits that carry a value that is not empty. */
  selection: Selection;
  /** Its ids are the numbers of the values. */
  grouping: RowGrouping;
  values: PropertyValues;
}

/** Groups the selected hits that carry a key, given by its text id. Null where none does. */
export const groupByProperty = (
  all: Selection,
  key: number,
  context: QueryContext,
  scratch: Scratch,
): PropertyGroups | null => {
  const { day } = all;
  const codes = scratch.take(day.hits);
  const found = scratch.within(inner => {
    const of = selectedRows(all, key, inner);
    if (of === null) return null;
    const { values, numbers } = numberRows(day, of, context, inner);
    return { values, hits: placeNumbers(numbers, of.hits, codes, scratch.take(of.hits.length)) };
  });
  const selection = found && selectHits(all, found.hits, scratch);
  if (found === null || !selection) return null;
  const { values } = found;
  const ids = scratch.identity(numberKinds.reduce((sum, kind) => sum + values[kind].length, values.texts.length));
  return { selection, values, grouping: { level: 'hit', ids, codes: (of, inner) => hitCodes(of, codes, inner) } };
};

/** Puts the number of each row's value into the code of its hit; returns the hits that have one. */
const placeNumbers = (numbers: Uint32Array, of: Uint32Array, codes: Uint32Array, hits: Uint32Array): Uint32Array => {
  let count = 0;
  for (let i = 0; i < of.length; i++) {
    codes[of[i]!] = numbers[i]!;
    hits[count] = of[i]!;
    count += numbers[i] === noNumber ? 0 : 1;
  }
  return hits.subarray(0, count);
};

/** The rows of properties with a key, of selected hits, and the hit of each. */
interface Rows {
  rows: Uint32Array;
  hits: Uint32Array;
}

const selectedRows = (all: Selection, key: number, scratch: Scratch): Rows | null => {
  const { day, index } = all;
  const found = keyRows(day)(key, scratch);
  if (found === null) return null;
  const hitsOf = (rows: Uint32Array): Uint32Array =>
    widenRows(day.keptNumbers('propertyHit'), rows, scratch, () => index.numbers('propertyHit'));
  const count = rowsOfSelected(hitsOf(found), selectedHits(all, scratch), found[0] ?? 0, found);
  const rows = found.subarray(0, count);
  return { rows, hits: hitsOf(rows) };
};

/** In place of the number of an empty text. */
const noNumber = 0xffff_ffff;

/** The values, and by row the number of its own: working memory. */
const numberRows = (
  day: Day,
  { rows }: Rows,
  context: QueryContext,
  scratch: Scratch,
): { values: PropertyValues; numbers: Uint32Array } => {
  const types = widenRows(day.keptNumbers('propertyType'), rows, scratch);
  const textCodes = widenRows(day.keptCodes('propertyText'), rows, scratch);
  const { texts, numberOfText } = textsOf(day, types, textCodes, scratch);
  const numbers = gatherTo(numberOfText, textCodes, scratch.take(rows.length));
  if (types.every(isTextCode)) return { values: { ...noNumbers, texts }, numbers };
  const stored = wideNumbers(day.keptNumbers('propertyNumber'), scratch);
  const found: PropertyValues = { texts, ...(numbersByKind(rows, types, stored) as Record<NumberKind, Float64Array>) };
  const { values, numberOf } = endOf(numberValues(found, context));
  const kinds = new Map<number, NumberKind>(numberKinds.map(kind => [numberCodes[kind], kind]));
  for (let i = 0; i < rows.length; i++) {
    const kind = kinds.get(types[i]!);
    if (kind !== undefined) numbers[i] = numberOf[kind][positionAmong(found[kind], stored[rows[i]!]!)]!;
  }
  return { values, numbers };
};

const noNumbers = Object.fromEntries(numberKinds.map(kind => [kind, new Float64Array(0)])) as Record<
  NumberKind,
  Float64Array
>;

/** The texts that occur but the empty one, and each code's number among them, or `noNumber`. */
const textsOf = (
  day: Day,
  types: Uint32Array,
  codes: Uint32Array,
  scratch: Scratch,
): { texts: Uint32Array; numberOfText: Uint32Array } => {
  const dictionary = day.dictionary('propertyText');
  const numberOfText = scratch.take(dictionary.length).fill(noNumber);
  for (let i = 0; i < codes.length; i++) if (isTextCode(types[i]!)) numberOfText[codes[i]!] = 0;
  const room = scratch.take(dictionary.length);
  let count = 0;
  for (let code = 0; code < dictionary.length; code++) {
    if (dictionary[code] === 0) numberOfText[code] = noNumber;
    if (numberOfText[code] === noNumber) continue;
    room[count] = dictionary[code]!;
    numberOfText[code] = count++;
  }
  return { texts: room.slice(0, count), numberOfText };
};

const numbersByKind = (rows: Uint32Array, types: Uint32Array, numbers: Numbers): Partial<PropertyValues> =>
  Object.fromEntries(
    numberKinds.map(kind => {
      const own = Float64Array.from(
        rows.filter((_, i) => types[i] === numberCodes[kind]),
        row => numbers[row]!,
      );
      return [kind, countDoubles(own).values];
    }),
  );

interface Numbered {
  /** Those that have a number of their own. */
  values: PropertyValues;
  /** By position, the number of a value: that of the text that reads like it, or its own. */
  numberOf: Record<NumberKind, Uint32Array>;
}

/** Yields between turns. */
function* numberValues(all: PropertyValues, context: QueryContext): Generator<void, Numbered> {
  const values: PropertyValues = { ...all };
  const numberOf = {} as Numbered['numberOf'];
  let next = all.texts.length;
  for (const kind of numberKinds) {
    const numbers = new Uint32Array(all[kind].length).fill(ownNumber);
    for (const alike of findAlike(all.texts, all[kind], kind, context)) {
      if (alike === null) yield;
      else numbers[alike.value] = alike.text;
    }
    values[kind] = all[kind].filter((_, position) => numbers[position] === ownNumber);
    numberOf[kind] = numbers.map(number => (number === ownNumber ? next++ : number));
  }
  return { values, numberOf };
}
const ownNumber = 0xffff_ffff;

const endOf = <T>(work: Generator<void, T>): T => {
  while (true) {
    const { done, value } = work.next();
    if (done) return value;
  }
};

/** The values of all days, and per day the numbers among these of its own. */
export interface MergedValues {
  values: PropertyValues;
  numbers: Uint32Array[];
}

export const mergeValues = async (
  days: readonly PropertyValues[],
  context: QueryContext,
  pace: Pace,
): Promise<MergedValues> => {
  const once = days.map(({ texts }) => ({ values: texts, counts: new Uint32Array(texts.length).fill(1) }));
  const { values: texts } = await sumCounts(once, pace);
  const positionOf = positionsOf(texts);
  const all = { texts } as PropertyValues;
  for (const kind of numberKinds)
    all[kind] = await mergeLists(
      days.map(day => day[kind]),
      pace,
    );
  const work = numberValues(all, context);
  let turn = work.next();
  for (; !turn.done; turn = work.next()) await giveWay(pace);
  const { values, numberOf } = turn.value;
  const numbers: Uint32Array[] = [];
  for (const day of days) {
    await giveWay(pace);
    const lists = [
      day.texts.map(id => positionOf[id]!),
      ...numberKinds.map(kind => placesIn(all[kind], day[kind]).map(place => numberOf[kind][place]!)),
    ];
    numbers.push(joined(lists));
  }
  return { values, numbers };
};

/** The values of ascending lists, each once. */
const mergeLists = async (lists: readonly Float64Array[], pace: Pace): Promise<Float64Array> => {
  const counted = lists.map(values => ({ values, counts: new Uint32Array(values.length) }));
  return (await mergeCounted(counted, pace)).values;
};

/** The positions of ascending values among others, which have all of them. */
const placesIn = (all: Float64Array, values: Float64Array): Uint32Array => {
  const places = new Uint32Array(values.length);
  for (let i = 0, at = 0; i < values.length; i++) {
    while (all[at]! < values[i]!) at++;
    places[i] = at;
  }
  return places;
};

/** The names of values by their numbers. */
export const valueNames = (values: PropertyValues, context: QueryContext): Names => {
  const ofTexts = textNames(values.texts, context);
  const count = values.texts.length;
  const nameOf = (number: number): string => {
    let position = number - count;
    const kind = numberKinds.find(kind => {
      if (position < values[kind].length) return true;
      position -= values[kind].length;
      return false;
    })!;
    return valueText(numberCodes[kind], null, values[kind][position]!)!;
  };
  const ofNumbers = comparedNames(nameOf);
  return {
    at: number => (number < count ? ofTexts.at(number) : nameOf(number)),
    first(numbers, wanted, after) {
      const end = firstAtLeast(numbers, count);
      const texts = end > wanted ? ofTexts.first(numbers.subarray(0, end), wanted, after) : numbers.subarray(0, end);
      return joined([texts, ofNumbers.first(numbers.subarray(end), wanted, after)]);
    },
  };
};
