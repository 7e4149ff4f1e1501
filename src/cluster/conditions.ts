/** Filters as conditions on rows of hits, as docs/api.md ("Filters") has them. */
import { type FilterOn, fieldKey, isKeyedField, isNumeric, isTraitField, type KeyedField } from '../model/filters.ts';
import { brieflyCode } from '../model/hit.ts';
import { directName } from '../model/visit-fields.ts';
import { type FieldFilter, type Filter, isFieldFilter } from '../query/query.ts';
import type { RowSource } from './source.ts';
import { all, any, float, list, not, text } from './sql.ts';

/** A custom, outbound or revenue hit that has a name. */
export const isEvent = `event != '' and type in (2, 3, 4)`;

/** What the filters of a step, a slice or a list select, among the hits of a source. */
export const conditionOf = (filters: readonly Filter[], source: RowSource): string => {
  const onPairs = filters.filter(isOnPairs);
  const others = filters.filter(filter => !isOnPairs(filter)).map(filter => one(filter, source));
  return all(onPairs.length === 0 ? others : [pairsCondition(onPairs), ...others]);
};

/** The text that a hit has of a dimension, a property or a trait; empty for null. */
export const textOf = (field: string): string => {
  if (isKeyedField(field)) return ofKey(field, 'text');
  return field === 'scroll' ? `if(${tellsScroll}, toString(scroll - 1), '')` : field;
};

/** What the columns of properties or traits have under a key; empty or 0 where that is missing. */
const ofKey = (field: KeyedField, what: 'text' | 'number'): string =>
  `${tableOf(field)}_${what}[indexOf(${tableOf(field)}_key, ${text(fieldKey(field))})]`;
const tableOf = (field: KeyedField): string => (isTraitField(field) ? 'trait' : 'prop');

/** What filters on one text select. */
export const textCondition = (filters: readonly FilterOn<string>[], column: string): string =>
  all(filters.map(filter => (filter.negated ? not(named(filter, column)) : named(filter, column))));

/** Page views whose scroll depth is known, as model/hit.ts codes it. */
export const tellsScroll = `type = 1 and scroll > 0 and scroll < ${brieflyCode}`;
/** Page views whose time is known. */
export const tellsSeconds = 'type = 1 and (secondsOnPage > 0 or scroll > 0)';

const isOnPairs = (filter: Filter): filter is FieldFilter =>
  isFieldFilter(filter) && !filter.visit && (filter.field === 'propKey' || filter.field === 'propValue');

const one = (filter: Filter, source: RowSource): string => {
  const holds = holdsFor(filter, source);
  const { table, days } = source;
  const condition = filter.visit ? `visit in (select visit from ${table} where ${all([days, holds])})` : holds;
  return filter.negated ? not(condition) : condition;
};

/** Whether a hit has what the filter names, before negation. */
const holdsFor = (filter: Filter, source: RowSource): string => {
  if (!isFieldFilter(filter)) return any(filter.anyOf.map(filters => conditionOf(filters, source)));
  const { field, operator, values } = filter;
  if (field === 'propKey' || field === 'propValue') return pairsCondition([{ ...filter, negated: false }]);
  const comparesNumbers = isNumeric(operator) || field === 'duration';
  return comparesNumbers ? any(values.map(value => compared(filter, value))) : named(filter, textOf(field));
};

const signs = { is: '=', atLeast: '>=', moreThan: '>', atMost: '<=', lessThan: '<' } as const;

const compared = ({ field, operator }: FieldFilter, value: string): string => {
  const comparison = `${signs[operator as keyof typeof signs]} ${float(Number(value))}`;
  if (field === 'duration') return `duration / 1000 ${comparison}`;
  if (field === 'scroll') return `${tellsScroll} and toFloat64(scroll - 1) ${comparison}`;
  if (!isKeyedField(field)) throw new Error(`${field} is no number`);
  return `has(${tableOf(field)}_key, ${text(fieldKey(field))}) and ${ofKey(field, 'number')} ${comparison}`;
};

/** Whether a text, empty for null, is one that the filter names, before negation. */
const named = ({ field, operator, values }: FilterOn<string>, column: string): string => {
  if (operator === 'is') {
    const wanted = values.map(value => (field === 'referrer' && value === directName ? '' : value));
    return `${column} in ${list(wanted)}`;
  }
  const tests = values.map(value => {
    if (value === '') return '1';
    if (operator === 'contains') return contains(column, value);
    return `${operator === 'startsWith' ? 'startsWith' : 'endsWith'}(${column}, ${text(value)})`;
  });
  return all([`${column} != ''`, any(tests)]);
};

/** Case makes no difference. */
export const contains = (column: string, value: string): string =>
  `positionCaseInsensitiveUTF8(${column}, ${text(value)}) > 0`;

/**
 * On one property of a hit: a hit without properties has one whose key and value are null. What is
 * negated may hold for none of those that pass the rest.
 */
const pairsCondition = (filters: readonly FieldFilter[]): string => {
  const side = (filter: FieldFilter): string => named(filter, filter.field === 'propKey' ? 'one_key' : 'one_text');
  const exists = (conditions: readonly string[]): string =>
    `arrayExists((one_key, one_text) -> ${all(conditions)}, if(empty(prop_key), [''], prop_key), if(empty(prop_key), [''], prop_text))`;
  const wanted = filters.filter(({ negated }) => !negated);
  const unwanted = filters.filter(({ negated }) => negated);
  return all([
    exists(wanted.map(side)),
    ...unwanted.map(filter =>
      not(exists([side(filter), ...wanted.filter(({ field }) => field !== filter.field).map(side)])),
    ),
  ]);
};
