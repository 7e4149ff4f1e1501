/**
 * Visits of which only marks came one way: what somebody identified as, or how long a page was
 * looked at. They are in no day, but where a day came several ways, hits of such a visit may have
 * come another way, and then the marks are the visit's (unite-days.ts). Kept in one piece, beside
 * the columns of the part.
 */
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { type ColumnName, columnNames, columns } from '../../model/columns.ts';
import { type Day, type DayFacts, dayOver, nullColumn, numberColumn, type TextName, textColumn } from './day.ts';
import { gather } from './gather.ts';

interface Stored {
  visits: number;
  hashVisits: number;
  /** Hashes as decimals; ids of texts; numbers. Columns of nothing but 0 are missing. */
  columns: Partial<Record<ColumnName, (string | number)[]>>;
}

const ofVisits = columnNames.filter(name => columns[name].table === 'visit');

const valuesOf = (day: Day, name: ColumnName): (string | number)[] => {
  const column = day.column(name);
  if (column.kind === 'hash') return Array.from(column.values, String);
  if (column.kind === 'number') return [...(day.numbers(name as never) as Iterable<number>)];
  const { codes, dictionary } = day.texts(name as TextName);
  return [...gather(dictionary, Uint32Array.from(codes))];
};

/** What is stored of a day's visits of marks alone; undefined where there are none. */
export const encodeMarks = (day: Day): Uint8Array | undefined => {
  const marks = day.marks?.();
  if (marks === undefined || marks.visits === 0) return undefined;
  const stored: Stored = { visits: marks.visits, hashVisits: marks.hashVisits, columns: {} };
  for (const name of ofVisits) {
    const values = valuesOf(marks, name);
    if (values.some(value => value !== 0)) stored.columns[name] = values;
  }
  return deflateRawSync(JSON.stringify(stored));
};

/** The visits as a day without hits. */
export const decodeMarks = (facts: DayFacts, data: Uint8Array): Day => {
  const stored = JSON.parse(inflateRawSync(data).toString()) as Stored;
  return marksDay({ ...facts, visits: stored.visits, hashVisits: stored.hashVisits }, name => {
    const values = stored.columns[name];
    if (values === undefined) return undefined;
    const { kind } = columns[name];
    if (kind === 'hash') return { kind, values: BigUint64Array.from(values as string[], BigInt) };
    return kind === 'text' ? textColumn(Uint32Array.from(values as number[])) : numberColumn(values as number[]);
  });
};

/** The ids of texts that stored visits refer to. */
export const textsOfMarks = (data: Uint8Array): number[] => {
  const { columns: stored } = JSON.parse(inflateRawSync(data).toString()) as Stored;
  const texts = ofVisits.filter(name => columns[name].kind === 'text' && name !== 'screen');
  return texts.flatMap(name => (stored[name] ?? []) as number[]);
};

/** Visits as a day without hits, given their columns. */
export const marksDay = (facts: DayFacts, column: (name: ColumnName) => ReturnType<Day['column']> | undefined): Day => {
  const empty = { ...facts, hits: 0, firstAt: 0, lastAt: 0 };
  const found = (name: ColumnName) => (columns[name].table === 'visit' ? column(name) : undefined);
  return dayOver(empty, name => found(name) ?? nullColumn(empty, name));
};

/** Days, and behind them what only marks are known of. */
export const withMarks = (days: readonly Day[]): Day[] => [...days, ...days.flatMap(day => day.marks?.() ?? [])];
