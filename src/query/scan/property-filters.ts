/**
 * Filters on properties.
 *
 * `prop:KEY` is like a dimension, whose value is what the hit carries under the key: null where it
 * carries none, or an empty text.
 *
 * `propKey` and `propValue`: A hit passes when one of its properties passes every filter that is
 * not negated, and no negated filter names any of them. Filters on keys and values are about the
 * same property: `propKey=plan` with `propValue!=pro` selects hits that carry a plan other than
 * pro, whatever other properties they have. A hit without properties counts as a hit with one
 * property whose key and value are null.
 */
import { isTextCode, propertyTypes, valueText } from '../../model/hit.ts';
import { lazy, remember, rememberById } from '../../model/remember.ts';
import type { Day } from '../../store/day/day.ts';
import { gather } from '../../store/day/gather.ts';
import { bitsIn, wordsFor } from '../../store/day/mask.ts';
import type { Packed } from '../../store/day/packed.ts';
import type { QueryContext } from '../context.ts';
import type { FieldFilter } from '../query.ts';
import type { Scratch } from '../scratch.ts';
import type { DayFilter } from './filter-rows.ts';
import { keyRows } from './key-rows.ts';
import { positionsOfNonzero } from './lists.ts';
import { matches } from './match.ts';
import { type IdTest, testIds, testTexts } from './text-test.ts';
import { wideNumbers, widenRows } from './widen.ts';

/** Before negation. */
export const filterProperty = (key: string, filter: FieldFilter, context: QueryContext): DayFilter => {
  const { query, reader } = context;
  const keyId = reader.texts.find(query.siteId, key);
  const idOf = (text: string): number | undefined =>
    text === '' ? 0 : reader.texts.find(query.siteId, text) || undefined;
  const testText = filter.operator === 'is' ? testIds(filter.values.map(idOf)) : testTexts(filter, context);
  const testOther = ofNumbers(text => (matches(filter, text) ? 1 : 0));
  const withoutKey = matches(filter, null) ? 1 : 0;
  return (day, index, scratch) => {
    const differing = scratch.zeros(wordsFor(day.hits));
    scratch.within(inner => {
      const rows = keyRows(day)(keyId, inner);
      if (rows === null) return;
      const hits = widenRows(day.keptNumbers('propertyHit'), rows, inner, () => index.numbers('propertyHit'));
      const types = widenRows(day.keptNumbers('propertyType'), rows, inner);
      const codes = widenRows(day.keptCodes('propertyText'), rows, inner);
      const pass = passingCodes(day, codes, testText, inner);
      const isText = Uint8Array.from({ length: 1 + propertyTypes.date }, (_, type) => (isTextCode(type) ? 1 : 0));
      const numbers = lazy(() => wideNumbers(day.keptNumbers('propertyNumber'), inner));
      for (let i = 0; i < rows.length; i++) {
        const type = types[i]!;
        const passes = isText[type] === 1 ? pass[codes[i]!]! : testOther(type, numbers()[rows[i]!]!);
        differing[hits[i]! >>> 5]! |= (passes ^ withoutKey) << hits[i]!;
      }
    });
    return {
      level: 'hit',
      values: onesAt(differing, day.hits, scratch),
      pass: Uint8Array.of(withoutKey, 1 - withoutKey),
    };
  };
};

/** 1 where the mask says so, and else 0. */
const onesAt = (mask: Uint32Array, length: number, scratch: Scratch): Packed => {
  const stored = bitsIn(mask, length);
  const words = scratch.take(Math.ceil(stored / 32)).fill(0xffffffff);
  return { length, width: 1, words, stored, mask, base: 0 };
};

/** 1 for the codes of texts that pass, of those that occur. */
const passingCodes = (day: Day, codes: Uint32Array, test: IdTest, scratch: Scratch): Uint8Array => {
  const dictionary = day.dictionary('propertyText');
  const occurs = scratch.zeros(dictionary.length);
  for (let i = 0; i < codes.length; i++) occurs[codes[i]!] = 1;
  const room = scratch.take(dictionary.length);
  const found = room.subarray(0, positionsOfNonzero(occurs, room));
  const passing = test(gather(dictionary, found));
  const pass = scratch.bytes(dictionary.length);
  for (let i = 0; i < found.length; i++) pass[found[i]!] = passing[i]!;
  return pass;
};

/** What is found of values that are no texts, by what they read as: each once. */
const ofNumbers = (find: (text: string | null) => number): ((type: number, number: number) => number) => {
  const ofType = remember((type: number) => remember((number: number) => find(valueText(type, null, number))));
  return (type, number) => ofType(type)(number);
};

/** What a hit's properties say of it: bits of its code in the condition. */
const has = 1;
const satisfied = 2;
const refused = 4;

/** What the filters on keys say of a key, or those on values of a value: bits of its side. */
const isWanted = 1;
const isUnwanted = 2;

export const filterPairs = (filters: readonly FieldFilter[], context: QueryContext): DayFilter => {
  const ofKey = sideOf(filters.filter(({ field }) => field === 'propKey'));
  const ofValue = sideOf(filters.filter(({ field }) => field === 'propValue'));
  const ofKeyId = rememberById(id => ofKey(context.text(id)));
  const ofTextId = rememberById(id => ofValue(context.text(id)));
  const ofNumber = ofNumbers(ofValue);

  const passes = (state: number): number => ((state & satisfied) !== 0 && (state & refused) === 0 ? 1 : 0);
  const withoutProperties = passes(verdict(ofKey(null), ofValue(null)));
  const pass = Uint8Array.from({ length: 8 }, (_, state) => ((state & has) === 0 ? withoutProperties : passes(state)));

  return day => {
    const states = new Uint8Array(day.hits);
    const { codes, dictionary } = day.texts('propertyKey');
    const hits = day.numbers('propertyHit');
    const keySides = dictionary.map(ofKeyId);
    const [types, numbers, texts] = [
      day.numbers('propertyType'),
      day.numbers('propertyNumber'),
      day.texts('propertyText'),
    ];
    const valueSide = (row: number): number =>
      isTextCode(types[row]!) ? ofTextId(texts.dictionary[texts.codes[row]!]!) : ofNumber(types[row]!, numbers[row]!);
    for (let row = 0; row < hits.length; row++) {
      const keySide = keySides[codes[row]!]!;
      // The value makes no difference where the key is neither wanted nor unwanted.
      states[hits[row]!]! |= has | (keySide === 0 ? 0 : verdict(keySide, valueSide(row)));
    }
    return { level: 'hit', values: states, pass };
  };
};

const sideOf =
  (filters: readonly FieldFilter[]) =>
  (text: string | null): number => {
    const named = (filter: FieldFilter): boolean => matches(filter, text);
    const wanted = filters.filter(({ negated }) => !negated).every(named);
    const unwanted = filters.filter(({ negated }) => negated).some(named);
    return (wanted ? isWanted : 0) | (unwanted ? isUnwanted : 0);
  };

/** What a property says of its hit. One side refuses the hit only if the other side is wanted. */
const verdict = (key: number, value: number): number =>
  ((key & value & isWanted) !== 0 ? satisfied : 0) |
  (((key & isUnwanted) !== 0 && (value & isWanted) !== 0) || ((value & isUnwanted) !== 0 && (key & isWanted) !== 0)
    ? refused
    : 0);
