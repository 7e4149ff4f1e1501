/** A goal as its form shows it: a plain choice in place of conditions. */
import { currencyDigits } from '../../../model/currency.ts';
import { type FilterOperator, filterParameter } from '../../../model/filters.ts';
import { filterGroups } from '../question.ts';

export const goalKinds = ['event', 'page', 'scroll', 'time', 'other'] as const;
export type GoalKind = (typeof goalKinds)[number];

/** Of a page. */
export const pageMatches = ['is', 'startsWith', 'contains'] as const;
export type PageMatch = (typeof pageMatches)[number];

export interface GoalDraft {
  kind: GoalKind;
  match: PageMatch;
  /** Event, path, percent, seconds or conditions, as they are typed. */
  text: string;
  /** Where a part of a page is looked at; empty for every page. */
  path: string;
}

export const emptyDraft: GoalDraft = { kind: 'event', match: 'is', text: '', path: '' };

/** The conditions that the server reads; null while something is missing. */
export const conditionsOf = ({ kind, match, text, path }: GoalDraft): string | null => {
  const typed = text.trim();
  if (typed === '') return null;
  if (kind === 'other') return typed;
  const pairs = {
    event: () => [pairOf('event', 'is', typed)],
    page: () => [pairOf('path', match, typed)],
    scroll: () => [
      pairOf('scroll', 'atLeast', typed),
      ...(path.trim() === '' ? [] : [pairOf('path', 'is', path.trim())]),
    ],
    time: () => [pairOf('duration', 'atLeast', typed)],
  }[kind]();
  return new URLSearchParams(pairs).toString();
};

const pairOf = (field: 'event' | 'path' | 'scroll' | 'duration', operator: FilterOperator, value: string) =>
  filterParameter({ field, operator, negated: false }, value);

/** The choice that conditions stand for. */
export const draftOf = (conditions: string): GoalDraft => {
  const found = plainDraft(conditions);
  const isSame = (text: string | null): boolean =>
    text !== null && new URLSearchParams(text).toString() === new URLSearchParams(conditions).toString();
  return found !== undefined && isSame(conditionsOf(found))
    ? found
    : { ...emptyDraft, kind: 'other', text: conditions };
};

/** Perhaps not all that the conditions say. */
const plainDraft = (conditions: string): GoalDraft | undefined => {
  const [first, second] = filterGroups(new URLSearchParams(conditions));
  const [text = ''] = first?.values ?? [];
  const draft = { ...emptyDraft, text };
  switch (first?.kind.field) {
    case 'event':
      return draft;
    case 'path':
      return { ...draft, kind: 'page', match: first.kind.operator as PageMatch };
    case 'scroll':
      return { ...draft, kind: 'scroll', path: second?.values[0] ?? '' };
    case 'duration':
      return { ...draft, kind: 'time' };
    default:
      return undefined;
  }
};

/** Minor units of an amount as people type it, `49.00` or `49,5`; undefined if it is none. */
export const minorUnits = (typed: string, currency: string): string | undefined => {
  if (typed.trim() === '') return '';
  const [, whole, fraction = ''] = /^(\d+)(?:[.,](\d*))?$/.exec(typed.trim()) ?? [];
  const digits = currencyDigits(currency);
  if (whole === undefined || fraction.length > digits) return undefined;
  return String(Number(whole + fraction.padEnd(digits, '0')));
};

export const majorUnits = (minor: number | null, currency: string): string => {
  const digits = currencyDigits(currency);
  return minor === null ? '' : (minor / 10 ** digits).toFixed(digits);
};
