/** CSV text: quoting, and the guard against formulas. Knows nothing of what it holds. */

export type Cell = string | number | null;

/**
 * One line. Cells with a double quote, a comma or a line break are quoted, with the double quote
 * doubled.
 */
export const csvLine = (cells: readonly Cell[]): string => `${cells.map(quoted).join(',')}\n`;

const quoted = (cell: Cell): string => {
  const text = cell === null ? '' : String(cell);
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

/**
 * Text that a visitor may have chosen, made harmless in a spreadsheet: an apostrophe comes before
 * what would begin a formula (docs/api.md, "CSV export").
 */
export const withoutFormula = (text: string): string => (/^[=+\-@\t\r]/.test(text) ? `'${text}` : text);

/** A comment line; line breaks in it become spaces, so that it stays one. */
export const csvComment = (text: string): string => `# ${text.replace(/[\r\n]+/g, ' ')}\n`;
