/**
 * `propKey` and `propValue`. A hit passes when one of its properties passes every filter that is
 * not negated, and no negated filter names any of them. Filters on keys and values are about the
 * same property: `propKey=plan` with `propValue!=pro` selects hits that carry a plan other than
 * pro, whatever other properties they have. A hit without properties counts as a hit with one
 * property whose key and value are null.
 */
import { instantCode, isTextCode, propertyTypes, valueText } from '../../model/hit.ts';
import type { Day } from '../../store/day/day.ts';
import type { QueryContext } from '../context.ts';
import type { Filter } from '../query.ts';
import { rememberById } from '../remember.ts';
import type { DayFilter } from './filter-rows.ts';
import { matches } from './match.ts';

/** What a hit's properties say of it: bits of its code in the condition. */
const has = 1;
const satisfied = 2;
const refused = 4;

/** What the filters on keys say of a key, or those on values of a value: bits of its side. */
const isWanted = 1;
const isUnwanted = 2;

export const filterProperties = (filters: readonly Filter[], context: QueryContext): DayFilter => {
  const ofKey = sideOf(filters.filter(({ field }) => field === 'propKey'));
  const ofValue = sideOf(filters.filter(({ field }) => field === 'propValue'));
  const ofKeyId = rememberById(id => ofKey(context.text(id)));
  const ofTextId = rememberById(id => ofValue(context.text(id)));

  const passes = (state: number): number => ((state & satisfied) !== 0 && (state & refused) === 0 ? 1 : 0);
  const withoutProperties = passes(verdict(ofKey(null), ofValue(null)));
  const pass = Uint8Array.from({ length: 8 }, (_, state) => ((state & has) === 0 ? withoutProperties : passes(state)));

  return day => {
    const states = new Uint8Array(day.hits);
    const { codes, dictionary } = day.texts('propertyKey');
    const hits = day.numbers('propertyHit');
    const keySides = dictionary.map(ofKeyId);
    const valueSide = valueSides(day, ofTextId, ofValue);
    for (let row = 0; row < hits.length; row++) {
      const keySide = keySides[codes[row]!]!;
      // The value makes no difference where the key is neither wanted nor unwanted.
      states[hits[row]!]! |= has | (keySide === 0 ? 0 : verdict(keySide, valueSide(row)));
    }
    return { level: 'hit', values: states, pass };
  };
};

const sideOf =
  (filters: readonly Filter[]) =>
  (text: string | null): number => {
    const named = (filter: Filter): boolean => matches(filter, text);
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

/** The side of the value of each property row. */
const valueSides = (
  day: Day,
  ofTextId: (id: number) => number,
  ofValue: (text: string | null) => number,
): ((row: number) => number) => {
  const types = day.numbers('propertyType');
  const numbers = day.numbers('propertyNumber');
  const { codes, dictionary } = day.texts('propertyText');
  /** By type, the sides of values that are no texts. */
  const known = [propertyTypes.number, propertyTypes.boolean, instantCode].map(() => new Map<number, number>());
  return row => {
    const type = types[row]!;
    if (isTextCode(type)) return ofTextId(dictionary[codes[row]!]!);
    const sides = known[type - propertyTypes.number]!;
    const number = numbers[row]!;
    let side = sides.get(number);
    if (side === undefined) {
      side = ofValue(valueText(type, null, number));
      sides.set(number, side);
    }
    return side;
  };
};
