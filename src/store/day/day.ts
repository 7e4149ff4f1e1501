/**
 * A UTC day of one site as columns (model/columns.ts): what sealing writes and what the scan reads,
 * whether the day is open or sealed.
 */
import { type ColumnName, columnNames, columns } from '../../model/columns.ts';
import type { Column, NumberColumn, TextColumn } from './column-codec.ts';
import { type Codes, codesFor, largest, type Numbers, type Packed } from './packed.ts';
import type { DayPart } from './part.ts';
import { flat } from './unpack.ts';

type NamesOf<Kind> = { [N in ColumnName]: (typeof columns)[N]['kind'] extends Kind ? N : never }[ColumnName];
export type NumberName = NamesOf<'number'>;
export type TextName = NamesOf<'text'>;

/** A day of a site, or a part of it. */
export interface Day extends DayPart {
  siteId: number;
  /** A version of a sealed day never changes: what was computed from it can be kept. */
  sealed: boolean;
  /** How often hits were taken out of the sealed day or put back. */
  version: number;
  /** Visits with at least one hit. */
  visits: number;
  /** Of those, the ones of hash mode; they come first. */
  hashVisits: number;
  hits: number;
  /** UTC milliseconds of the first and the last hit; both 0 in a day without hits. */
  firstAt: number;
  lastAt: number;
  column(name: ColumnName): Column;
  /** As they are kept: perhaps packed. */
  keptNumbers(name: NumberName): Numbers | Packed;
  keptCodes(name: TextName): Codes | Packed;
  /** The ids of a text column's entries. */
  dictionary(name: TextName): Uint32Array;
  /** Values by row: a new array at each call where the column is packed. */
  numbers(name: NumberName): Numbers;
  texts(name: TextName): TextCodes;
  /** The `visitor` column. */
  hashes(): BigUint64Array;
  /** Of each hit, the import that brought it, or 0: of a day that came several ways. */
  imports?: () => Uint32Array;
  /** Visits of which nothing but marks came, as a day without hits (mark-visits.ts). */
  marks?: () => Day | undefined;
  /** Of an open day that came one way: what tells which of its visits changed. */
  changes?: Changes;
}

/** What came to an open day since it was read before. */
export interface Changes {
  /** The same for as long as rows were only added. */
  of: object;
  /** Grows with the rows. */
  version: number;
  /** Of each hit, its row in the order of arrival, which never changes. */
  rows: Uint32Array;
  /** Visits, ascending, that changed after a version. */
  visitsSince(version: number): Uint32Array;
}

/** A text column whose codes can be looked up by row. */
export interface TextCodes {
  codes: Codes;
  dictionary: Uint32Array;
}

const factNames = [
  ...(['siteId', 'day', 'part', 'sealed', 'version'] as const),
  ...(['visits', 'hashVisits', 'hits', 'firstAt', 'lastAt'] as const),
] as const;
/** The facts of a day that are not columns: plain data, which can be sent to another thread. */
export type DayFacts = Pick<Day, (typeof factNames)[number]>;
export const factsOf = (day: DayFacts): DayFacts =>
  Object.fromEntries(factNames.map(name => [name, day[name]])) as unknown as DayFacts;

/** A day over a source of columns; checks that each has the kind its name promises. */
export const dayOver = (facts: DayFacts, column: (name: ColumnName) => Column): Day => {
  const ofKind = <K extends Column['kind']>(name: ColumnName, kind: K): Extract<Column, { kind: K }> => {
    const found = column(name);
    if (found.kind !== kind) throw new Error(`column ${name} is of kind ${found.kind}, not ${kind}`);
    return found as Extract<Column, { kind: K }>;
  };
  return {
    ...facts,
    column,
    keptNumbers: name => ofKind(name, 'number').values,
    keptCodes: name => ofKind(name, 'text').codes,
    dictionary: name => ofKind(name, 'text').dictionary,
    numbers: name => flat(ofKind(name, 'number').values),
    texts: name => {
      const { codes, dictionary } = ofKind(name, 'text');
      return { codes: flat(codes), dictionary };
    },
    hashes: () => ofKind('visitor', 'hash').values,
  };
};

/** All columns of a day by name, as sealing writes them. */
export const columnsOf = (day: Day): [ColumnName, Column][] => columnNames.map(name => [name, day.column(name)]);

/** A column of visits or hits in which nothing is known. */
export const nullColumn = ({ visits, hits }: DayFacts, name: ColumnName): Column => {
  const { table, kind } = columns[name];
  const values = new Uint32Array(table === 'visit' ? visits : hits);
  return kind === 'text' ? textColumn(values) : numberColumn(values);
};

/** A number column in the narrowest form that holds every value exactly. */
export const numberColumn = (values: ArrayLike<number>): NumberColumn => {
  const narrow: Numbers =
    values instanceof Uint32Array || isUnsigned(values)
      ? codesFor(largest(values), values.length)
      : new Float64Array(values.length);
  narrow.set(values);
  return { kind: 'number', values: narrow };
};

const isUnsigned = (values: ArrayLike<number>): boolean => {
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!;
    if (value !== value >>> 0 || Object.is(value, -0)) return false;
  }
  return true;
};

/** A text column from one value per row. */
export const textColumn = (values: Uint32Array): TextColumn => {
  const most = largest(values);
  // A table over all ids up to the largest is the fastest way, but a small day of an old site has
  // few of many ids.
  return most <= 4 * values.length + tableMin ? columnByTable(values, most) : columnByMap(values);
};
const tableMin = 4096;

const columnByTable = (ids: Uint32Array, most: number): TextColumn => {
  const codeOf = new Uint32Array(most + 1);
  codeOf[0] = 1;
  for (let row = 0; row < ids.length; row++) codeOf[ids[row]!] = 1;
  const dictionary: number[] = [];
  for (let id = 0; id < codeOf.length; id++) {
    if (codeOf[id] === 0) continue;
    codeOf[id] = dictionary.length;
    dictionary.push(id);
  }
  const codes = codesFor(dictionary.length - 1, ids.length);
  for (let row = 0; row < ids.length; row++) codes[row] = codeOf[ids[row]!]!;
  return { kind: 'text', codes, dictionary: Uint32Array.from(dictionary) };
};

const columnByMap = (values: Uint32Array): TextColumn => {
  const dictionary = Uint32Array.from(new Set(values).add(0)).sort();
  const codeOf = new Map(Array.from(dictionary, (value, code) => [value, code]));
  const codes = codesFor(dictionary.length - 1, values.length);
  for (let row = 0; row < values.length; row++) codes[row] = codeOf.get(values[row]!)!;
  return { kind: 'text', codes, dictionary };
};
