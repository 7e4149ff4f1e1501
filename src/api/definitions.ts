/**
 * Goals, segments and funnels of a site: what can be saved under a name, and what filters by such a
 * name stand for.
 */
import {
  type DefinitionBodies,
  type DefinitionKind,
  definitionCharsMax,
  definitionNameCharsMax,
  type Goal,
  type Segment,
} from '../model/definitions.ts';
import { type DimensionName, dimensions, levelOf } from '../model/dimensions.ts';
import {
  type DefinedField,
  type FilterField,
  type FilterOn,
  filterFields,
  filterParameter,
  type HitField,
  hitFields,
  isDefinedField,
  isTraitField,
  readFilter,
} from '../model/filters.ts';
import { partOfField } from '../model/public-parts.ts';
import { queryText } from '../model/query-text.ts';
import { ValueError } from '../model/values.ts';
import { type Filter, isFieldFilter } from '../query/query.ts';
import type { Definition, Definitions } from '../store/definitions.ts';
import { readAlternatives, readCondition } from './request/conditions.ts';
import { blaming, ParameterError } from './request/parameters.ts';
import { type AskedStep, readFunnelQuestion } from './request/steps.ts';

/** The definitions of a site, as they are when a request first asks for them. */
export type SiteDefinitions = <K extends DefinitionKind>(kind: K) => Definition<K>[];

/** For one request: each list is read once, however many names the request has. */
export const definitionsOf = (definitions: Pick<Definitions, 'list'>, siteId: number): SiteDefinitions => {
  const lists = new Map<DefinitionKind, Definition[]>();
  return <K extends DefinitionKind>(kind: K): Definition<K>[] => {
    const list = lists.get(kind) ?? definitions.list(siteId, kind);
    lists.set(kind, list);
    return list as Definition<K>[];
  };
};

/** Throws ValueError. */
export const definitionNameOf = (typed: string): string => {
  const name = typed.trim();
  if (name === '') throw new ValueError('It needs a name.');
  if (name.length > definitionNameCharsMax) {
    throw new ValueError(`The name has more than ${definitionNameCharsMax} characters.`);
  }
  return name;
};

/** A kind of definition: what it is made of, as texts that people type. */
interface KindRow<K extends DefinitionKind> {
  /** Throws ValueError, and ParameterError where conditions cannot be read. */
  read(typed: Readonly<Record<string, string>>): DefinitionBodies[K];
}

const kinds: { [K in DefinitionKind]: KindRow<K> } = {
  segment: {
    read({ filters = '' }) {
      readCondition(filters, 'filters', segmentFields);
      return { filters };
    },
  },
  goal: {
    read({ conditions = '', value = '' }) {
      readAlternatives(conditions, 'conditions');
      return { conditions, value: minorUnitsOf(value) };
    },
  },
  funnel: {
    read({ question = '' }) {
      readFunnelQuestion(question);
      return { question };
    },
  },
};

/** A segment may hold goals, but no segments. */
const segmentFields: readonly FilterField[] = [...hitFields, 'goal'];

const minorUnitsOf = (typed: string): number | null => {
  if (typed.trim() === '') return null;
  const value = Number(typed);
  if (Number.isSafeInteger(value) && value >= 0) return value;
  throw new ValueError('A value is a whole number of minor units, such as 4900 for 49.00.');
};

/** Reads a definition from its texts. Throws ValueError. */
export const definitionOf = <K extends DefinitionKind>(
  kind: K,
  typed: Readonly<Record<string, string>>,
): DefinitionBodies[K] => {
  if (Object.values(typed).some(text => text.length > definitionCharsMax)) {
    throw new ValueError(`A ${kind} has at most ${definitionCharsMax} characters.`);
  }
  try {
    return kinds[kind].read(typed);
  } catch (error) {
    if (!(error instanceof ParameterError)) throw error;
    const { error: wrong, parameter, value = parameter } = error.body;
    if (wrong === 'empty condition') throw new ValueError(`A ${kind} needs a filter, such as event=Signup.`);
    if (wrong === 'unknown filter') throw new ValueError(`There is no filter ${value}.`);
    throw new ValueError(`This is no ${kind === 'funnel' ? 'funnel' : 'filter'}: ${wrong} (${value}).`);
  }
};

/** Filters that names may stand for in all: segments of many goals would be millions. */
const namedFiltersMax = 2000;

/** Throws ParameterError where more filters than that are asked at once. */
export const refuseTooMany = (filters: number, parameter: string): void => {
  if (filters > namedFiltersMax) throw new ParameterError({ error: 'too many conditions', parameter });
};

/** The parts that a public page does not show; empty for everybody else. */
type Hidden = ReadonlySet<string>;

/**
 * What filters stand for: those by the name of a segment or goal are the filters in it. Throws
 * ParameterError for a name that the site does not have.
 */
export const resolveFilters = (
  filters: readonly FilterOn<FilterField>[],
  definitions: SiteDefinitions,
  hidden: Hidden = new Set(),
): Filter[] => {
  let count = 0;
  return filters.map(filter => {
    const { field, values, negated, visit } = filter;
    if (!isDefinedField(field)) return { ...filter, field };
    const anyOf = [...new Set(values)].flatMap(value => {
      const [parameter] = filterParameter(filter, value);
      const found = definitions(field).find(({ name }) => name === value);
      if (found !== undefined) {
        const conditions = blaming(parameter, () => conditionsOf(field, found.body, definitions));
        count += partsOf(conditions.flat()).length;
        refuseTooMany(count, parameter);
        return conditions;
      }
      const allowed = shownDefinitions(field, definitions, hidden).map(({ name }) => name);
      throw new ParameterError({ error: `unknown ${field}`, parameter, value, allowed });
    });
    return { anyOf, negated, ...(visit && { visit }) };
  });
};

/**
 * The filters of a segment that is added to all questions. Undefined where there is none of that
 * name, or where it names a goal that has gone.
 */
export const segmentFilters = (name: string, definitions: SiteDefinitions): Filter[] | undefined => {
  const found = definitions('segment').find(each => each.name === name);
  try {
    return found && conditionsOf('segment', found.body, definitions)[0];
  } catch (error) {
    if (error instanceof ParameterError) return undefined;
    throw error;
  }
};

/** What a hit passes that is a step. Throws ParameterError as resolveFilters does. */
export const resolveStep = (
  { anyOf, parameter }: AskedStep,
  definitions: SiteDefinitions,
  hidden: Hidden,
): Filter[] => {
  const [first, ...others] = blaming(parameter, () =>
    anyOf.map(filters => resolveFilters(filters, definitions, hidden)),
  );
  return others.length === 0 ? first! : [{ anyOf: [first!, ...others], negated: false }];
};

/**
 * A definition after a goal or a segment got another name: what filters by the old name filters by
 * the new one.
 */
export const afterRename = <K extends DefinitionKind>(
  body: DefinitionBodies[K],
  kind: DefinedField,
  from: string,
  to: string,
): DefinitionBodies[K] => {
  const renamed = (condition: string): string => renamedIn(condition, kind, from, to);
  if ('filters' in body) return { ...body, filters: renamed(body.filters) };
  if (!('question' in body)) return body;
  const pairs = [...new URLSearchParams(body.question)].map(([name, value]) => [
    name,
    name === 'step' ? value.split('|').map(renamed).join('|') : value,
  ]);
  return { ...body, question: queryText(new URLSearchParams(pairs)) };
};

const renamedIn = (condition: string, kind: DefinedField, from: string, to: string): string => {
  const pairs = [...new URLSearchParams(condition)];
  const isNamed = ([name, value]: [string, string]): boolean => {
    const filter = readFilter(name, value, filterFields);
    return filter?.kind.field === kind && filter.value === from;
  };
  if (!pairs.some(isNamed)) return condition;
  return queryText(new URLSearchParams(pairs.map(pair => (isNamed(pair) ? [pair[0], to] : pair))));
};

/** Lists of filters: what is meant passes all of one of them. */
export const conditionsOf = (kind: DefinedField, body: Segment | Goal, definitions: SiteDefinitions): Filter[][] =>
  'filters' in body
    ? [resolveFilters(readCondition(body.filters, kind, segmentFields), definitions)]
    : readAlternatives(body.conditions, kind);

/**
 * Those that tell nothing of what is hidden. Where something is, a segment whose goal is gone is
 * not among them: it answers nothing.
 */
export const shownDefinitions = <K extends DefinedField>(
  kind: K,
  definitions: SiteDefinitions,
  hidden: Hidden,
): Definition<K>[] =>
  hidden.size === 0
    ? definitions(kind)
    : definitions(kind).filter(({ body }) =>
        tellsNothingHidden(hidden, () => conditionsOf(kind, body, definitions).flat()),
      );

/** Whether the filters of a definition are there, and about nothing that is hidden. */
export const tellsNothingHidden = (hidden: Hidden, filtersOf: () => readonly Filter[]): boolean => {
  try {
    return partsOf(filtersOf()).every(part => part === undefined || !hidden.has(part));
  } catch (error) {
    if (error instanceof ParameterError) return false;
    throw error;
  }
};

/** The parts of a public page that some filters tell of. */
export const partsOf = (filters: readonly Filter[]): ReturnType<typeof partOfField>[] =>
  filters.flatMap(filter => (isFieldFilter(filter) ? [partOfField(filter.field)] : filter.anyOf.flatMap(partsOf)));

/** Whether filters are about visits alone: then each visit passes or fails as a whole. */
export const areOfVisits = (filters: readonly Filter[]): boolean =>
  filters.every(filter => filter.visit === true || (isFieldFilter(filter) ? isOfVisit(filter.field) : false));

const isOfVisit = (field: HitField): boolean =>
  field === 'duration' || isTraitField(field) || (isDimension(field) && levelOf(field) === 'visit');

const isDimension = (field: string): field is DimensionName => Object.hasOwn(dimensions, field);
