/** The filters of a slice, made ready once per query: per day each becomes a table over dictionary codes, so that rows only look codes up. */
import type { DimensionName } from '../../model/dimensions.ts';
import type { FilterField } from '../../model/filters.ts';
import { positionAmong } from '../../store/day/ascending.ts';
import type { Day } from '../../store/day/day.ts';
import type { Filter } from '../query.ts';
import { rememberById } from '../remember.ts';
import type { PlanContext } from '../reports/plan.ts';
import { type Field, fieldOf } from './fields.ts';
import { isNull, matches } from './match.ts';
import { filterProperties } from './property-filters.ts';
import type { LevelCondition } from './selection.ts';

/** Makes the condition that a filter is on one day. */
export type DayFilter = (day: Day) => LevelCondition;

export const prepareFilters = (filters: readonly Filter[], context: PlanContext): DayFilter[] => {
  const prepared = filters.flatMap(filter => {
    const { field } = filter;
    return isPropertyField(field) ? [] : filterDimension(field, filter, context);
  });
  const onProperties = filters.filter(({ field }) => isPropertyField(field));
  return onProperties.length === 0 ? prepared : [...prepared, filterProperties(onProperties, context)];
};

const isPropertyField = (field: FilterField): field is 'propKey' | 'propValue' =>
  field === 'propKey' || field === 'propValue';

const filterDimension = (dimension: DimensionName, filter: Filter, context: PlanContext): DayFilter => {
  const field = fieldOf(dimension);
  const test = filter.operator === 'is' ? testIds(field, filter, context) : testNames(field, filter, context);
  return day => {
    const { ofEntry, ids } = field.groups(day.dictionary(field.column));
    const passing = test(ids);
    if (filter.negated) for (let group = 0; group < passing.length; group++) passing[group]! ^= 1;
    const pass = ofEntry === null ? passing : Uint8Array.from(ofEntry, group => passing[group]!);
    return { level: field.level, values: day.keptCodes(field.column), pass };
  };
};

/** For ascending ids: 1 where the filter's values name the id. */
type IdTest = (ids: Uint32Array) => Uint8Array;

/** Looks the filter's values up once, and then only compares ids. */
const testIds = (field: Field, { values }: Filter, context: PlanContext): IdTest => {
  const wanted = values.map(value => (isNull(field.dimension, value) ? 0 : field.id(value, context)));
  return ids => {
    const passing = new Uint8Array(ids.length);
    for (const id of wanted) {
      const place = id === undefined ? -1 : positionAmong(ids, id);
      if (place >= 0) passing[place] = 1;
    }
    return passing;
  };
};

/** Looks at the name of every id, once for all days. */
const testNames = (field: Field, filter: Filter, context: PlanContext): IdTest => {
  const test = rememberById(id => (matches(filter, field.name(id, context)) ? 1 : 0));
  return ids => {
    const passing = new Uint8Array(ids.length);
    for (let place = 0; place < ids.length; place++) passing[place] = test(ids[place]!);
    return passing;
  };
};
