/** When a value passes a filter (docs/api.md, "Filters"). */
import type { FilterOn, FilterOperator } from '../../model/filters.ts';
import { directName } from '../../model/visit-fields.ts';

/** Whether a filter value stands for null. Only `is` can ask for null. */
export const isNull = (field: string, value: string): boolean =>
  value === '' || (field === 'referrer' && value === directName);

type Test = (text: string, value: string) => boolean;

const tests: Record<FilterOperator, Test> = {
  is: (text, value) => text === value,
  contains: (text, value) => text.toLowerCase().includes(value.toLowerCase()),
  startsWith: (text, value) => text.startsWith(value),
  endsWith: (text, value) => text.endsWith(value),
};

/** Whether the filter names a value, before negation. Only `is` can name null. */
export const matches = ({ field, operator, values }: FilterOn<string>, text: string | null): boolean =>
  operator === 'is'
    ? values.some(value => (isNull(field, value) ? text === null : text === value))
    : text !== null && values.some(value => tests[operator](text, value));

/** Whether any of the texts that are the lines of one may pass the filter; false only where none does. */
export const mayMatchLine = ({ operator, values }: FilterOn<string>, lines: string): boolean => {
  if (operator === 'contains') {
    const lower = lines.toLowerCase();
    return values.some(value => lower.includes(value.toLowerCase()));
  }
  const all = `\n${lines}\n`;
  return values.some(value => all.includes(operator === 'startsWith' ? `\n${value}` : `${value}\n`));
};
