/**
 * Patterns of other products' filters as conditions on a text: globs, and as much of regular
 * expressions as says the same.
 */
import type { FilterOperator } from '../model/filters.ts';

/** A condition on a text; several in a list must all be passed. */
export interface TextCondition {
  operator: Extract<FilterOperator, 'is' | 'contains' | 'startsWith' | 'endsWith'>;
  negated: boolean;
  values: string[];
}

/** Of all filters of a question. Each is looked up or tested on every day. */
export const valuesMax = 200;

/** Takes values that conditions will hold, before they are made. Throws where they are too many. */
export type TakeValues = (count: number) => void;

/** For one question; `tooMany` is what is thrown. */
export const valueCounter = (tooMany: () => Error): TakeValues => {
  let left = valuesMax;
  return count => {
    left -= count;
    if (left < 0) throw tooMany();
  };
};

/** `*` and `**` stand for any text. Undefined where no condition says the same. */
export const globConditions = (glob: string, take: TakeValues): TextCondition[] | undefined =>
  conditionsOf(glob.split(/\*+/), take);

/**
 * Regular expressions with the anchors `^` and `$`, `.*`, escaped characters, and `|` between whole
 * alternatives: the conditions of each. Undefined for any other.
 */
export const regexConditions = (pattern: string, take: TakeValues): TextCondition[][] | undefined => {
  const alternatives = pattern.split('|').map(alternative => {
    const pieces = piecesOf(alternative);
    return pieces && conditionsOf(pieces, take);
  });
  return alternatives.every(conditions => conditions !== undefined) ? alternatives : undefined;
};

/** The texts around any texts; the first and the last are empty if the pattern is not anchored. */
const piecesOf = (pattern: string): string[] | undefined => {
  const pieces = pattern.startsWith('^') ? [''] : ['', ''];
  let rest = pattern.replace(/^\^/, '');
  const isEnd = (): boolean => rest === '$';
  while (rest !== '' && !isEnd()) {
    const [token, any, escaped, plain]: (string | undefined)[] =
      /^(?:(\.\*)|\\([^\w\s])|([^\\^$.*+?()[\]{}]+))/u.exec(rest) ?? [];
    if (token === undefined) return undefined;
    // A quantifier makes something else of the character before it.
    rest = rest.slice(token.length);
    if (/^[*+?{]/.test(rest)) return undefined;
    if (any !== undefined) pieces.push('');
    else pieces.push(`${pieces.pop()}${escaped ?? plain}`);
  }
  return isEnd() ? pieces : [...pieces, ''];
};

/** Of pieces with any text between them. */
const conditionsOf = (given: readonly string[], take: TakeValues): TextCondition[] | undefined => {
  take(1);
  const pieces = given.filter((piece, i) => piece !== '' || i === 0 || i === given.length - 1);
  const [first, second, third] = pieces as [string, string?, string?];
  if (second === undefined) return [condition('is', first)];
  if (third === undefined) {
    const conditions = [
      ...(first === '' ? [] : [condition('startsWith', first)]),
      ...(second === '' ? [] : [condition('endsWith', second)]),
    ];
    if (conditions.length === 0) return [{ ...condition('is', ''), negated: true }];
    const tooShort = overlaps(first, second, take);
    return tooShort.length === 0 ? conditions : [...conditions, { operator: 'is', negated: true, values: tooShort }];
  }
  return pieces.length === 3 && first === '' && third === '' ? [condition('contains', second)] : undefined;
};

const condition = (operator: TextCondition['operator'], value: string): TextCondition => ({
  operator,
  negated: false,
  values: [value],
});

/** The texts that begin and end as wanted only because both are the same characters. */
const overlaps = (first: string, last: string, take: TakeValues): string[] => {
  const lengths = borders([...last, '', ...first]);
  take(lengths.length);
  const end = [...last];
  return lengths.map(length => first + end.slice(length).join(''));
};

/** Lengths of what a list both begins and ends with, longest first, in linear time. */
const borders = (list: readonly string[]): number[] => {
  // Of each beginning of the list, the longest.
  const longest = [0];
  const shorter = (length: number): number => longest[length - 1]!;
  for (let at = 1; at < list.length; at++) {
    let length = shorter(at);
    while (length > 0 && list[length] !== list[at]) length = shorter(length);
    longest.push(list[length] === list[at] ? length + 1 : 0);
  }
  const found: number[] = [];
  for (let length = shorter(list.length); length > 0; length = shorter(length)) found.push(length);
  return found;
};
