/**
 * An order of rows into which others are inserted. It remembers its last changes, so that a column
 * made from an earlier version of the order can be patched instead of made again.
 */
import { mergeAt } from '../gather.ts';

export interface Change {
  /** Rows that were inserted, or rows that were there already and whose values have changed. */
  kind: 'insert' | 'update';
  rows: Uint32Array;
  /** Position of each after the change. Those of inserted rows ascend. */
  positions: Uint32Array;
}

/** A column is not patched by more changes than this: making it again would be as cheap. */
const changesMax = 16;
/** Nor by one that inserts or updates so great a part of all rows. */
const changedPartMax = 1 / 32;

export class RowOrder {
  #rows: Uint32Array = new Uint32Array();
  #version = 0;
  #changes: Change[] = [];

  /** Rows by position. */
  get rows(): Uint32Array {
    return this.#rows;
  }

  /** Grows with every change. */
  get version(): number {
    return this.#version;
  }

  /**
   * Inserts rows that are in order among themselves, each before the first that it `isBefore`.
   * Returns their positions.
   */
  insert(rows: Uint32Array, isBefore: (inserted: number, present: number) => boolean): Uint32Array {
    const positions = new Uint32Array(rows.length);
    let from = 0;
    for (let i = 0; i < rows.length; i++) {
      from = firstBehind(this.#rows, from, rows[i]!, isBefore);
      positions[i] = from + i;
    }
    const isLarge = this.#isLarge(rows);
    this.#rows = mergeAt(new Uint32Array(this.#rows.length + rows.length), this.#rows, rows, positions);
    this.#remember({ kind: 'insert', rows, positions }, isLarge);
    return positions;
  }

  /** To be told when rows that are in the order have other values than before. */
  update(rows: Uint32Array, positions: Uint32Array): void {
    this.#remember({ kind: 'update', rows, positions }, this.#isLarge(rows));
  }

  /**
   * What made the order as it is from an earlier version, oldest first; undefined when that is
   * forgotten.
   */
  changesSince(version: number): Change[] | undefined {
    const count = this.#version - version;
    return count > this.#changes.length ? undefined : this.#changes.slice(this.#changes.length - count);
  }

  #isLarge(rows: Uint32Array): boolean {
    return rows.length > changedPartMax * this.#rows.length;
  }

  #remember(change: Change, isLarge: boolean): void {
    if (change.rows.length === 0) return;
    this.#version++;
    if (isLarge) this.#changes = [];
    else this.#changes.push(change);
    if (this.#changes.length > changesMax) this.#changes.shift();
  }
}

/**
 * Position, from one on, of the first row that another goes before: found in steps that double,
 * then by halving.
 */
const firstBehind = (
  order: Uint32Array,
  from: number,
  row: number,
  isBefore: (inserted: number, present: number) => boolean,
): number => {
  let low = from;
  let step = 1;
  while (low + step <= order.length && !isBefore(row, order[low + step - 1]!)) {
    low += step;
    step *= 2;
  }
  let high = Math.min(low + step - 1, order.length);
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isBefore(row, order[middle]!)) high = middle;
    else low = middle + 1;
  }
  return low;
};
