/**
 * An order of rows into which others come, between those that are there. It remembers its last changes, so that a column that
 * was made of the order as it was can be mended and need not be made anew.
 */
import { putIn } from '../gather.ts';

export interface Change {
  /** Rows that came in, or rows that were there already and whose values have changed. */
  kind: 'entered' | 'altered';
  rows: Uint32Array;
  /** Where each stands after the change. Those of rows that came in ascend. */
  places: Uint32Array;
}

/** More changes than that a column is not mended by: making it anew would be as cheap. */
const changesMax = 16;
/** Nor by one in which so great a part of all rows came in. */
const enteredPartMax = 1 / 32;

export class RowOrder {
  #rows: Uint32Array = new Uint32Array();
  #version = 0;
  #changes: Change[] = [];

  /** Rows by place. */
  get rows(): Uint32Array {
    return this.#rows;
  }

  /** Grows with every change. */
  get version(): number {
    return this.#version;
  }

  /** Takes in rows that are in order among themselves, each before the first that it `isBefore`. Returns their places. */
  enter(rows: Uint32Array, isBefore: (entering: number, present: number) => boolean): Uint32Array {
    const places = new Uint32Array(rows.length);
    let from = 0;
    for (let i = 0; i < rows.length; i++) {
      from = firstBehind(this.#rows, from, rows[i]!, isBefore);
      places[i] = from + i;
    }
    const isLarge = rows.length > enteredPartMax * this.#rows.length;
    this.#rows = putIn(new Uint32Array(this.#rows.length + rows.length), this.#rows, rows, places);
    if (isLarge) this.#forget();
    else this.#remember({ kind: 'entered', rows, places });
    return places;
  }

  /** To be told when rows that are in the order have other values than before. */
  alter(rows: Uint32Array, places: Uint32Array): void {
    if (rows.length > enteredPartMax * this.#rows.length) this.#forget();
    else this.#remember({ kind: 'altered', rows, places });
  }

  /** What made the order as it is from that of an earlier version, oldest first; undefined when it is forgotten. */
  changesSince(version: number): Change[] | undefined {
    const count = this.#version - version;
    return count > this.#changes.length ? undefined : this.#changes.slice(this.#changes.length - count);
  }

  #remember(change: Change): void {
    if (change.rows.length === 0) return;
    this.#version++;
    this.#changes.push(change);
    if (this.#changes.length > changesMax) this.#changes.shift();
  }

  #forget(): void {
    this.#version++;
    this.#changes = [];
  }
}

/** Where in an order, from a place on, the first row stands that another one goes before: found in steps that double, then by halving. */
const firstBehind = (
  order: Uint32Array,
  from: number,
  row: number,
  isBefore: (entering: number, present: number) => boolean,
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
