/**
 * What hits can be filtered by, and how (docs/api.md, "Filters"): the one grammar of conditions,
 * for the API, the command line and the dashboard.
 */
import { type DimensionName, dimensionNames } from './dimensions.ts';

/** A property of hits, by its key: `prop:plan`. */
export type PropertyField = `prop:${string}`;

/** What pages said of a visitor in the visit, by its key: `trait:email`. */
export type TraitField = `trait:${string}`;

/** A field that names a key. */
export type KeyedField = PropertyField | TraitField;

/** What hits can be grouped by: a hit has one value of it, or none. */
export type DimensionField = DimensionName | PropertyField;

/**
 * `propKey` and `propValue` match hits that carry the key and value; together, on one property.
 * `duration` is that of the visit, in seconds; `scroll` how much of the page of a pageview was
 * seen, in percent.
 */
export type HitField = DimensionName | 'propKey' | 'propValue' | 'duration' | 'scroll' | KeyedField;

/** A segment or goal of the site by its name: hits that pass its filters. */
const definedFields = ['segment', 'goal'] as const;
export type DefinedField = (typeof definedFields)[number];
export type FilterField = HitField | DefinedField;

/** Stand in lists of fields for all properties, all traits, and the conditions on visits. */
export const anyPropertyField = 'prop:<key>';
export const anyTraitField = 'trait:<key>';
export const anyVisitField = 'visit:<field>';

/** Everything that a hit has. */
export const hitFields: readonly HitField[] = [
  ...dimensionNames,
  'propKey',
  'propValue',
  'duration',
  'scroll',
  anyPropertyField,
  anyTraitField,
  anyVisitField as HitField,
];
/** Everything that can be filtered by. */
export const filterFields: readonly FilterField[] = [...hitFields, ...definedFields];

export type FilterOperator =
  | 'is'
  | 'contains'
  | 'startsWith'
  | 'endsWith'
  | 'atLeast'
  | 'moreThan'
  | 'atMost'
  | 'lessThan';

export interface OperatorRow {
  /** What stands between the field and the value, as a person types it. */
  symbol: string;
  operator: FilterOperator;
  negated: boolean;
  /** Whether it compares numbers. */
  isNumeric: boolean;
  /** How people call it. */
  label: string;
}

const numericOperators: readonly FilterOperator[] = ['atLeast', 'moreThan', 'atMost', 'lessThan'];
export const isNumeric = (operator: FilterOperator): boolean => numericOperators.includes(operator);

/** An operator, and its negation. */
const rows = (symbol: string, operator: FilterOperator, label: string, negation: string): OperatorRow[] => {
  const row = { operator, isNumeric: isNumeric(operator) };
  return [
    { ...row, symbol, negated: false, label },
    { ...row, symbol: `!${symbol}`, negated: true, label: negation },
  ];
};

export const filterOperators: readonly OperatorRow[] = [
  ...rows('=', 'is', 'is', 'is not'),
  ...rows('*=', 'contains', 'contains', 'does not contain'),
  ...rows('^=', 'startsWith', 'starts with', 'does not start with'),
  ...rows('$=', 'endsWith', 'ends with', 'does not end with'),
  ...rows('>=', 'atLeast', 'at least', 'not at least'),
  ...rows('>', 'moreThan', 'more than', 'not more than'),
  ...rows('<=', 'atMost', 'at most', 'not at most'),
  ...rows('<', 'lessThan', 'less than', 'not less than'),
];

const numberFields: readonly string[] = ['duration', 'scroll'];
const isNumberField = (field: string): boolean => numberFields.includes(field);
export const isDefinedField = (field: string): field is DefinedField =>
  (definedFields as readonly string[]).includes(field);
export const isPropertyField = (field: string): field is PropertyField => field.startsWith('prop:');
export const isTraitField = (field: string): field is TraitField => field.startsWith('trait:');
export const isKeyedField = (field: string): field is KeyedField => isPropertyField(field) || isTraitField(field);
export const fieldKey = (field: KeyedField): string => field.slice(field.indexOf(':') + 1);

/** The operators that a field can be filtered with: properties and traits are texts and numbers. */
export const operatorsOf = (field: string): readonly OperatorRow[] => {
  if (isKeyedField(field)) return filterOperators;
  if (isDefinedField(field)) return filterOperators.filter(({ operator }) => operator === 'is');
  return filterOperators.filter(({ operator, isNumeric }) =>
    isNumberField(field) ? isNumeric || operator === 'is' : !isNumeric,
  );
};

/**
 * Matches a hit whose field has any of the values; negated, one that has none of them (so nulls
 * stay in). For `is`, an empty value stands for null, as does `Direct / none` for a referrer.
 * `contains` ignores case. Of a visit: all hits of the visits in which a hit matches; negated, of
 * those in which no hit does.
 */
export interface FilterOn<Field extends string> {
  field: Field;
  operator: FilterOperator;
  negated: boolean;
  values: string[];
  visit?: true;
}

/** What has one of these values of a field. */
export const isOneOf = <Field extends string>(field: Field, values: string[], negated = false): FilterOn<Field> => ({
  ...{ field, operator: 'is', negated, values },
});

/** What a filter looks at and how, without its values. */
export type FilterKind<Field extends string = FilterField> = Omit<FilterOn<Field>, 'values'>;

/** A number as filters take it, and as a stored text has to read to be compared with one. */
const numberPattern = String.raw`[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?`;
const isNumberText = new RegExp(`^${numberPattern}$`);
/** NaN for a text that is no number. */
export const numberOf = (text: string): number => (isNumberText.test(text) ? Number(text) : Number.NaN);

/** Whether the operator can compare the field with a value. */
export const isValueFor = ({ field, operator }: FilterKind<string>, value: string): boolean =>
  !(isNumeric(operator) || isNumberField(field)) ||
  Number.isFinite(numberOf(value)) ||
  (field === 'scroll' && operator === 'is' && value === '');

/**
 * The filter that a parameter stands for; undefined if its name is that of none of the fields. The
 * name ends with the operator, without the `=` that ends the name in an address. So `>` and `<`
 * alone stand with the number in the name, and have no value. A key that ends like an operator is
 * written in double quotes.
 */
export const readFilter = <Field extends string>(
  name: string,
  value: string,
  fields: readonly Field[],
): { kind: FilterKind<Field>; value: string } | undefined => {
  const mayBeOfVisit = (fields as readonly string[]).includes(anyVisitField);
  const ofVisit = mayBeOfVisit && name.startsWith('visit:');
  const read = partsOf(ofVisit ? name.slice('visit:'.length) : name, value);
  if (read === undefined) return undefined;
  const field = fieldNamed(read.field, fields);
  if (field === undefined) return undefined;
  const operator = operatorsOf(field).find(({ symbol }) => symbol === read.symbol);
  if (operator === undefined) return undefined;
  const kind = {
    field,
    operator: operator.operator,
    negated: operator.negated,
    ...(ofVisit && { visit: true as const }),
  };
  return { kind, value: read.value };
};

const fieldNamed = <Field extends string>(name: string, fields: readonly Field[]): Field | undefined => {
  if (name === anyVisitField) return undefined;
  if (!isKeyedField(name)) return fields.find(each => each === name);
  const any = isTraitField(name) ? anyTraitField : anyPropertyField;
  return (fields as readonly string[]).includes(any) ? (name as string as Field) : undefined;
};

interface Parts {
  field: string;
  symbol: string;
  value: string;
}

const quotedKey = /^(prop:|trait:)"((?:[^"]|"")+)"(.*)$/s;
const suffixes = /^(.+?)(!?[*^$<>]?)$/s;
const inName = new RegExp(`^(.+?)(!?[<>])(${numberPattern})$`, 's');
const inRest = new RegExp(`^(!?[<>])(${numberPattern})$`, 's');

const partsOf = (name: string, value: string): Parts | undefined => {
  const quoted = quotedKey.exec(name);
  if (quoted !== null) {
    const field = `${quoted[1]}${quoted[2]!.replaceAll('""', '"')}`;
    const [, symbol, number] = (value === '' && inRest.exec(quoted[3]!)) || [];
    return symbol === undefined ? { field, symbol: `${quoted[3]}=`, value } : { field, symbol, value: number! };
  }
  const [, field, symbol, number] = (value === '' && inName.exec(name)) || [];
  if (field !== undefined) return { field, symbol: symbol!, value: number! };
  const [, before, suffix] = suffixes.exec(name) ?? [];
  return before === undefined || before === 'prop:' || before === 'trait:'
    ? undefined
    : { field: before, symbol: `${suffix}=`, value };
};

/** A field as it stands in a parameter's name. */
const fieldText = (field: string): string => {
  if (!isKeyedField(field)) return field;
  const key = fieldKey(field);
  const needsQuotes = /[!*^$<>"]/.test(key);
  return needsQuotes ? `${field.slice(0, -key.length)}"${key.replaceAll('"', '""')}"` : field;
};

export const operatorOf = ({ operator, negated }: FilterKind<string>): OperatorRow =>
  filterOperators.find(row => row.operator === operator && row.negated === negated)!;

/** Names the kind of a filter; values of one name are alternatives. */
export const filterName = (kind: FilterKind<string>): string =>
  `${kind.visit ? 'visit:' : ''}${fieldText(kind.field)}${operatorOf(kind).symbol}`;

/** A filter, its name, and its values. */
export interface FilterGroup<Field extends string = FilterField> {
  /** Tells it from the other filters. */
  name: string;
  kind: FilterKind<Field>;
  values: string[];
}

/** The filters that some parameters stand for: those of one name are one with several values. */
export const groupFilters = <Field extends string>(
  read: Iterable<{ kind: FilterKind<Field>; value: string }>,
): FilterGroup<Field>[] => {
  const groups = new Map<string, FilterGroup<Field>>();
  for (const { kind, value } of read) {
    const name = filterName(kind);
    const group = groups.get(name) ?? { name, kind, values: [] };
    group.values.push(value);
    groups.set(name, group);
  }
  return [...groups.values()];
};

/** A filter with one value as a person types it: `path^=/docs/`, `prop:seats>3`. */
export const filterText = (kind: FilterKind<string>, value: string): string => `${filterName(kind)}${value}`;

const typed = /^((?:visit:)?(?:prop:|trait:)"(?:[^"]|"")+"[^=]*|[^=]*)=?(.*)$/s;
/** The parameter that a typed filter stands for: `path^=/docs/` is `path^` and `/docs/`. */
export const typedParameter = (text: string): [name: string, value: string] => {
  const [, name, value] = typed.exec(text)!;
  return [name!, value!];
};

/** The parameter that `readFilter` reads as this filter with this value. */
export const filterParameter = (kind: FilterKind<string>, value: string): [name: string, value: string] => {
  const name = filterName(kind);
  return name.endsWith('=') ? [name.slice(0, -1), value] : [name + value, ''];
};
