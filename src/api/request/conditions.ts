/**
 * Conditions in the value of a parameter: filters as a query string, such as
 * `path^=/docs/&country=DE`, all of which a hit must pass. `|` stands between several conditions, any
 * of which it may meet.
 */
import { filterFields } from '../../model/filters.ts';
import type { FieldFilter, Filter } from '../../query/query.ts';
import { ParameterError, parseFilters, valueCharsMax } from './parameters.ts';

/** In one value; more than any question needs. */
const conditionsMax = 20;
const valuesMax = 50;

export interface Conditions {
  /** What a hit must pass. */
  filters: Filter[];
  /** All filters of all conditions. */
  fields: FieldFilter[];
}

/** Throws ParameterError. */
export const readConditions = (text: string, parameter: string): Conditions => {
  const texts = text.split('|');
  if (texts.length > conditionsMax) throw new ParameterError({ error: 'too many conditions', parameter });
  const conditions = texts.map(one => readCondition(one, parameter));
  const [only] = conditions as [FieldFilter[]];
  const filters: Filter[] = conditions.length === 1 ? only : [{ anyOf: conditions, negated: false }];
  return { filters, fields: conditions.flat() };
};

const readCondition = (text: string, parameter: string): FieldFilter[] => {
  const pairs = [...new URLSearchParams(text)];
  if (pairs.length === 0) throw new ParameterError({ error: 'empty condition', parameter });
  if (pairs.length > valuesMax) throw new ParameterError({ error: 'too many conditions', parameter });
  if (pairs.some(([, value]) => value.length > valueCharsMax)) {
    throw new ParameterError({ error: 'value too long', parameter });
  }
  return parseFilters(pairs, filterFields);
};
