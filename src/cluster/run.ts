/** What the answers of shards are made of, and how they add up. */
import type { Query } from '../query/query.ts';
import type { Selection } from './selection.ts';
import type { SiteDays } from './source.ts';

export type Cell = string | number | null | Cell[];
export type Row = Cell[];

/** Asks all shards the same, and resolves with the rows of each. */
export type Run = (sql: string) => Promise<Row[][]>;

/** What every report is given. */
export interface Scope {
  run: Run;
  query: Query;
  days: SiteDays;
  selection: Selection;
}

export const number = (cell: Cell | undefined): number => Number(cell ?? 0);
export const orNull = (cell: Cell | undefined): string | null =>
  cell === '' || cell === undefined ? null : String(cell);

/** The rows of shards, of which the first `keys` cells are a key and the rest are numbers: added up by key. */
export const addUp = (shards: readonly Row[][], keys: number): Row[] => {
  const sums = new Map<string, Row>();
  for (const row of shards.flat()) {
    const key = JSON.stringify(row.slice(0, keys));
    const sum = sums.get(key);
    if (sum === undefined)
      sums.set(
        key,
        row.map((cell, i) => (i < keys ? cell : number(cell))),
      );
    else for (let i = keys; i < row.length; i++) sum[i] = number(sum[i]) + number(row[i]);
  }
  return [...sums.values()];
};

/** Rows without a key, added up: the numbers of one row. */
export const sumsOf = (shards: readonly Row[][]): number[] => (addUp(shards, 0)[0] ?? []).map(number);

/** Of values and how often each occurs; null for none. */
export const medianOf = (counted: readonly (readonly [value: number, count: number])[]): number | null => {
  const sorted = counted.toSorted(([a], [b]) => a - b);
  const count = sorted.reduce((sum, [, of]) => sum + of, 0);
  const at = (rank: number): number => {
    let seen = 0;
    const place = sorted.findIndex(([, of]) => {
      seen += of;
      return seen > rank;
    });
    return sorted[place]![0];
  };
  return count === 0 ? null : (at(Math.floor((count - 1) / 2)) + at(Math.floor(count / 2))) / 2;
};

/** By bucket what a cell of its row says; 0 where it has none. */
export const byBucket = (rows: readonly Row[], cell: number, bounds: readonly number[]): number[] => {
  const values = new Array<number>(bounds.length - 1).fill(0);
  for (const row of rows) values[number(row[0])] = number(row[cell]);
  return values;
};
