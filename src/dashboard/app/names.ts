/**
 * Names of fields and values on the pages. Codes get the name they stand for.
 */
import type { DimensionName } from '../../model/dimensions.ts';
import {
  anyPropertyField,
  anyTraitField,
  type FilterField,
  type FilterKind,
  fieldKey,
  isPropertyField,
  isTraitField,
  type OperatorRow,
  operatorsOf,
} from '../../model/filters.ts';
import { readablePath, storedPath } from '../../model/readable-path.ts';

import type { TableMetricName } from '../../model/table-metrics.ts';
import { directName } from '../../model/visit-fields.ts';
import { formatAny, formatPercent } from './format.ts';

import { locale } from './locale.ts';
import { t, textIfAny } from './texts/text.ts';

export const dimensionLabel = (name: DimensionName): string => t(`field.${name}`);
export const fieldLabel = (field: FilterField): string => {
  if (field === anyPropertyField) return t('field.anyProperty');
  if (field === anyTraitField) return t('field.anyTrait');
  if (isPropertyField(field)) return fieldKey(field);
  if (isTraitField(field)) return t('field.trait', { key: fieldKey(field) });
  return t(`field.${field}`);
};
/** Whether a filter is about hits, or about visits with or without a hit that passes. */
export const filterSubjects = ['hits', 'visits', 'others'] as const;
export type FilterSubject = (typeof filterSubjects)[number];
export const subjectOf = ({ visit, negated }: Pick<FilterKind, 'visit' | 'negated'>): FilterSubject =>
  visit ? (negated ? 'others' : 'visits') : 'hits';

/** The operators to choose from: visits without a hit are named by the subject, and not again. */
export const operatorChoices = (field: string, subject: FilterSubject): readonly OperatorRow[] =>
  operatorsOf(field).filter(({ negated, isNumeric }) =>
    subject === 'hits' ? !(negated && isNumeric) : negated === (subject === 'others'),
  );

/** Visits without a hit are named by the subject, so that the operator need not deny again. */
export const operatorLabel = ({ operator, negated }: OperatorRow, subject: FilterSubject): string =>
  t(`operator.${negated && subject === 'hits' ? 'not.' : ''}${operator}`);

export const metricLabel = (name: TableMetricName): string => t(`metric.${name}`);

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
  if (field === 'referrer' && (value === '' || value === directName)) return t('field.direct');
  if (value === '') return t('field.none');
  if (field === 'duration') return t('time.seconds', { seconds: value });
  if (field === 'scroll') return formatPercent(Number(value));
  if (field === 'country') return regionName(value);
  if (field === 'language') return named('language', value);
  const texts = textsOfFields[field];
  if (texts !== undefined) return textIfAny(texts + value) ?? value;
  if (isAddress(field, value)) return readablePath(value);
  if (field === 'screen') return `${value.replace('-', ' – ')} px`;
  return value;
};

/** How the texts of fields of few values begin. */
const textsOfFields: Readonly<Partial<Record<FilterField, string>>> = {
  channel: 'channel.',
  device: 'device.',
  networkKind: 'networkKind.',
  suspect: 'suspect.',
};

/** Other fields of codes, whose names the browser knows, or which are written in another way. */
const codeFields: readonly FilterField[] = ['country', 'language', 'screen'];

/**
 * Whether a text is searched for in what the page writes, which the server does not know: names of
 * codes, and of what has no value.
 */
export const isNamed = (field: FilterField, text: string): boolean =>
  codeFields.includes(field) ||
  textsOfFields[field] !== undefined ||
  valueLabel(field, '').toLowerCase().includes(text.toLowerCase());

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
  return shown.length > 3 ? t('values.others', { value: shown[0]!, count: shown.length - 1 }) : formatAny(shown);
};
