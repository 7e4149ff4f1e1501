/** CSV text: quoting, and the guard against formulas. Knows nothing of what it holds. */

export type CsvCell = string | number | null;

/**
 * One line. Cells with a double quote, a comma or a line break are quoted, with the double quote
 * doubled.
 */
export const csvLine = (cells: readonly CsvCell[]): string => `${cells.map(quoted).join(',')}\n`;

const quoted = (cell: CsvCell): string => {
  const text = cell === null ? '' : String(cell);
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

/**
 * Text that a visitor may have chosen, made harmless in a spreadsheet: an apostrophe comes before
 * what would begin a formula (docs/api.md, "CSV export"). That is the start of the text, and what
 * follows a semicolon, a tab or a line break: where the list separator is a semicolon, these begin
 * a cell, and quotes do not keep them from it.
 */
export const withoutFormula = (text: string): string => {
  const guarded = text.replace(/([;\t\r\n][;\t\r\n"]*)(.?)/gsu, guardedSign);
  return /^[\t\r\n]/.test(guarded) || formulaSign.test(guarded.charAt(0)) ? `'${guarded}` : guarded;
};

/**
 * A comment line; line breaks in it become spaces, so that it stays one. It is not quoted: a comma
 * begins a cell in it too.
 */
export const csvComment = (text: string): string =>
  `# ${text.replace(/[\r\n]+/g, ' ').replace(/([,;\t][,;\t"]*)(.?)/gsu, guardedSign)}\n`;

/**
 * What begins a formula: = + - @, and the same signs in full width. Those stand as numbers, since
 * V8 keeps a program with a single letter beyond Latin-1 in two bytes for each of its letters.
 */
const formulaSign = /[=+\-@\uff1d\uff0b\uff0d\uff20]/;

/**
 * What follows a separator, and any more of them and quotes. It is matched whatever it is, so that
 * each run of separators is walked once.
 */
const guardedSign = (_: string, separators: string, next: string): string =>
  formulaSign.test(next) ? `${separators}'${next}` : separators + next;
