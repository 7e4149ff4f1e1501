/**
 * Steps as they stand in the address: filters as a query string, `|` between conditions any of
 * which a hit may meet (docs/api.md, "Beyond"). Here they become words.
 */
import { type FilterKind, filterFields, filterParameter, operatorOf, readFilter } from '../../../model/filters.ts';
import { type JourneyStep, readJourneyStep } from '../../../model/journey-steps.ts';
import { queryText } from '../../../model/query-text.ts';
import { fieldLabel, operatorLabel, subjectOf, valueLabel } from '../names.ts';
import { askedSearch, filterGroups } from '../question.ts';

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
  if (first === undefined) return { kind: 'Step', name: condition };
  const words = groups.map(({ kind, values }, i) => {
    const label = operatorLabel(operatorOf(kind), subjectOf(kind));
    const shown = values.map(value => valueLabel(kind.field, value)).join(' or ');
    return `${i === 0 ? '' : `${fieldLabel(kind.field)} `}${label} ${shown}`;
  });
  return { kind: fieldLabel(first.kind.field), name: words.join(', ') };
};

export const stepWords = ({ kind, name }: JourneyStep): Words => {
  if (kind === 'event') return { kind: 'Event', name };
  return kind === 'page' ? { kind: 'Page', name } : { kind: 'Folder', name: `${name}…` };
};

/** A whole step in one line, for labels. */
export const stepLabel = (step: string): string =>
  conditionsOf(step)
    .map(condition => conditionWords(condition).name)
    .join(' or ');

/** The search of the list of visits in which some condition was met; null where it cannot say so. */
export const visitsSearch = (search: URLSearchParams, step: string): URLSearchParams | null => {
  const own = [...new URLSearchParams(step)];
  const isPlain = own.length === 1 && !step.includes('|') && !step.startsWith('visit:');
  const [pair] = own;
  if (!isPlain || pair === undefined || readFilter(...pair, filterFields) === undefined) return null;
  const next = askedSearch(search);
  next.append(`visit:${pair[0]}`, pair[1]);
  return next;
};
