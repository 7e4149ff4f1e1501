/**
 * What the address asks: period and filters, under the API's names, so that the query string of a
 * page is a question to the API too. Choices of the page itself (which tab, which row is open) have
 * names that begin with `_`, which the API ignores. Functions take the search of an address and
 * return a new one.
 */
import { type FilterField, filterFields, filterNamed } from '../../model/filters.ts';
import { type RangeKey, rangeDefault, rangeKeys } from '../../model/range-names.ts';
import { directName } from '../../model/visit-fields.ts';

export type Period = { range: RangeKey } | { from: string; to: string };

/** The values of one parameter: any of them passes. */
export interface FilterGroup {
  /** Name of the parameter: the field with the operator's suffix. */
  name: string;
  field: FilterField;
  suffix: string;
  values: string[];
}

const periodNames = ['range', 'from', 'to'];

/** A search as text, in which the slashes and colons stay readable. */
export const searchText = (search: URLSearchParams): string => {
  const text = search.toString().replaceAll('%2F', '/').replaceAll('%3A', ':');
  return text === '' ? '' : `?${text}`;
};

/**
 * The part of a search that goes to the API, in its order. Some endpoints know only a few fields
 * and refuse other filters: `fields` are the ones they know.
 */
export const askedSearch = (search: URLSearchParams, fields: readonly string[] | null = null): URLSearchParams =>
  new URLSearchParams(
    [...search].filter(
      ([name]) =>
        !name.startsWith('_') && (fields === null || periodNames.includes(name) || fields.includes(fieldOf(name))),
    ),
  );

const fieldOf = (name: string): string => /^\w*/.exec(name)![0];

export const periodOf = (search: URLSearchParams): Period => {
  const from = search.get('from');
  const to = search.get('to');
  if (from !== null || to !== null) return { from: from ?? to!, to: to ?? '' };
  const range = search.get('range') ?? rangeDefault;
  return { range: (rangeKeys as string[]).includes(range) ? (range as RangeKey) : rangeDefault };
};

export const filterGroups = (search: URLSearchParams): FilterGroup[] => {
  const groups = new Map<string, FilterGroup>();
  for (const name of search.keys()) {
    const field = filterNamed(name, filterFields)?.field;
    if (field === undefined) continue;
    groups.set(name, { name, field, suffix: name.slice(field.length), values: search.getAll(name) });
  }
  return [...groups.values()];
};

const changed = (search: URLSearchParams, change: (next: URLSearchParams) => void): URLSearchParams => {
  const next = new URLSearchParams(search);
  change(next);
  return next;
};

export const withPeriod = (search: URLSearchParams, period: Period): URLSearchParams =>
  changed(search, next => {
    for (const name of periodNames) next.delete(name);
    if ('range' in period) {
      if (period.range !== rangeDefault) next.set('range', period.range);
      return;
    }
    next.set('from', period.from);
    next.set('to', period.to);
  });

/** Filters the field to this value alone, in place of its other values. */
export const withOnly = (search: URLSearchParams, field: FilterField, value: string): URLSearchParams =>
  changed(search, next => next.set(field, value));

export const withFilter = (search: URLSearchParams, name: string, value: string): URLSearchParams =>
  changed(search, next => {
    if (!next.has(name, value)) next.append(name, value);
  });

export const withoutFilter = (search: URLSearchParams, name: string): URLSearchParams =>
  changed(search, next => next.delete(name));

export const withoutValue = (search: URLSearchParams, name: string, value: string): URLSearchParams =>
  changed(search, next => next.delete(name, value));

export const withoutFilters = (search: URLSearchParams): URLSearchParams =>
  changed(search, next => {
    for (const { name } of filterGroups(search)) next.delete(name);
  });

/** Moves the values to another operator or field. */
export const renamedFilter = (search: URLSearchParams, from: string, to: string): URLSearchParams =>
  changed(search, next => {
    const values = search.getAll(from);
    next.delete(from);
    for (const value of values) if (!next.has(to, value)) next.append(to, value);
  });

export const isFilteredTo = (search: URLSearchParams, field: FilterField, value: string): boolean =>
  search.has(field, value);

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

/** What links to another page keep: the question, without the choices of the page. */
export const carriedSearch = (search: URLSearchParams): string => searchText(askedSearch(search));

/** The name of an empty filter value. */
export const nothingName = (field: FilterField): string => (field === 'referrer' ? directName : '(none)');
