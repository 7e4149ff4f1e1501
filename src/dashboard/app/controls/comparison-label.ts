/** What a window to compare with is called. */
import { formatDays } from '../format.ts';
import { comparedDays } from '../overview/choices.ts';
import { type TextKey, t } from '../texts/text.ts';

export const comparisonNames = ['previous', 'year', 'none'] as const;
type Name = (typeof comparisonNames)[number];
export const comparisonLabels: Record<Name, TextKey & `compare.${Name}`> = {
  previous: 'compare.previous',
  year: 'compare.year',
  none: 'compare.none',
};
export const aligned = '-weekday';

/** A comparison in words. */
export const comparisonLabel = (compare: string): string => {
  const days = comparedDays(compare);
  if (days !== null) return formatDays(days.from, days.to);
  const name = comparisonNames.find(each => compare.startsWith(each)) ?? 'previous';
  return t(comparisonLabels[name]);
};
