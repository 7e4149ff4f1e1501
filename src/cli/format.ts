/** How commands show rows, numbers, times and sizes. */
import type { Result } from './command.ts';

type Cell = string | number | null;

/** Rows under headings, in columns; numbers to the right, null as a dash. */
export const table = (headings: readonly string[], rows: readonly (readonly Cell[])[]): string => {
  const text = (cell: Cell): string => (typeof cell === 'number' ? formatCount(cell) : (cell ?? '-'));
  const widths = headings.map((heading, i) => Math.max(heading.length, ...rows.map(row => text(row[i]!).length)));
  const isNumber = headings.map((_, i) => rows.some(row => typeof row[i] === 'number'));
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, i) => (isNumber[i] ? cell.padStart(widths[i]!) : cell.padEnd(widths[i]!)))
      .join('  ')
      .trimEnd();
  return [line(headings), ...rows.map(row => line(row.map(text)))].join('\n');
};

/** By its heading, what stands in a column: a field of the row, or what is made of it. */
export type ListingColumns<R> = Readonly<Record<string, FieldOf<R> | ((row: R) => Cell)>>;
type FieldOf<R> = { [F in keyof R]: R[F] extends Cell ? F : never }[keyof R];

/**
 * Rows as a table with a cell of each column, and as JSON; `none` is the text if there are no rows.
 */
export const listing = <R>(rows: readonly R[], columns: ListingColumns<R>, none: string): Result => {
  const cells = rows.map(row =>
    Object.values(columns).map(column => (typeof column === 'function' ? column(row) : (row[column] as Cell))),
  );
  return { json: rows, text: rows.length === 0 ? none : table(Object.keys(columns), cells) };
};

/** `1,234,567`. */
export const formatCount = (count: number): string => count.toLocaleString('en-US');

/** `1 hit`, `2 hits`. */
export const counted = (count: number, noun: string): string =>
  `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`;

/** `2026-11-20 10:41:04` in UTC, for people, of an instant or its ISO 8601 form; null for null. */
export const formatTime = (at: number | string | null): string | null =>
  isoTime(at)?.slice(0, 19).replace('T', ' ') ?? null;

/** ISO 8601 with Z, for programs. */
export const isoTime = (at: number | string | null): string | null => (at === null ? null : new Date(at).toISOString());

const byteUnits = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'];

/** `3.4 MiB`. */
export const formatBytes = (bytes: number): string => {
  const step = Math.min(byteUnits.length - 1, Math.floor(Math.log2(Math.max(1, bytes)) / 10));
  return `${(bytes / 1024 ** step).toFixed(step === 0 ? 0 : 1)} ${byteUnits[step]}`;
};
