/**
 * Steps as they stand in the address: filters as a query string, `|` between conditions any of
 * which a hit may meet (docs/api.md, "Beyond"). Here they become words.
 */
import { type FilterGroup, type FilterKind, filterParameter, operatorOf } from '../../../model/filters.ts';
import { type JourneyStep, readJourneyStep } from '../../../model/journey-steps.ts';
import { queryText } from '../../../model/query-text.ts';
import { formatAny } from '../format.ts';
import { fieldLabel, operatorLabel, subjectOf, valueLabel } from '../names.ts';
import { filterGroups } from '../question.ts';
import { t } from '../texts/text.ts';

/** The conditions of a step. */
export const conditionsOf = (step: string): string[] => step.split('|');

/** A condition of one filter. */
export const conditionText = (kind: FilterKind, value: string): string =>
  queryText(new URLSearchParams([filterParameter(kind, value)]));

export interface Words {
  /** What it is: `Page`, `Event`, or the field. */
  kind: string;
  name: string;
}

/** A condition in words: `Page` `/pricing`, or `Browser` `is not Chrome`. */
export const conditionWords = (condition: string): Words => {
  const step = readJourneyStep(condition);
  const isFolder = step?.kind === 'folder' && step.name.endsWith('/');
  if (step !== undefined && (step.kind !== 'folder' || isFolder)) return stepWords(step);
  const groups = filterGroups(new URLSearchParams(condition));
  const [first] = groups;
  if (first === undefined) return { kind: t('step.step'), name: condition };
  const words = groups.map((group, i) => (i === 0 ? groupWords(group) : fullWords(group)));
  return { kind: subjectWords(first), name: words.join(', ') };
};

const groupWords = ({ kind, values }: FilterGroup): string =>
  `${operatorLabel(operatorOf(kind), subjectOf(kind))} ${formatAny(values.map(value => valueLabel(kind.field, value)))}`;

const subjectWords = ({ kind }: FilterGroup): string =>
  t(`subject.${subjectOf(kind)}.field`, { field: fieldLabel(kind.field) });

const fullWords = (group: FilterGroup): string => `${subjectWords(group)} ${groupWords(group)}`;

/** The filters of a question in words: `Page is /pricing, Country is not Germany`. */
export const filtersWords = (question: URLSearchParams): string => filterGroups(question).map(fullWords).join(', ');

export const stepWords = ({ kind, name }: JourneyStep): Words => {
  if (kind === 'event') return { kind: t('step.event'), name };
  return kind === 'page'
    ? { kind: t('step.page'), name }
    : { kind: t('step.folder'), name: t('step.folderName', { name }) };
};

/** A whole step in one line, for labels. */
export const stepLabel = (step: string): string =>
  formatAny(conditionsOf(step).map(condition => conditionWords(condition).name));
