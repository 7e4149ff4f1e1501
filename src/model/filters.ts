/**
 * What hits can be filtered by, and how (docs/api.md, "Filters"): the one list of the fields and of
 * the operators, for the API and the dashboard.
 */
import { type DimensionName, dimensionNames } from './dimensions.ts';

/** `propKey` and `propValue` match hits that carry the key and value; together, on one property. */
export type FilterField = DimensionName | 'propKey' | 'propValue';
export const filterFields: readonly FilterField[] = [...dimensionNames, 'propKey', 'propValue'];

export type FilterOperator = 'is' | 'contains' | 'startsWith' | 'endsWith';

export interface OperatorRow {
  /** What the name of the filter's parameter ends with. */
  suffix: string;
  operator: FilterOperator;
  negated: boolean;
  /** How people call it. */
  label: string;
}

export const filterOperators: readonly OperatorRow[] = [
  { suffix: '', operator: 'is', negated: false, label: 'is' },
  { suffix: '!', operator: 'is', negated: true, label: 'is not' },
  { suffix: '*', operator: 'contains', negated: false, label: 'contains' },
  { suffix: '!*', operator: 'contains', negated: true, label: 'does not contain' },
  { suffix: '^', operator: 'startsWith', negated: false, label: 'starts with' },
  { suffix: '$', operator: 'endsWith', negated: false, label: 'ends with' },
];

/**
 * Matches a hit whose field has any of the values; negated, one that has none of them (so nulls
 * stay in). For `is`, an empty value stands for null, as does `Direct / none` for a referrer.
 * `contains` ignores case.
 */
export interface FilterOn<Field extends string> {
  field: Field;
  operator: FilterOperator;
  negated: boolean;
  values: string[];
}

/**
 * The filter that a parameter's name stands for, still without values; undefined if it is no
 * filter.
 */
export const filterNamed = <Field extends string>(
  name: string,
  fields: readonly Field[],
): FilterOn<Field> | undefined => {
  const [, found, suffix] = /^(\w+)(\W*)$/.exec(name) ?? [];
  const operator = filterOperators.find(row => row.suffix === suffix);
  const field = fields.find(each => each === found);
  if (operator === undefined || field === undefined) return undefined;
  return { field, operator: operator.operator, negated: operator.negated, values: [] };
};
