/**
 * Reads the parameters of a question (docs/api.md, "Ranges" and "Filters"): the period, the filters, and whatever else an endpoint knows. Every name
 * must be known, because a misspelt filter must never be answered with unfiltered numbers.
 */
import { type FilterField, type FilterOn, filterOperators } from '../../model/filters.ts';
import { type RangeKey, rangeDefault, rangeKeys } from '../../model/ranges.ts';
import type { Period } from './window.ts';

/** More parameters, or a longer value, than any question needs. Values are as long as the longest text a hit can carry. */
const parametersMax = 100;
export const valueCharsMax = 2000;

/** What is wrong with the parameters, as the body of the answer 400 (docs/api.md, "Errors"). */
export class ParameterError extends Error {
  readonly body: { error: string; parameter?: string; allowed?: readonly string[] };

  constructor(body: ParameterError['body']) {
    super(body.error);
    this.body = body;
  }
}

/** For a name that is none of those that may be asked. */
export const unknownParameter = (name: string, allowed: readonly string[]): ParameterError =>
  new ParameterError({ error: 'unknown parameter', parameter: name.slice(0, 100), allowed });

/** Names of which nothing is asked, such as those that keep an answer out of a cache. */
export const isIgnored = (name: string): boolean => name.startsWith('_');

const periodNames = ['range', 'from', 'to'] as const;

/** What may be asked: `Field` is what can be filtered by, which is all that a hit has where nothing else is said. */
export interface Known<Field extends string> {
  /** Parameters besides the period and the filters. */
  own?: readonly string[];
  fields: readonly Field[];
}

export interface Parameters<Field extends string = FilterField> {
  period: Period;
  /** In the order they came. */
  filters: FilterOn<Field>[];
  /** The value of an own parameter. */
  value(name: string): string | undefined;
  /** Whether an own parameter is there with any value but `0` and `false`. */
  flag(name: string): boolean;
  /** The value of an own parameter that is one of a few. Throws ParameterError for any other. */
  choice<C extends string>(name: string, allowed: readonly C[], fallback: C): C;
  /** A number of rows: clamped to 1 and `most`, the fallback where there is no number. */
  limit(fallback: number, most: number): number;
}

/** Throws ParameterError. Names that start with `_` are ignored. */
export const parseParameters = <Field extends string>(
  search: URLSearchParams,
  { own = [], fields }: Known<Field>,
): Parameters<Field> => {
  const single = new Map<string, string>();
  const filters = new Map<string, FilterOn<Field>>();
  let seen = 0;
  for (const [name, value] of search) {
    if (isIgnored(name)) continue;
    if (++seen > parametersMax) throw new ParameterError({ error: 'too many parameters' });
    if (value.length > valueCharsMax) throw new ParameterError({ error: 'value too long', parameter: name });
    if (own.includes(name) || (periodNames as readonly string[]).includes(name)) {
      if (single.has(name)) throw new ParameterError({ error: 'repeated parameter', parameter: name });
      single.set(name, value);
      continue;
    }
    const filter = filters.get(name) ?? emptyFilter(name, fields);
    if (filter === undefined) throw unknownParameter(name, [...periodNames, ...own, ...fields]);
    filter.values.push(value);
    filters.set(name, filter);
  }

  const choice = <C extends string>(name: string, allowed: readonly C[], fallback: C): C => {
    const value = single.get(name) ?? fallback;
    if (!(allowed as readonly string[]).includes(value))
      throw new ParameterError({ error: `unknown ${name}`, allowed });
    return value as C;
  };
  return {
    period: parsePeriod(choice('range', rangeKeys, rangeDefault), single.get('from'), single.get('to')),
    filters: [...filters.values()],
    value: name => single.get(name),
    flag: name => !['0', 'false'].includes(single.get(name) ?? 'false'),
    choice,
    limit(fallback, most) {
      const text = single.get('limit')?.trim() ?? '';
      return /^[+-]?\d+(\.\d+)?$/.test(text) ? Math.min(Math.max(Math.floor(Number(text)), 1), most) : fallback;
    },
  };
};

/** A filter without values yet; undefined when the name is not that of a filter. */
const emptyFilter = <Field extends string>(name: string, fields: readonly Field[]): FilterOn<Field> | undefined => {
  const [, field, suffix] = /^(\w+)(\W*)$/.exec(name) ?? [];
  const found = filterOperators.find(row => row.suffix === suffix);
  if (found === undefined || !(fields as readonly string[]).includes(field!)) return undefined;
  return { field: field as Field, operator: found.operator, negated: found.negated, values: [] };
};

/** Filters as a person would type them: `country=DE; path*=blog`, or `none`. */
export const filtersText = (filters: readonly FilterOn<string>[]): string =>
  filters
    .flatMap(({ field, operator, negated, values }) => {
      const { suffix } = filterOperators.find(row => row.operator === operator && row.negated === negated)!;
      return values.map(value => `${field}${suffix}=${value}`);
    })
    .join('; ') || 'none';

/** `from` and `to` take the place of the range; `to` alone is that day alone. */
const parsePeriod = (range: RangeKey, from: string | undefined, to: string | undefined): Period => {
  if (from === undefined && to === undefined) return { range };
  const last = to === undefined ? null : parseDate('to', to);
  const first = from === undefined ? last! : parseDate('from', from);
  if (last !== null && first > last) throw new ParameterError({ error: 'bad date', parameter: 'from' });
  return { from: first, to: last };
};

/** The midnight of a date from 1970 on, as zone.ts holds wall-clock readings. */
const parseDate = (parameter: string, text: string): number => {
  const day = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(text) : Number.NaN;
  // Date.parse rejects a 13th month, but not every 31st day.
  const valid = day >= 0 && new Date(day).toISOString().startsWith(text);
  if (!valid) throw new ParameterError({ error: 'bad date', parameter });
  return day;
};
