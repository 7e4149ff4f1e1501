/**
 * Answers as a text for models: compact tables. Paths, titles, referrers, events and properties are
 * typed by strangers, so a value is one line in a cell, without what a person would not see.
 */

import { isRecord } from '../model/record.ts';

/** Characters of a text in all, and of a value. */
export const markdownCharsMax = 25_000;
const cellCharsMax = 200;

/** What is not seen or moves what is: control and format characters, and ends of lines. */
const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cn}]+/gu;

/** A value of a stranger in one line of a table. */
export const cell = (value: unknown): string => {
  if (value === null || value === undefined) return '–';
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  const line = text.toWellFormed().replace(unseen, ' ').trim();
  const cut = [...line.slice(0, 2 * cellCharsMax + 2)];
  const shown = cut.length > cellCharsMax ? `${cut.slice(0, cellCharsMax).join('')}…` : line;
  return shown.replace(/[\\`|<>]/g, '\\$&');
};

type Body = Readonly<Record<string, unknown>>;

/** Fields of fields become fields of their own: `previous.visitors`. */
const flat = (fields: Body, prefix = ''): [name: string, value: unknown][] =>
  Object.entries(fields).flatMap(([name, value]): [string, unknown][] =>
    isRecord(value) ? flat(value, `${prefix}${name}.`) : [[prefix + name, value]],
  );

const tableOf = (rows: readonly Body[], charsMax: number): string => {
  const flatRows = rows.map(row => Object.fromEntries(flat(row)));
  const names = [...new Set(flatRows.flatMap(row => Object.keys(row)))];
  const lines = [`| ${names.map(cell).join(' | ')} |`, `|${names.map(() => '---').join('|')}|`];
  let chars = lines.join('\n').length;
  let shown = 0;
  for (const row of flatRows) {
    const line = `| ${names.map(name => cell(row[name])).join(' | ')} |`;
    chars += line.length + 1;
    if (chars > charsMax) break;
    lines.push(line);
    shown++;
  }
  return [...lines, ...(shown < rows.length ? [`${shown} of ${rows.length} rows`] : [])].join('\n');
};

/** Lists of fields below a list, such as what rose in each dimension, are tables of their own. */
const hasTables = (rows: readonly Body[]): boolean =>
  rows.some(row => Object.values(row).some(value => Array.isArray(value) && value.some(isRecord)));

const partOf = (name: string, value: unknown, charsMax: number): string => {
  if (!Array.isArray(value)) return `${name}: ${cell(value)}`;
  if (value.length === 0) return `${name}: none`;
  if (!value.every(isRecord)) return `${name}: ${value.map(cell).join(', ')}`.slice(0, charsMax);
  if (!hasTables(value)) return `\n${name}:\n${tableOf(value, charsMax)}`;
  const each = Math.floor(charsMax / value.length);
  return value.map(row => bodyOf(row, each)).join('\n');
};

const bodyOf = (body: Body, charsMax: number): string => {
  const parts: string[] = [];
  let left = charsMax;
  for (const [name, value] of flat(body)) {
    const part = partOf(name, value, Math.max(0, left - name.length - 20));
    left -= part.length + 1;
    if (left < 0) return [...parts, '… the rest is in the structured content'].join('\n');
    parts.push(part);
  }
  return parts.join('\n');
};

/** An answer as a text of bounded length. */
export const markdownOf = (body: object): string => bodyOf(body as Body, markdownCharsMax - 100);
