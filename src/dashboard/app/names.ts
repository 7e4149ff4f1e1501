/**
 * Names of fields and values on the pages. Words come from the tables of the model; codes get the
 * name they stand for.
 */
import { type DimensionName, dimensions } from '../../model/dimensions.ts';
import {
  anyPropertyField,
  type FilterField,
  type FilterKind,
  filterOperators,
  isDefinedField,
  isPropertyField,
  keyOfProperty,
  type OperatorRow,
  operatorsOf,
} from '../../model/filters.ts';
import { type MetricName, metrics } from '../../model/metrics.ts';
import { readablePath, storedPath } from '../../model/readable-path.ts';
import { type TableMetricName, tableMetrics } from '../../model/table-metrics.ts';
import { locale } from './locale.ts';
import { nothingName } from './question.ts';

/** `utmTerm` as `UTM term`, for rows without a title. */
const humanized = (name: string): string => {
  const words = name.replace(/([A-Z])/g, ' $1').toLowerCase();
  return (words[0]!.toUpperCase() + words.slice(1)).replace(/^Utm/, 'UTM');
};

export const dimensionLabel = (name: DimensionName): string => dimensions[name].section ?? humanized(name);
export const fieldLabel = (field: FilterField): string => {
  if (field === anyPropertyField) return 'Property…';
  if (field === 'propKey') return 'Property';
  if (field === 'propValue') return 'Property value';
  if (field === 'duration') return 'Visit duration';
  if (field === 'scroll') return 'Part of the page seen';
  if (isDefinedField(field)) return field === 'goal' ? 'Goal' : 'Segment';
  if (isPropertyField(field)) return keyOfProperty(field);
  return dimensionLabel(field);
};
/** Whether a filter is about hits, or about visits with or without a hit that passes. */
export const filterSubjects = { hits: 'Hits with', visits: 'Visits with', others: 'Visits without' } as const;
export type FilterSubject = keyof typeof filterSubjects;
export const subjectOf = ({ visit, negated }: Pick<FilterKind, 'visit' | 'negated'>): FilterSubject =>
  visit ? (negated ? 'others' : 'visits') : 'hits';

/** The operators to choose from: visits without a hit are named by the subject, and not again. */
export const operatorChoices = (field: string, subject: FilterSubject): readonly OperatorRow[] =>
  operatorsOf(field).filter(({ negated, isNumeric }) =>
    subject === 'hits' ? !(negated && isNumeric) : negated === (subject === 'others'),
  );

export const operatorLabel = (row: OperatorRow, subject: FilterSubject): string =>
  subject === 'hits' ? row.label : filterOperators.find(({ operator }) => operator === row.operator)!.label;

export const metricLabel = (name: MetricName): string => withoutUnit(metrics[name].label ?? humanized(name));

/** A metric at the head of a column, where each number shows its unit. */
export const columnLabel = (name: TableMetricName): string =>
  withoutUnit(tableMetrics[name].label)
    .replace(/^Seconds/, 'Time')
    .replace(/^Unique v/, 'V');

/** The number shows its unit. */
export const withoutUnit = (label: string): string => label.replace(/ (%|seconds)$/, '');

const displayNames = new Map<string, Intl.DisplayNames>();

/** Unknown and malformed codes are shown as they are. */
const named = (type: 'region' | 'language', code: string): string => {
  const { language } = locale();
  const key = `${language} ${type}`;
  const names = displayNames.get(key) ?? new Intl.DisplayNames(language, { type, fallback: 'code' });
  displayNames.set(key, names);
  try {
    return names.of(code) ?? code;
  } catch {
    return code;
  }
};

/** A country by its ISO 3166 code. */
export const regionName = (code: string): string => named('region', code);

export const valueLabel = (field: FilterField, value: string): string => {
  if (value === '') return nothingName(field);
  if (field === 'duration') return `${value} s`;
  if (field === 'scroll') return `${value} %`;
  if (field === 'country') return regionName(value);
  if (field === 'language') return named('language', value);
  if (field === 'device') return value[0]!.toUpperCase() + value.slice(1);
  if (isAddress(field, value)) return readablePath(value);
  if (field === 'screen') return `${value.replace('-', ' – ')} px`;
  return value;
};

/** Whether values are codes, which people know by their names. */
export const isOfCodes = (field: FilterField): boolean => field === 'country' || field === 'language';

const addressFields: readonly FilterField[] = ['path', 'entryPath', 'exitPath', 'query'];

/** Whether a value is percent-encoded. An outbound event is named after its address. */
const isAddress = (field: FilterField, value: string): boolean =>
  addressFields.includes(field) || (field === 'event' && /^https?:/.test(value));

/** A value that somebody has typed, as it is stored and filtered. */
export const storedText = (field: FilterField, typed: string): string =>
  isAddress(field, typed) ? storedPath(typed) : typed;

/** `Germany or France`; more than three are counted. */
export const valuesLabel = (field: FilterField, values: readonly string[]): string => {
  const shown = values.map(value => valueLabel(field, value));
  return shown.length > 3 ? `${shown[0]} or ${shown.length - 1} others` : shown.join(' or ');
};
