/**
 * Conditions in one text: filters as a query string, such as `path^=/docs/&country=DE`, all of
 * which a hit must pass. `|` stands between several conditions, any of which it may meet.
 */
import { type FilterOn, type HitField, hitFields } from '../../model/filters.ts';
import { blaming, ParameterError, parseFilters, valueCharsMax } from './parameters.ts';

/** In one text; more than any question needs. */
const conditionsMax = 20;
const valuesMax = 50;

/** The conditions one by one. Throws ParameterError. */
export const readAlternatives = <Field extends string = HitField>(
  text: string,
  parameter: string,
  fields: readonly Field[] = hitFields as readonly string[] as readonly Field[],
): FilterOn<Field>[][] => {
  const texts = text.split('|');
  if (texts.length > conditionsMax) throw new ParameterError({ error: 'too many conditions', parameter });
  return texts.map(one => readCondition(one, parameter, fields));
};

/** One condition, on some fields. Throws ParameterError. */
export const readCondition = <Field extends string>(
  text: string,
  parameter: string,
  fields: readonly Field[],
): FilterOn<Field>[] => {
  const pairs = [...new URLSearchParams(text)];
  if (pairs.length === 0) throw new ParameterError({ error: 'empty condition', parameter });
  if (pairs.length > valuesMax) throw new ParameterError({ error: 'too many conditions', parameter });
  if (pairs.some(([, value]) => value.length > valueCharsMax)) {
    throw new ParameterError({ error: 'value too long', parameter });
  }
  return blaming(parameter, () => parseFilters(pairs, fields));
};
