/** When a value passes a filter (docs/api.md, "Filters"). */
import { type FilterOn, type FilterOperator, isNumeric, numberOf } from '../../model/filters.ts';
import { directName } from '../../model/visit-fields.ts';

/** Whether a filter value stands for null. Only `is` can ask for null. */
export const isNull = (field: string, value: string): boolean =>
  value === '' || (field === 'referrer' && value === directName);

const comparisons = {
  is: (number: number, value: number) => number === value,
  atLeast: (number: number, value: number) => number >= value,
  moreThan: (number: number, value: number) => number > value,
  atMost: (number: number, value: number) => number <= value,
  lessThan: (number: number, value: number) => number < value,
};
const comparesNumbers = (operator: FilterOperator): operator is keyof typeof comparisons =>
  Object.hasOwn(comparisons, operator);

type Test = (text: string, value: string) => boolean;

const tests: Record<FilterOperator, Test> = {
  is: (text, value) => text === value,
  contains: (text, value) => text.toLowerCase().includes(value.toLowerCase()),
  startsWith: (text, value) => text.startsWith(value),
  endsWith: (text, value) => text.endsWith(value),
  atLeast: (text, value) => comparisons.atLeast(numberOf(text), Number(value)),
  moreThan: (text, value) => comparisons.moreThan(numberOf(text), Number(value)),
  atMost: (text, value) => comparisons.atMost(numberOf(text), Number(value)),
  lessThan: (text, value) => comparisons.lessThan(numberOf(text), Number(value)),
};

/** Whether the filter names a value, before negation. Only `is` can name null. */
export const matches = ({ field, operator, values }: FilterOn<string>, text: string | null): boolean =>
  operator === 'is'
    ? values.some(value => (isNull(field, value) ? text === null : text === value))
    : text !== null && values.some(value => tests[operator](text, value));

/** Whether a filter on numbers names a number, before negation. */
export const testNumber = ({ operator, values }: FilterOn<string>): ((number: number) => boolean) => {
  if (!comparesNumbers(operator)) throw new Error(`${operator} compares no numbers`);
  const wanted = values.map(Number);
  const compare = comparisons[operator];
  return number => wanted.some(value => compare(number, value));
};

/** Whether texts can be tested line by line. */
export const canTestLines = ({ operator, values }: Pick<FilterOn<string>, 'operator' | 'values'>): boolean =>
  operator !== 'is' && !isNumeric(operator) && values.every(value => value !== '' && !value.includes('\n'));

/**
 * Which lines of a text pass a filter that can test lines, counted from 0. The text begins and ends
 * with a line feed.
 */
export const linesPassing = ({ operator, values }: FilterOn<string>, text: string): number[] => {
  const [before, after] = [operator === 'startsWith' ? '\n' : '', operator === 'endsWith' ? '\n' : ''];
  const ignoreCase = (of: string): string => (operator === 'contains' ? of.toLowerCase() : of);
  const lines = ignoreCase(text);
  return values.flatMap(value => linesWith(lines, `${before}${ignoreCase(value)}${after}`, before.length));
};

/** The lines that a pattern is in; it begins with so many characters of the line before. */
const linesWith = (lines: string, pattern: string, shift: number): number[] => {
  const found: number[] = [];
  let line = 0;
  let end = lines.indexOf('\n', 1);
  for (let at = lines.indexOf(pattern); at >= 0; at = lines.indexOf(pattern, end)) {
    while (end < at + shift) {
      end = lines.indexOf('\n', end + 1);
      line++;
    }
    found.push(line);
  }
  return found;
};
