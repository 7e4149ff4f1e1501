/** Rows with named values, whichever way they are written, and what is wrong with one. */
import { dayExists } from '../model/calendar.ts';

/** A record that cannot be read ends the import. */
export class RowProblem extends Error {
  /** Name or number of the column. */
  readonly column: string | number;
  /** 0 where it is the line that the record begins on. */
  readonly line: number;
  constructor(column: string | number, message: string, line = 0) {
    super(message);
    this.column = column;
    this.line = line;
  }
}

export interface Row {
  /** The text of a column; empty where the row has none. */
  text(name: string): string;
  /** As it is written in JSON; the text in a CSV. */
  value(name: string): unknown;
}

/** Rows of tables beside that of the hits, by table and key. */
export interface SideTables {
  rows(table: string, key: string): Readonly<Record<string, string>>[];
}

export const noSides: SideTables = { rows: () => [] };

/** The groups are what may be missing: seconds, their fraction, and the zone. */
const written =
  /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?(?:[.,](\d{1,9}))?\s*(Z|UTC|[+-](?:[01]\d|2[0-3])(?::?[0-5]\d)?)?$/;

/**
 * A time as databases write it: `2026-10-01 12:00:00.123+00`, ISO 8601, or seconds or milliseconds
 * since 1970. Without a zone it is UTC. Throws RowProblem.
 */
export const timeIn = (row: Row, name: string): number => {
  const text = row.text(name);
  const at = timeOf(text) ?? numberOf(text);
  if (at !== null) return at;
  throw new RowProblem(name, text === '' ? 'there is no time' : `${JSON.stringify(text)} is not a time`);
};

const numberOf = (text: string): number | null =>
  /^\d{10}$/.test(text) ? Number(text) * 1000 : /^\d{13}$/.test(text) ? Number(text) : null;

/** A written time since 1970 as UTC milliseconds, or null. Without a zone it is UTC. */
export const timeOf = (text: string): number | null => {
  const match = written.exec(text);
  if (match === null) return null;
  const [, seconds, fraction, zone] = match;
  const [year, month, day] = [digitsAt(text, 0, 4), digitsAt(text, 5, 2), digitsAt(text, 8, 2)];
  const [hour, minute] = [digitsAt(text, 11, 2), digitsAt(text, 14, 2)];
  const second = seconds === undefined ? 0 : digitsAt(text, 17, 2);
  if (year < 1970 || !dayExists(year, month, day) || hour > 23 || minute > 59 || second > 60) return null;
  const ms = fraction === undefined ? 0 : digitsAt(fraction.padEnd(3, '0'), 0, 3);
  // A leap second belongs to the one before it.
  const at = Date.UTC(year, month - 1, day, hour, minute, Math.min(second, 59), ms) - offsetOf(zone);
  return at >= 0 ? at : null;
};

const digitsAt = (text: string, from: number, count: number): number => {
  let number = 0;
  for (let i = from; i < from + count; i++) number = 10 * number + text.charCodeAt(i) - 48;
  return number;
};

/** Milliseconds that the clocks of a zone are ahead. */
const offsetOf = (zone = 'Z'): number => {
  if (zone === 'Z' || zone === 'UTC') return 0;
  const minutes = zone.length > 3 ? digitsAt(zone, zone.length - 2, 2) : 0;
  return (zone[0] === '-' ? -1 : 1) * (digitsAt(zone, 1, 2) * 60 + minutes) * 60_000;
};

/** `1920x1080` as width and height. */
export const screenOf = (text: string): { w?: number; h?: number } => {
  const [, w, h] = /^(\d{1,5})x(\d{1,5})$/.exec(text) ?? [];
  return w === undefined ? {} : { w: +w, h: +h! };
};
