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

/** `*` and `**` stand for any text. Undefined where no condition says the same. */
export const globConditions = (glob: string): TextCondition[] | undefined => conditionsOf(glob.split(/\*+/));

/**
 * Regular expressions with the anchors `^` and `$`, `.*`, escaped characters, and `|` between whole
 * alternatives: the conditions of each. Undefined for any other.
 */
export const regexConditions = (pattern: string): TextCondition[][] | undefined => {
  const alternatives = pattern.split('|').map(alternative => {
    const pieces = piecesOf(alternative);
    return pieces && conditionsOf(pieces);
  });
  return alternatives.every(conditions => conditions !== undefined) ? alternatives : undefined;
};

/** The texts between any texts; the first is empty where the pattern is not anchored, and so the last. */
const piecesOf = (pattern: string): string[] | undefined => {
  const pieces = pattern.startsWith('^') ? [''] : ['', ''];
  let rest = pattern.replace(/^\^/, '');
  const isEnd = (): boolean => rest === '$';
  while (rest !== '' && !isEnd()) {
    const [token, any, escaped, plain]: (string | undefined)[] =
      /^(?:(\.\*)|\\([^\w\s])|([^\\^$.*+?()[\]{}]))/u.exec(rest) ?? [];
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
const conditionsOf = (given: readonly string[]): TextCondition[] | undefined => {
  const pieces = given.filter((piece, i) => piece !== '' || i === 0 || i === given.length - 1);
  const [first, second, third] = pieces as [string, string?, string?];
  if (second === undefined) return [condition('is', first)];
  if (third === undefined) {
    const conditions = [
      ...(first === '' ? [] : [condition('startsWith', first)]),
      ...(second === '' ? [] : [condition('endsWith', second)]),
    ];
    if (conditions.length === 0) return [{ ...condition('is', ''), negated: true }];
    const tooShort = overlaps(first, second);
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
const overlaps = (first: string, last: string): string[] =>
  Array.from({ length: Math.min(first.length, last.length) }, (_, i) => i + 1)
    .filter(length => first.endsWith(last.slice(0, length)))
    .map(length => first + last.slice(length));
