/** Rows with named values, whichever way they are written, and what is wrong with one. */

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

const zoned = /^(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d):(\d\d)(?:[.,](\d{1,9}))?\s*(Z|UTC|[+-]\d\d(?::?\d\d)?)?$/;

/**
 * A time as databases write it: `2026-10-01 12:00:00.123+00`, ISO 8601, or seconds or milliseconds
 * since 1970. Without a zone it is UTC. Throws RowProblem.
 */
export const timeIn = (row: Row, name: string): number => {
  const text = row.text(name);
  const at = timeOf(text);
  if (at !== null) return at;
  throw new RowProblem(name, text === '' ? 'there is no time' : `${JSON.stringify(text)} is no time`);
};

export const timeOf = (text: string): number | null => {
  const match = zoned.exec(text);
  if (match === null) return /^\d{10}$/.test(text) ? Number(text) * 1000 : /^\d{13}$/.test(text) ? Number(text) : null;
  const [, year, month, day, hour, minute, second, fraction = '', zone = 'Z'] = match;
  const at = Date.UTC(
    +year!,
    +month! - 1,
    +day!,
    +hour!,
    +minute!,
    Math.min(+second!, 59),
    +`${fraction}000`.slice(0, 3),
  );
  const exists = new Date(Date.UTC(+year!, +month! - 1, +day!)).getUTCDate() === +day! && +hour! < 24 && +minute! < 60;
  if (!exists || +month! > 12 || +second! > 60) return null;
  const [, sign, hours, minutes = '00'] = /^([+-])(\d\d):?(\d\d)?$/.exec(zone) ?? [];
  const offset = hours === undefined ? 0 : (sign === '-' ? -1 : 1) * (+hours * 60 + +minutes) * 60_000;
  return at - offset >= 0 ? at - offset : null;
};

/** `1920x1080` as width and height. */
export const screenOf = (text: string): { w?: number; h?: number } => {
  const [, w, h] = /^(\d{1,5})x(\d{1,5})$/.exec(text) ?? [];
  return w === undefined ? {} : { w: +w, h: +h! };
};
