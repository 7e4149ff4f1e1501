/**
 * Reads the parameters of a question (docs/api.md, "Ranges" and "Filters"): the period, the
 * filters, and the endpoint's own. Every name must be known: a misspelt filter must never be
 * answered with unfiltered numbers.
 */
import { type DimensionName, dimensionNames } from '../../model/dimensions.ts';
import {
  anyPropertyField,
  type DimensionField,
  type FilterField,
  type FilterKind,
  type FilterOn,
  fieldKey,
  filterText,
  groupFilters,
  isKeyedField,
  isPropertyField,
  isValueFor,
  type KeyedField,
  readFilter,
  typedParameter,
} from '../../model/filters.ts';
import { propertyKeyCharsMax } from '../../model/limits.ts';
import { type RangeKey, rangeDefault, rangeKeys, ranges } from '../../model/ranges.ts';
import { oneOf, type Schema, text } from '../schema.ts';
import { type Comparison, comparisonNames, type Period } from './window.ts';

/**
 * More parameters, or a longer value, than any question needs. Values are as long as the longest
 * text a hit can carry.
 */
const parametersMax = 100;
export const valueCharsMax = 2000;

/** What is wrong with the parameters, as the body of the answer 400 (docs/api.md, "Errors"). */
export class ParameterError extends Error {
  readonly body: Readonly<{
    error: string;
    /** The name of the parameter. */
    parameter: string;
    /** What it cannot be, or what in it is wrong. */
    value?: string;
    allowed?: readonly string[];
  }>;

  constructor({ error, parameter, value, allowed }: ParameterError['body']) {
    super(error);
    this.body = {
      ...{ error, parameter: clipped(parameter) },
      ...(value !== undefined && { value: clipped(value) }),
      ...(allowed !== undefined && { allowed }),
    };
  }
}

/** Enough to find it by; an answer is not as long as what was sent. */
const clipped = (text: string): string => text.slice(0, 100);

/** Reads what a parameter holds or stands for: an error in there is an error of the parameter. */
export const blaming = <T>(parameter: string, read: () => T): T => {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ParameterError)) throw error;
    const { error: wrong, parameter: name, value = name, allowed } = error.body;
    const isUnknownName = wrong === 'unknown parameter';
    throw new ParameterError({
      ...{ error: isUnknownName ? 'unknown filter' : wrong, parameter, value },
      ...(allowed && { allowed }),
    });
  }
};

/** For a name that nobody knows. */
export const unknownParameter = (name: string, allowed: readonly string[]): ParameterError =>
  new ParameterError({ error: 'unknown parameter', parameter: name, allowed });

export const missingParameter = (parameter: string): ParameterError =>
  new ParameterError({ error: 'missing parameter', parameter });

/** Throws ParameterError for any name but a few, and where one of these is repeated or too long. */
export const refuseParameters = (search: URLSearchParams, own: OwnParameters = {}): void => {
  const given = new Set<string>();
  for (const [name, value] of search) {
    if (isIgnored(name)) continue;
    if (!Object.hasOwn(own, name)) throw unknownParameter(name, Object.keys(own));
    if (value.length > valueCharsMax) throw new ParameterError({ error: 'value too long', parameter: name });
    if (given.has(name)) throw new ParameterError({ error: 'repeated parameter', parameter: name });
    given.add(name);
  }
};

/** Names that mean nothing, such as those that keep an answer out of a cache. */
export const isIgnored = (name: string): boolean => name.startsWith('_');

/** A parameter that is no filter: its values, what they mean, and how one is read. */
export interface Parameter<T = unknown> {
  schema: Schema;
  meaning: string;
  /** Whether it has to be there. */
  isRequired?: true;
  /** The text is undefined where the parameter is missing. Throws ParameterError. */
  read(text: string | undefined, name: string): T;
}

export interface RepeatedParameter<T = unknown> {
  schema: Schema;
  meaning: string;
  /** Whether it has to be there. */
  isRequired?: true;
  /** The texts in their order, none where it is missing. Throws ParameterError. */
  readAll(texts: readonly string[], name: string): T;
}

/** One of a few values. */
export const choice = <C extends string>(allowed: readonly C[], preset: C, meaning: string): Parameter<C> => ({
  schema: { ...oneOf(allowed), default: preset },
  meaning,
  read(value = preset, name) {
    if (!(allowed as readonly string[]).includes(value)) {
      throw new ParameterError({ error: `unknown ${name}`, parameter: name, value, allowed });
    }
    return value as C;
  },
});

/** What rows are values of: a dimension, or `prop:` and all of the key of a property. */
export const dimensionNameSchema = oneOf(dimensionNames);
export const dimensionSchema: Schema<DimensionField> = {
  anyOf: [dimensionNameSchema, { ...text, pattern: '^prop:.' }],
};

export const dimensionOf = (preset: DimensionName, meaning: string): Parameter<DimensionField> => ({
  schema: { ...dimensionSchema, default: preset, examples: [preset, 'prop:plan'] },
  meaning: `${meaning}: a dimension, or the values of a property, such as prop:plan`,
  read(value = preset, name) {
    if (!isPropertyField(value)) {
      const known = dimensionNames.find(each => each === value);
      if (known !== undefined) return known;
      const allowed = [...dimensionNames, anyPropertyField];
      throw new ParameterError({ error: `unknown ${name}`, parameter: name, value, allowed });
    }
    refuseBadKey(value, name);
    return value;
  },
});

const refuseBadKey = (field: KeyedField, parameter: string): void => {
  const { length } = fieldKey(field);
  if (length === 0 || length > propertyKeyCharsMax) throw new ParameterError({ error: 'bad property key', parameter });
};

/** A number of rows: clamped to 1 and `most`, the preset where there is no number. */
export const rowLimit = (preset: number, most: number, meaning = 'Rows at most'): Parameter<number> => ({
  schema: { type: 'integer', minimum: 1, maximum: most, default: preset },
  meaning: `${meaning}; clamped, never rejected`,
  read(value = '') {
    const isNumber = /^[+-]?\d+(\.\d+)?$/.test(value.trim());
    return isNumber ? Math.min(Math.max(Math.floor(Number(value)), 1), most) : preset;
  },
});

/** Of a switch in an address. */
export const flagSchema: Schema = { type: 'string', default: '0' };

export const flag = (meaning: string): Parameter<boolean> => ({
  schema: flagSchema,
  meaning: `${meaning}. On with any value but 0 and false`,
  read: (value = '0') => value !== '0' && value !== 'false',
});

export const freeText = (meaning: string): Parameter<string | undefined> => ({
  schema: text,
  meaning,
  read: value => value,
});

/** One that has to be there. */
export const requiredText = (meaning: string): Parameter<string> => ({
  schema: text,
  meaning,
  isRequired: true,
  read(value = '', name) {
    if (value === '') throw missingParameter(name);
    return value;
  },
});

/** Some of a few names, with commas between them, each once. */
export const choices = <C extends string>(
  what: string,
  allowed: readonly C[],
  preset: readonly C[],
  meaning: string,
): Parameter<C[]> => ({
  schema: { ...text, default: preset.join(',') },
  meaning: `${meaning}, with commas between them: ${allowed.join(', ')}`,
  read(given = preset.join(','), parameter) {
    const names = given.split(',');
    const value = names.find(name => !(allowed as readonly string[]).includes(name));
    if (value !== undefined) throw new ParameterError({ error: `unknown ${what}`, parameter, value, allowed });
    return [...new Set(names)] as C[];
  },
});

/** What to compare with. */
export const comparison = (preset: Comparison & string): Parameter<Comparison> => ({
  schema: { ...text, default: preset },
  meaning:
    'The window to compare with: previous, the one before; previous-weekday, the fewest whole weeks before; year, the same a year before; year-weekday, 52 weeks before; none; or local days, both included, such as 2026-01-01_2026-01-31',
  read(value = preset, name) {
    const known = comparisonNames.find(each => each === value);
    if (known !== undefined) return known;
    const [from, to, ...more] = value.split('_');
    if (to === undefined || more.length > 0)
      throw new ParameterError({
        ...{ error: `unknown ${name}`, parameter: name, value },
        allowed: [...comparisonNames, 'FROM_TO'],
      });
    const days = { from: parseDate(from!, name), to: parseDate(to, name) };
    if (days.from > days.to) throw new ParameterError({ error: 'bad date', parameter: name });
    return days;
  },
});

const date = (meaning: string): Parameter<number | null> => ({
  schema: { type: 'string', format: 'date' },
  meaning,
  read: (value, name) => (value === undefined ? null : parseDate(value, name)),
});

/** What every question about a site knows. */
export const periodParameters = {
  range: choice(
    rangeKeys,
    rangeDefault,
    `Local days of the site: ${rangeKeys.map(key => `${key} ${ranges[key].label}`).join(', ')}`,
  ),
  from: date('First local day, in place of range. Alone, it reaches until today'),
  to: date('Last local day, included. Alone, it is that one day'),
};

/** Takes filters as a person types them: generated clients can put no operator into a name. */
export const filterParameter = 'filter';

export type OwnParameters = Readonly<Record<string, Parameter | RepeatedParameter>>;
type ParameterValues<Own extends OwnParameters> = {
  [Name in keyof Own]: Own[Name] extends Parameter<infer T> | RepeatedParameter<infer T> ? T : never;
};

/**
 * What a request asks: the period, the filters in the order they came, and the value of each of the
 * endpoint's own parameters.
 */
export type Asked<Own extends OwnParameters = Record<never, never>, Field extends string = FilterField> = {
  period: Period;
  filters: FilterOn<Field>[];
} & ParameterValues<Own>;

/** Throws ParameterError. `fields` are what can be filtered by. */
export const parseParameters = <Own extends OwnParameters, Field extends string>(
  search: URLSearchParams,
  own: Own,
  fields: readonly Field[],
): Asked<Own, Field> => {
  const known: OwnParameters = { ...periodParameters, ...own };
  const given = new Map<string, string[]>();
  const filters: [name: string, value: string][] = [];
  const typed: string[] = [];
  let count = 0;
  for (const [name, value] of search) {
    if (isIgnored(name)) continue;
    if (++count > parametersMax) throw new ParameterError({ error: 'too many parameters', parameter: name });
    if (value.length > valueCharsMax) throw new ParameterError({ error: 'value too long', parameter: name });
    if (Object.hasOwn(known, name)) {
      if (given.has(name) && !('readAll' in known[name]!)) {
        throw new ParameterError({ error: 'repeated parameter', parameter: name });
      }
      given.set(name, [...(given.get(name) ?? []), value]);
      continue;
    }
    if (name === filterParameter && fields.length > 0) typed.push(value);
    else filters.push([name, value]);
  }
  const read = <T>(name: string, parameter: Parameter<T> | RepeatedParameter<T>): T => {
    const texts = given.get(name) ?? [];
    return 'readAll' in parameter ? parameter.readAll(texts, name) : parameter.read(texts[0], name);
  };
  const { range, from, to } = periodParameters;
  return {
    period: periodOf(read('range', range), read('from', from), read('to', to)),
    filters: grouped([
      ...readFilters(filters, fields, Object.keys(known)),
      ...typed.flatMap(text => blaming(filterParameter, () => readFilters([typedParameter(text)], fields))),
    ]),
    ...(Object.fromEntries(Object.entries(own).map(([name, row]) => [name, read(name, row)])) as ParameterValues<Own>),
  };
};

/**
 * The filters that some parameters stand for. Throws ParameterError where a name stands for none.
 */
export const parseFilters = <Field extends string>(
  parameters: Iterable<[name: string, value: string]>,
  fields: readonly Field[],
): FilterOn<Field>[] => grouped(readFilters(parameters, fields));

const grouped = <Field extends string>(read: readonly ReadFilter<Field>[]): FilterOn<Field>[] =>
  groupFilters(read).map(({ kind, values }) => ({ ...kind, values }));

/** A filter with one value. */
interface ReadFilter<Field extends string> {
  kind: FilterKind<Field>;
  value: string;
}

const readFilters = <Field extends string>(
  parameters: Iterable<[name: string, value: string]>,
  fields: readonly Field[],
  others: readonly string[] = [],
): ReadFilter<Field>[] =>
  Array.from(parameters, ([parameter, text]) => {
    const filter = readFilter(parameter, text, fields);
    if (filter === undefined) throw unknownParameter(parameter, [...others, ...fields]);
    const { kind, value } = filter;
    if (isKeyedField(kind.field)) refuseBadKey(kind.field, parameter);
    if (!isValueFor(kind, value)) throw new ParameterError({ error: 'bad number', parameter });
    return filter;
  });

/** Filters as a person would type them: `country=DE; path*=blog`, or `none`. */
export const filtersText = (filters: readonly FilterOn<string>[]): string =>
  filters.flatMap(filter => filter.values.map(value => filterText(filter, value))).join('; ') || 'none';

/** `from` and `to` take the place of the range; `to` alone is that day alone. */
const periodOf = (range: RangeKey, from: number | null, to: number | null): Period => {
  if (from === null && to === null) return { range };
  const first = from ?? to!;
  if (to !== null && first > to) throw new ParameterError({ error: 'bad date', parameter: 'from' });
  return { from: first, to };
};

/** The midnight of a date from 1970 on, as zone.ts holds wall-clock readings. */
const parseDate = (value: string, parameter: string): number => {
  const day = /^\d{4}-\d\d-\d\d$/.test(value) ? Date.parse(value) : Number.NaN;
  // Date.parse rejects a 13th month, but not every 31st day.
  const valid = day >= 0 && new Date(day).toISOString().startsWith(value);
  if (!valid) throw new ParameterError({ error: 'bad date', parameter });
  return day;
};
