/**
 * Plausible's filters as ours: trees of lists, as its second API has them. Those of the first are
 * rewritten as such trees (v1-filters.ts).
 */
import { resolveFilters } from '../../api/definitions.ts';
import type { ReadableSite } from '../../api/endpoint.ts';
import { valueCharsMax } from '../../api/request/parameters.ts';
import { isOneOf } from '../../model/filters.ts';
import { isRecord } from '../../model/record.ts';
import type { FieldFilter, Filter } from '../../query/query.ts';
import {
  globConditions,
  regexConditions,
  type TakeValues,
  type TextCondition,
  valueCounter,
  valuesMax,
} from '../text-patterns.ts';
import { badQuery } from './errors.ts';
import { fieldNamed, isClosed, missingFields, type PlausibleField } from './fields.ts';

/** A filter that every hit must pass, and the dimensions it uses beside what visits did. */
export interface ReadFilter {
  filter: Filter;
  names: ReadonlySet<string>;
}

const depthMax = 8;

interface Context {
  view: ReadableSite;
  names: Set<string>;
  take: TakeValues;
  depth: number;
  isBehavioral: boolean;
}

/** Reads the `filters` of a query: a list of filters, or one by itself. Throws HttpError. */
export const readFilters = (given: unknown, view: ReadableSite): ReadFilter[] => {
  if (given === undefined || given === null) return [];
  if (!Array.isArray(given)) throw badQuery('filters must be a list.');
  const take = takeValues();
  const list = typeof given[0] === 'string' ? [given] : given;
  return flat(list).map(one => {
    const names = new Set<string>();
    return { filter: readFilter(one, { view, names, take, depth: 0, isBehavioral: false }), names };
  });
};

/** Those that are joined by a top-level `and` stand for themselves. */
const flat = (list: readonly unknown[]): unknown[] =>
  list.flatMap(one => (Array.isArray(one) && one[0] === 'and' && Array.isArray(one[1]) ? flat(one[1]) : [one]));

const takeValues = (): TakeValues =>
  valueCounter(() => badQuery(`The filters have more than ${valuesMax} values, counting what patterns stand for.`));

const readFilter = (given: unknown, outer: Context): Filter => {
  const context = { ...outer, depth: outer.depth + 1 };
  if (!Array.isArray(given) || typeof given[0] !== 'string') throw invalid(given);
  if (context.depth > depthMax) throw badQuery(`Filters are nested more than ${depthMax} levels deep.`);
  const [operator, second] = given as [string, unknown];
  const all = (list: unknown): Filter[] => {
    if (!Array.isArray(list) || list.length === 0) throw invalid(given);
    return list.map(one => readFilter(one, context));
  };
  switch (operator) {
    case 'and':
      return { anyOf: [all(second)], negated: false };
    case 'or':
      return { anyOf: all(second).map(one => [one]), negated: false };
    case 'not':
      return { anyOf: [[readFilter(second, context)]], negated: true };
    case 'has_done':
    case 'has_not_done': {
      if (context.isBehavioral) throw badQuery('has_done and has_not_done cannot be nested.');
      const done = readFilter(second, { ...context, isBehavioral: true });
      return { anyOf: [[done]], negated: operator === 'has_not_done', visit: true };
    }
    default:
      return readSimple(given as unknown[], operator, context);
  }
};

const operators = ['is', 'contains', 'matches', 'matches_wildcard'] as const;
type Operator = (typeof operators)[number];

const readSimple = (given: unknown[], name: string, context: Context): Filter => {
  const negated = name.endsWith('_not');
  const operator = operators.find(each => each === name.replace(/_not$/, ''));
  if (operator === undefined) throw badQuery(`Unknown operator for filter '${shown(given)}'.`);
  const [, dimension, values, modifiers] = given;
  if (typeof dimension !== 'string' || !Array.isArray(values) || values.length === 0) throw invalid(given);
  if (!values.every((value): value is string => typeof value === 'string')) throw invalid(given);
  if (values.some(value => value.length > valueCharsMax)) throw badQuery('A value of a filter is too long.');
  // A pattern takes as many as it stands for.
  if (!operator.startsWith('matches')) context.take(values.length);
  if (!context.isBehavioral) context.names.add(dimension);
  const ignoresCase = isRecord(modifiers) && modifiers.case_sensitive === false;
  if (dimension === 'segment') return segmentFilter(operator, values, negated, context);
  if (dimension === 'event:goal') return goalFilter(operator, values, negated, context);
  const field = fieldNamed(dimension);
  if (field === undefined) throw unknownField(dimension, given);
  if (dimension === 'event:name' && operator === 'is' && values.includes(outboundGoal)) {
    const others = values.filter(value => value !== outboundGoal);
    const named = openFilter({ field, operator, values: others, negated: false, ignoresCase }, context.take);
    return { anyOf: [[outboundLinks], ...(others.length === 0 ? [] : [[named]])], negated };
  }
  const condition = { field, operator, values, negated, ignoresCase };
  return isClosed(field) ? closedFilter(condition, context.take) : openFilter(condition, context.take);
};

const unknownField = (name: string, given: unknown): Error =>
  missingFields.includes(name) ? badQuery(`Daybook does not store ${name}.`) : invalid(given);

const filterOn = (field: FieldFilter['field'], { operator, negated, values }: TextCondition): FieldFilter => ({
  ...{ field, operator, negated, values },
});

interface AskedCondition {
  field: PlausibleField;
  operator: Operator;
  values: readonly string[];
  negated: boolean;
  ignoresCase: boolean;
}

const openFilter = ({ field, operator, values, negated, ignoresCase }: AskedCondition, take: TakeValues): Filter => {
  if (operator === 'is') {
    if (ignoresCase) throw badQuery('is cannot ignore case here: use contains, which does.');
    return filterOn(field.field, { operator, negated, values: values.map(value => ourValue(field, value)) });
  }
  if (operator === 'contains') return filterOn(field.field, { operator, negated, values: [...values] });
  const alternatives = values.flatMap(value => patternConditions(operator, value, take));
  return { anyOf: alternatives.map(list => list.map(one => filterOn(field.field, one))), negated };
};

/** The values that stand for none are empty here. */
const ourValue = (field: PlausibleField, value: string): string => {
  if (value === field.nullName) return '';
  return field.written === undefined || field.written.get(value) !== undefined
    ? value
    : ([...field.written].find(([, written]) => written === value)?.[0] ?? value);
};

const patternConditions = (operator: Operator, pattern: string, take: TakeValues): TextCondition[][] => {
  const glob = operator === 'matches_wildcard' ? globConditions(pattern, take) : undefined;
  const found = operator === 'matches' ? regexConditions(pattern, take) : glob && [glob];
  if (found !== undefined) return found;
  throw badQuery(
    operator === 'matches'
      ? `The pattern '${pattern}' is more than can be asked here: texts, escaped characters, .* at one place, ^, $ and | between whole patterns.`
      : `The pattern '${pattern}' is more than can be asked here: * at one place, or at both ends.`,
  );
};

/** Values of a closed list are compared as Plausible writes them, whatever the operator. */
const closedFilter = ({ field, operator, values, negated, ignoresCase }: AskedCondition, take: TakeValues): Filter => {
  const tests = values.map(value => testOf(operator, value, ignoresCase, take));
  const found = [...field.written!]
    .filter(([, written]) => tests.some(passes => passes(written)))
    .map(([ours]) => ours);
  const unset = tests.some(passes => passes('')) ? [''] : [];
  const all = [...found, ...unset];
  return isOneOf(field.field, all.length === 0 ? [nowhere] : all, negated);
};

/** No closed list has this value. */
const nowhere = '(none of them)';

const testOf = (
  operator: Operator,
  value: string,
  ignoresCase: boolean,
  take: TakeValues,
): ((text: string) => boolean) => {
  const folded = (text: string): string => (ignoresCase || operator === 'contains' ? text.toLowerCase() : text);
  if (operator === 'is') return text => folded(text) === folded(value);
  if (operator === 'contains') return text => text !== '' && folded(text).includes(folded(value));
  const alternatives = patternConditions(operator, value, take);
  return text => alternatives.some(list => list.every(one => passesCondition(one, text)));
};

const passesCondition = ({ operator, negated, values }: TextCondition, text: string): boolean => {
  const passes = values.some(value => {
    if (operator === 'is') return text === value;
    if (operator === 'startsWith') return text.startsWith(value);
    return operator === 'endsWith' ? text.endsWith(value) : text.toLowerCase().includes(value.toLowerCase());
  });
  return passes !== negated;
};

const segmentFilter = (operator: Operator, values: string[], negated: boolean, { view }: Context): Filter => {
  if (operator !== 'is') throw badQuery('A segment can only be filtered with is and is_not, by its name.');
  return named('segment', values, negated, view);
};

const named = (field: 'segment' | 'goal', values: string[], negated: boolean, view: ReadableSite): Filter =>
  resolveFilters([isOneOf(field, values, negated)], view.definitions, view.hidden)[0]!;

const goalFilter = (operator: Operator, values: string[], negated: boolean, { view, take }: Context): Filter => {
  if (negated || (operator !== 'is' && operator !== 'contains')) {
    throw badQuery('event:goal can only be filtered with is and contains.');
  }
  if (operator === 'is') return { anyOf: values.map(value => [goalNamed(value, view, take)]), negated: false };
  const saved = view
    .definitions('goal')
    .map(({ name }) => name)
    .concat(outboundGoal)
    .filter(name => values.some(value => name.includes(value)));
  const events = filterOn('event', { operator: 'contains', negated: false, values });
  return { anyOf: [...saved.map(name => [goalNamed(name, view, take)]), [events]], negated: false };
};

/** The hits of a goal that has a row: a saved one, links, or an event of whatever name. */
export const goalOfRow = (name: string, view: ReadableSite): Filter => {
  if (isSavedGoal(name, view)) return named('goal', [name], false, view);
  if (name === outboundGoal) return outboundLinks;
  return isOneOf('event', [name]);
};

const isSavedGoal = (name: string, view: ReadableSite): boolean =>
  view.definitions('goal').some(goal => goal.name === name);

/** Plausible's name for clicks on links to other hosts, which are events named by address here. */
export const outboundGoal = 'Outbound Link: Click';
export const outboundLinks: FieldFilter = {
  ...{ field: 'event', operator: 'startsWith', negated: false },
  values: ['https://', 'http://'],
};

/**
 * The hits that reach a goal: a saved one, `Visit` and a path, or an event by its name, so that a
 * goal need not be saved.
 */
const goalNamed = (name: string, view: ReadableSite, take: TakeValues): Filter => {
  const [, path] = /^Visit (\/.*|\*.*)$/s.exec(name) ?? [];
  if (path === undefined || isSavedGoal(name, view)) return goalOfRow(name, view);
  const page: Filter[] = patternConditions('matches_wildcard', path, take)[0]!.map(one => filterOn('path', one));
  return { anyOf: [[...page, pageviews]], negated: false };
};

/** Hits without the name of an event. */
const pageviews = isOneOf('event', ['']);

/** Whether a filter looks at a dimension, or at one that begins so. */
export const looksAt = ({ names }: ReadFilter, start: string): boolean =>
  [...names].some(name => name === start || (start.endsWith(':') && name.startsWith(start)));

/** A value of a dimension's row, as a filter. */
export const valueFilter = ({ field }: PlausibleField, value: string): Filter => isOneOf(field, [value]);

const invalid = (given: unknown): Error => badQuery(`Invalid filter '${shown(given)}'.`);
const shown = (given: unknown): string => (JSON.stringify(given) ?? '').slice(0, 200);
