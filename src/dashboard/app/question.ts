/**
 * What the address asks: period and filters, under the API's names, so that the query string of a
 * page is a question to the API too. Choices of the page itself (which tab, which row is open) have
 * names that begin with `_`, which the API ignores. Functions take the search of an address and
 * return a new one.
 */
import {
  type FilterField,
  type FilterGroup,
  type FilterKind,
  filterFields,
  filterName,
  filterParameter,
  groupFilters,
  readFilter,
} from '../../model/filters.ts';
import { queryText } from '../../model/query-text.ts';
import { type RangeKey, rangeDefault, rangeKeys } from '../../model/ranges.ts';

export type ChosenPeriod = { range: RangeKey } | { from: string; to: string };

const periodNames = ['range', 'from', 'to'];

/** A search as it stands in an address. */
export const searchText = (search: URLSearchParams): string => {
  const text = queryText(search);
  return text === '' ? '' : `?${text}`;
};

/**
 * The part of a search that goes to the API, in its order. Some endpoints know only a few fields
 * and refuse other filters: `fields` are the ones they know.
 */
export const askedSearch = (search: URLSearchParams, fields: readonly string[] | null = null): URLSearchParams =>
  new URLSearchParams(
    [...search].filter(
      ([name, value]) =>
        !name.startsWith('_') &&
        (fields === null || periodNames.includes(name) || readFilter(name, value, fields) !== undefined),
    ),
  );

export const periodOf = (search: URLSearchParams): ChosenPeriod => {
  const from = search.get('from');
  const to = search.get('to');
  if (from !== null || to !== null) return { from: from ?? to!, to: to ?? '' };
  const range = search.get('range') ?? rangeDefault;
  return { range: (rangeKeys as string[]).includes(range) ? (range as RangeKey) : rangeDefault };
};

export const filterGroups = (search: URLSearchParams): FilterGroup[] =>
  groupFilters([...search].flatMap(([name, value]) => readFilter(name, value, filterFields) ?? []));

/** The filters of a search in one text, in the form of a query string. */
export const filterQuery = (search: URLSearchParams): string =>
  searchText(
    new URLSearchParams([...search].filter(([name, value]) => readFilter(name, value, filterFields) !== undefined)),
  ).slice(1);

/** Whether a page whose questions know some fields can filter by this; null: by all. */
export const canFilter = (kind: FilterKind, fields: readonly string[] | null): boolean =>
  fields === null || readFilter(...filterParameter(kind, '0'), fields) !== undefined;

const changed = (search: URLSearchParams, change: (next: URLSearchParams) => void): URLSearchParams => {
  const next = new URLSearchParams(search);
  change(next);
  return next;
};

export const withPeriod = (search: URLSearchParams, period: ChosenPeriod): URLSearchParams =>
  changed(search, next => {
    for (const name of periodNames) next.delete(name);
    if ('range' in period) {
      if (period.range !== rangeDefault) next.set('range', period.range);
      return;
    }
    next.set('from', period.from);
    next.set('to', period.to);
  });

/** The filter that a row of a dimension is. */
const isOn = (field: FilterField): FilterKind => ({ field, operator: 'is', negated: false });

/** Filters the field to this value alone, in place of its other values. */
export const withOnly = (search: URLSearchParams, field: FilterField, value: string): URLSearchParams =>
  withFilter(withoutFilter(search, isOn(field)), isOn(field), value);

export const withFilter = (search: URLSearchParams, kind: FilterKind, value: string): URLSearchParams =>
  changed(search, next => {
    const [name, text] = filterParameter(kind, value);
    if (!next.has(name, text)) next.append(name, text);
  });

export const withoutFilter = (search: URLSearchParams, kind: FilterKind): URLSearchParams =>
  changed(search, next => {
    const own = filterGroups(search).find(({ name }) => name === filterName(kind));
    for (const value of own?.values ?? []) next.delete(...filterParameter(kind, value));
  });

export const withoutValue = (search: URLSearchParams, kind: FilterKind, value: string): URLSearchParams =>
  changed(search, next => next.delete(...filterParameter(kind, value)));

export const withoutFilters = (search: URLSearchParams): URLSearchParams =>
  filterGroups(search).reduce((left, { kind }) => withoutFilter(left, kind), search);

/** Moves the values to another operator. */
export const changedFilter = (search: URLSearchParams, from: FilterKind, to: FilterKind): URLSearchParams =>
  (filterGroups(search).find(({ name }) => name === filterName(from))?.values ?? []).reduce(
    (next, value) => withFilter(next, to, value),
    withoutFilter(search, from),
  );

/** Whether the rows of a value are filtered to. */
export const isFilteredTo = (search: URLSearchParams, field: FilterField, value: string): boolean =>
  search.has(...filterParameter(isOn(field), value));

/** Filters to a value alone, or no longer if it was filtered to. */
export const toggledValue = (search: URLSearchParams, field: FilterField, value: string): URLSearchParams =>
  isFilteredTo(search, field, value) ? withoutValue(search, isOn(field), value) : withOnly(search, field, value);

/** A choice of the page itself; the default leaves no trace in the address. */
export const withChoice = (
  search: URLSearchParams,
  name: `_${string}`,
  value: string | null,
  fallback: string | null = null,
): URLSearchParams =>
  changed(search, next => {
    if (value === null || value === fallback) next.delete(name);
    else next.set(name, value);
  });

/** The same for a choice of several values in their order. */
export const withChoices = (search: URLSearchParams, name: `_${string}`, values: readonly string[]): URLSearchParams =>
  changed(search, next => {
    next.delete(name);
    for (const value of values) next.append(name, value);
  });

/** What links to another page keep: the question, without the choices of the page. */
export const carriedSearch = (search: URLSearchParams): string => searchText(askedSearch(search));
