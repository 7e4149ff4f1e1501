/**
 * The filters of a slice, prepared once per query. On a day each becomes one condition, on visits
 * or on hits: a table over the codes of a column, or over flags that it worked out.
 */
import { fieldKey, isPropertyField, isTraitField } from '../../model/filters.ts';
import { brieflyCode, scrollOf } from '../../model/hit.ts';
import type { Day } from '../../store/day/day.ts';
import type { FinishedImports } from '../../store/removal-rules.ts';
import type { QueryContext } from '../context.ts';
import { type FieldFilter, type Filter, isFieldFilter, type Slice } from '../query.ts';
import type { Scratch } from '../scratch.ts';
import { type Field, fieldOf } from './fields.ts';
import { allRows, type DayFilter, filterRows, isOne, type LevelCondition } from './filter-rows.ts';
import { flagged } from './lists.ts';
import { isNull, testNumber } from './match.ts';
import { filterPairs, filterProperty } from './property-filters.ts';
import { selectPassing } from './select.ts';
import { type IdTest, testIds, testTexts } from './text-test.ts';

export const prepareFilters = (filters: readonly Filter[], context: QueryContext): DayFilter[] => {
  const ofPairs = filters.filter(isOfPair);
  const prepared = filters.filter(filter => !isOfPair(filter)).map(filter => prepare(filter, context));
  return ofPairs.length === 0 ? prepared : [...prepared, filterPairs(ofPairs, context)];
};

/** What a slice selects, but for its time. */
export const prepareSlice = (
  { filters, imports }: Pick<Slice, 'filters' | 'imports'>,
  context: QueryContext,
): DayFilter[] => [...prepareFilters(filters, context), ...(imports === undefined ? [] : [broughtBy(imports)])];

/** Passes hits that were collected, or that one of some imports brought. */
const broughtBy =
  ({ newest, unfinished }: FinishedImports): DayFilter =>
  (day, _, scratch) => {
    const flags = scratch.bytes(day.hits);
    const ofHits = day.imports?.();
    const isOf = (id: number): number => (id <= newest && !unfinished.includes(id) ? 1 : 0);
    if (ofHits === undefined) flags.fill(isOf(day.part.importId ?? 0));
    else for (let hit = 0; hit < flags.length; hit++) flags[hit] = isOf(ofHits[hit]!);
    return { level: 'hit', values: flags, pass: isOne };
  };

/** Those on key and value are about the same property: they are prepared together. */
const isOfPair = (filter: Filter): filter is FieldFilter =>
  isFieldFilter(filter) && !filter.visit && ['propKey', 'propValue'].includes(filter.field);

const prepare = (filter: Filter, context: QueryContext): DayFilter => {
  const { negated, visit, ...rest } = filter;
  const onHits = prepareOnHits({ ...rest, negated: false } as Filter, context);
  const positive = visit ? onVisits(onHits) : onHits;
  return negated ? not(positive) : positive;
};

/** Of a filter that is not negated. */
const prepareOnHits = (filter: Filter, context: QueryContext): DayFilter => {
  if (!isFieldFilter(filter)) {
    const lists = filter.anyOf.map(list => prepareFilters(list, context));
    const [only] = lists.length === 1 ? lists[0]! : [];
    return only !== undefined && lists[0]!.length === 1 ? only : anyOf(lists);
  }
  const { field } = filter;
  if (isPropertyField(field)) return filterProperty(fieldKey(field), filter, context);
  if (isTraitField(field)) return filterTrait(fieldKey(field), filter, context);
  if (field === 'propKey' || field === 'propValue') return filterPairs([filter], context);
  if (field === 'duration') return filterDuration(filter);
  return field === 'scroll' ? filterScroll(filter) : filterDimension(fieldOf(field, context), filter, context);
};

const not =
  (of: DayFilter): DayFilter =>
  (day, index, scratch) => {
    const condition = of(day, index, scratch);
    return { ...condition, pass: condition.pass.map(one => 1 - one) };
  };

/** Passes all hits of the visits in which a hit passes, wherever in the visit it is. */
const onVisits =
  (of: DayFilter): DayFilter =>
  (day, index, scratch) => {
    const condition = of(day, index, scratch);
    if (condition.level === 'visit') return condition;
    const flags = scratch.bytes(day.visits);
    scratch.within(inner => {
      const selection = selectPassing(day, index, [condition], inner);
      return flagged(selection?.visits() ?? new Uint32Array(0), flags);
    });
    return { level: 'visit', values: flags, pass: isOne };
  };

/** Passes what passes all filters of a list. The lists take their memory one after the other. */
const anyOf =
  (lists: readonly (readonly DayFilter[])[]): DayFilter =>
  (day, index, scratch) => {
    const flags = { visit: scratch.bytes(day.visits).fill(0), hit: scratch.bytes(day.hits).fill(0) };
    const flagHits = (all: readonly LevelCondition[], inner: Scratch): void => {
      const selection = selectPassing(day, index, all, inner);
      if (selection !== undefined) flag(selection.found().rows, flags.hit);
    };
    const levels = lists.map(list =>
      scratch.within(inner => {
        const all = list.map(of => of(day, index, inner));
        const isOfVisits = all.every(({ level }) => level === 'visit');
        if (isOfVisits) flag(filterRows(allRows, all, inner).rows, flags.visit);
        else flagHits(all, inner);
        return isOfVisits ? 'visit' : 'hit';
      }),
    );
    const level = levels.includes('hit') ? 'hit' : 'visit';
    const ofVisits: LevelCondition = { level: 'visit', values: flags.visit, pass: isOne };
    if (level === 'hit') scratch.within(inner => flagHits([ofVisits], inner));
    return { level, values: flags[level], pass: isOne };
  };

/** Null: all rows. */
const flag = (rows: Uint32Array | null, flags: Uint8Array): void => {
  if (rows === null) flags.fill(1);
  else for (let i = 0; i < rows.length; i++) flags[rows[i]!] = 1;
};

const filterDimension = (field: Field, filter: FieldFilter, context: QueryContext): DayFilter => {
  const ids = filter.values.map(value => (isNull(field.dimension, value) ? 0 : field.id(value, context)));
  const test = filter.operator === 'is' ? testIds(ids) : field.test(filter, context);
  return day => passingIds(day, field, test);
};

/** The condition that the id of a dimension's value passes a test. */
export const passingIds = (day: Day, field: Field, test: IdTest): LevelCondition => {
  const { ofEntry, ids } = field.groups(day);
  const passing = test(ids);
  const pass = ofEntry === null ? passing : Uint8Array.from(ofEntry, group => passing[group]!);
  return { level: field.level, values: field.codes(day), pass };
};

/** Traits are those that the visit ended up with. */
const filterTrait = (trait: string, filter: FieldFilter, context: QueryContext): DayFilter => {
  const test = testTexts({ ...filter, trait }, context);
  return day => ({ level: 'visit', values: day.keptCodes('traits'), pass: test(day.dictionary('traits')) });
};

const filterScroll = (filter: FieldFilter): DayFilter => {
  const { values } = filter;
  const passes = testNumber({ ...filter, values: values.filter(value => value !== '') });
  const pass = Uint8Array.from({ length: 1 + brieflyCode }, (_, code) => {
    const percent = scrollOf(code);
    return (percent === null ? values.includes('') : passes(percent)) ? 1 : 0;
  });
  return day => ({ level: 'hit', values: day.keptNumbers('scroll'), pass });
};

const filterDuration = (filter: FieldFilter): DayFilter => {
  const passes = testNumber(filter);
  return (day, index, scratch) => {
    const flags = scratch.bytes(day.visits);
    const milliseconds = index.numbers('duration');
    for (let visit = 0; visit < flags.length; visit++) flags[visit] = passes(milliseconds[visit]! / 1000) ? 1 : 0;
    return { level: 'visit', values: flags, pass: isOne };
  };
};
