/**
 * `propKey` and `propValue`. A hit passes when one of its properties passes every filter that is not negated, and when none of
 * them is what a negated filter names. Together they speak of one property: `propKey=plan` with `propValue!=pro` selects hits
 * that carry a plan other than pro, whatever their other properties are. A hit without properties counts as one with
 * one property whose key and value are null.
 */
import { propertyTypes } from '../model/hit.ts';
import type { Day } from '../store/day.ts';
import type { DayFilter } from './filters.ts';
import { matches } from './match.ts';
import type { PlanContext } from './plan.ts';
import { valueText } from './property-text.ts';
import type { Filter } from './query.ts';

/** What is known of a hit after its properties were looked at: bits of its code in the condition. */
const has = 1;
const satisfied = 2;
const refused = 4;

export const filterProperties = (filters: readonly Filter[], context: PlanContext): DayFilter => {
  const wanted = filters.filter(({ negated }) => !negated);
  const unwanted = filters.filter(({ negated }) => negated);
  const test = (field: Filter['field'], among: readonly Filter[], text: string | null): boolean =>
    among.filter(filter => filter.field === field).every(filter => matches(filter, text));
  const testAny = (field: Filter['field'], text: string | null): boolean =>
    unwanted.some(filter => filter.field === field && matches(filter, text));

  /** Each filter sees a key or a value, so that the two sides can be worked out once per distinct key and value. */
  const sideOf = (field: Filter['field']) => (text: string | null) => ({
    passes: test(field, wanted, text),
    isRefused: testAny(field, text),
  });
  const ofKey = sideOf('propKey');
  const ofValue = sideOf('propValue');
  type Side = ReturnType<typeof ofKey>;
  const verdict = (key: Side, value: Side): number =>
    (key.passes && value.passes ? satisfied : 0) |
    ((key.isRefused && value.passes) || (value.isRefused && key.passes) ? refused : 0);

  const passes = (state: number): number => ((state & satisfied) !== 0 && (state & refused) === 0 ? 1 : 0);
  const withoutProperties = passes(verdict(ofKey(null), ofValue(null)));
  const pass = Uint8Array.from({ length: 8 }, (_, state) => ((state & has) === 0 ? withoutProperties : passes(state)));

  return day => {
    const codes = new Uint8Array(day.hits);
    const { codes: keyCodes, dictionary: keys } = day.texts('propertyKey');
    const keySides = Array.from(keys, id => ofKey(context.text(id)));
    const valueSide = valueSides(day, context, ofValue);
    const hits = day.numbers('propertyHit');
    for (let row = 0; row < hits.length; row++) {
      codes[hits[row]!]! |= has | verdict(keySides[keyCodes[row]!]!, valueSide(row));
    }
    return { level: 'hit', codes, pass };
  };
};

/** What `side` says of the value of each property row, worked out once per distinct value. */
const valueSides = <S>(day: Day, { text }: PlanContext, side: (text: string | null) => S): ((row: number) => S) => {
  const types = day.numbers('propertyType');
  const numbers = day.numbers('propertyNumber');
  const { codes, dictionary } = day.texts('propertyText');
  const known = new Map<string, S>();
  return row => {
    const type = types[row]!;
    const key = type === propertyTypes.string ? `text ${codes[row]}` : `${type} ${numbers[row]}`;
    let found = known.get(key);
    if (found === undefined) {
      found = side(valueText(type, text(dictionary[codes[row]!]!), numbers[row]!));
      known.set(key, found);
    }
    return found;
  };
};
