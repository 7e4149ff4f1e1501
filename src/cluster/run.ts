/** What the answers of shards are made of, and how they add up. */
import type { Query } from '../query/query.ts';
import type { RowSelection } from './selection.ts';
import { all, any, not } from './sql.ts';

export type Cell = string | number | null | Cell[];
export type ResultRow = Cell[];

/** Asks all shards the same, and resolves with the rows of each. */
export type AskShards = (sql: string) => Promise<ResultRow[][]>;

/** What every report is given. */
export interface Scope {
  run: AskShards;
  query: Query;
  selection: RowSelection;
  /**
   * Numbers of shards that the hits of the slice were divided by, where there are several and
   * visitors may be on several shards; else none.
   */
  placements: readonly number[];
}

/**
 * Counts visitors, in an expression, of all rows or of those that pass a condition. Visitors who
 * may be on several shards are named: addUp counts each of them once.
 */
export const visitorsOf = ({ placements }: Scope, visitor = 'visitor', condition = '1'): string => {
  const [first, ...others] = placements;
  if (others.length === 0) return condition === '1' ? `uniqExact(${visitor})` : `uniqExactIf(${visitor}, ${condition})`;
  const moved = any(others.map(count => `${visitor} % ${count} != ${visitor} % ${first}`));
  const [ofOne, ofSeveral] = [not(moved), moved].map(one => all([condition, one]));
  return `tuple(uniqExactIf(${visitor}, ${ofOne}), groupUniqArrayIf(toString(${visitor}), ${ofSeveral}))`;
};

/** Visitors as `visitorsOf` has them where some are named. */
const isNamed = (cell: Cell): cell is [count: number, names: string[]] =>
  Array.isArray(cell) && cell.length === 2 && !Array.isArray(cell[0]) && Array.isArray(cell[1]);

/** Visitors of a site. */
export const withSite = (site: number, cell: Cell): Cell =>
  isNamed(cell) ? [cell[0], cell[1].map(name => `${site} ${name}`)] : cell;

export const number = (cell: Cell | undefined): number => Number(cell ?? 0);
export const orNull = (cell: unknown): string | null => ((cell ?? '') === '' ? null : String(cell));
/** Texts by their names. */
export const namedTexts = <N extends string>(names: readonly N[], cells: readonly unknown[]) =>
  Object.fromEntries(names.map((name, i) => [name, orNull(cells[i])])) as Record<N, string | null>;

/** The rows of shards added up: the first `keys` cells are the key, the rest numbers. */
export const addUp = (shards: readonly ResultRow[][], keys: number): ResultRow[] => {
  const sums = new Map<string, ResultRow>();
  /** By key and cell, the visitors that were named. */
  const named = new Map<string, Set<string>>();
  const count = (key: string, i: number, cell: Cell | undefined): number => {
    if (cell === undefined || !isNamed(cell)) return number(cell);
    const names = named.get(`${i} ${key}`) ?? new Set();
    named.set(`${i} ${key}`, names);
    const before = names.size;
    for (const name of cell[1]) names.add(name);
    return number(cell[0]) + names.size - before;
  };
  for (const row of shards.flat()) {
    const key = JSON.stringify(row.slice(0, keys));
    const sum = sums.get(key);
    if (sum === undefined)
      sums.set(
        key,
        row.map((cell, i) => (i < keys ? cell : count(key, i, cell))),
      );
    else for (let i = keys; i < row.length; i++) sum[i] = number(sum[i]) + count(key, i, row[i]);
  }
  return [...sums.values()];
};

/** Rows without a key, added up: the numbers of one row. */
export const sumsOf = (shards: readonly ResultRow[][]): number[] => (addUp(shards, 0)[0] ?? []).map(number);

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
export const byBucket = (rows: readonly ResultRow[], cell: number, bounds: readonly number[]): number[] => {
  const values = new Array<number>(bounds.length - 1).fill(0);
  for (const row of rows) values[number(row[0])] = number(row[cell]);
  return values;
};
