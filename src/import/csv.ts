/**
 * Rows of CSV (RFC 4180), and of the text that databases write: tabs between fields, `\N` for null,
 * and backslashes.
 */
import { RowProblem } from '../compat/import-rows.ts';

export interface Dialect {
  delimiter: ',' | ';' | '\t' | '|';
  /** Fields are not quoted but escaped with backslashes, and null is `\N`. */
  isEscaped: boolean;
}

/** The dialect whose delimiter a header has most of. */
export const dialectOf = (header: string): Dialect => {
  const delimiters = [',', ';', '\t', '|'] as const;
  const counts = delimiters.map(delimiter => header.split(delimiter).length);
  const delimiter = delimiters[counts.indexOf(Math.max(...counts))]!;
  return { delimiter, isEscaped: delimiter === '\t' && !header.includes('"') };
};

export type OnRow = (fields: string[], line: number) => void;

/** Calls `onRow` for each record of some whole ones, which begin on a line. Throws RowProblem. */
export const readCsv = (text: string, { delimiter, isEscaped }: Dialect, firstLine: number, onRow: OnRow): void => {
  if (isEscaped || !text.includes('"')) {
    let line = firstLine;
    for (const one of text.split('\n')) {
      const row = one.endsWith('\r') ? one.slice(0, -1) : one;
      if (row !== '') {
        const fields = row.split(delimiter);
        if (isEscaped && row.includes('\\')) for (let i = 0; i < fields.length; i++) fields[i] = unescaped(fields[i]!);
        onRow(fields, line);
      }
      line++;
    }
    return;
  }
  readQuoted(text, delimiter, firstLine, onRow);
};

const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f', v: '\v', 0: '\0' };

const unescaped = (field: string): string => {
  if (!field.includes('\\')) return field;
  if (field === '\\N') return '';
  return field.replace(/\\(.)/gs, (_, letter: string) => escapes[letter] ?? letter);
};

const readQuoted = (text: string, delimiter: string, firstLine: number, onRow: OnRow): void => {
  let line = firstLine;
  let at = 0;
  while (at < text.length) {
    const fields: string[] = [];
    const begin = line;
    while (true) {
      if (text[at] === '"') {
        const [field, end] = quotedField(text, at, fields.length + 1, line);
        line += newlinesIn(field);
        fields.push(field);
        at = end;
        if (at < text.length && text[at] !== delimiter && text[at] !== '\n' && text[at] !== '\r')
          throw new RowProblem(fields.length, 'there is more text after the closing quote', line);
      } else {
        const end = endOfField(text, at, delimiter);
        fields.push(text.slice(at, end));
        at = end;
      }
      if (text[at] === delimiter) at++;
      else break;
    }
    if (text[at] === '\r') at++;
    if (text[at] === '\n') at++;
    line++;
    if (fields.length > 1 || fields[0] !== '') onRow(fields, begin);
  }
};

/** A field in quotes, and where it ends. */
const quotedField = (text: string, from: number, column: number, line: number): [string, number] => {
  let at = from + 1;
  let field = '';
  while (true) {
    const end = text.indexOf('"', at);
    if (end === -1) throw new RowProblem(column, 'a quote is not closed', line);
    field += text.slice(at, end);
    if (text[end + 1] !== '"') return [field, end + 1];
    field += '"';
    at = end + 2;
  }
};

const endOfField = (text: string, from: number, delimiter: string): number => {
  let end = from;
  while (end < text.length && text[end] !== delimiter && text[end] !== '\n' && text[end] !== '\r') end++;
  return end;
};

const newlinesIn = (field: string): number => {
  let count = 0;
  for (let at = field.indexOf('\n'); at !== -1; at = field.indexOf('\n', at + 1)) count++;
  return count;
};
