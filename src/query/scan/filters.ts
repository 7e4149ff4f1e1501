/**
 * The filters of a slice, prepared once per query. Per day each becomes a table over dictionary
 * codes, so that rows only look codes up.
 */
import type { DimensionName } from '../../model/dimensions.ts';
import type { FilterField } from '../../model/filters.ts';
import { positionAmong } from '../../store/day/ascending.ts';
import type { QueryContext } from '../context.ts';
import type { Filter } from '../query.ts';
import { type Field, fieldOf } from './fields.ts';
import type { DayFilter } from './filter-rows.ts';
import { isNull } from './match.ts';
import { filterProperties } from './property-filters.ts';
import type { IdTest } from './text-test.ts';

export const prepareFilters = (filters: readonly Filter[], context: QueryContext): DayFilter[] => {
  const prepared = filters.flatMap(filter => {
    const { field } = filter;
    return isPropertyField(field) ? [] : filterDimension(field, filter, context);
  });
  const onProperties = filters.filter(({ field }) => isPropertyField(field));
  return onProperties.length === 0 ? prepared : [...prepared, filterProperties(onProperties, context)];
};

const isPropertyField = (field: FilterField): field is 'propKey' | 'propValue' =>
  field === 'propKey' || field === 'propValue';

const filterDimension = (dimension: DimensionName, filter: Filter, context: QueryContext): DayFilter => {
  const field = fieldOf(dimension);
  const test = filter.operator === 'is' ? testIds(field, filter, context) : field.test(filter, context);
  return day => {
    const { ofEntry, ids } = field.groups(day.dictionary(field.column));
    const passing = test(ids);
    if (filter.negated) for (let group = 0; group < passing.length; group++) passing[group]! ^= 1;
    const pass = ofEntry === null ? passing : Uint8Array.from(ofEntry, group => passing[group]!);
    return { level: field.level, values: day.keptCodes(field.column), pass };
  };
};

/** Looks the filter's values up once, then compares ids. */
const testIds = (field: Field, { values }: Filter, context: QueryContext): IdTest => {
  const wanted = values.map(value => (isNull(field.dimension, value) ? 0 : field.id(value, context)));
  return ids => {
    const passing = new Uint8Array(ids.length);
    for (const id of wanted) {
      const position = id === undefined ? -1 : positionAmong(ids, id);
      if (position >= 0) passing[position] = 1;
    }
    return passing;
  };
};
