/** An open day whose rows keep coming: its columns as of now, folded from the rows that have come since the last time. */
import type { Day } from '../day.ts';
import { rowsBetween } from '../gather.ts';
import { DayRows, type OpenHitRow, type OpenVisitRow } from './day-rows.ts';
import { Fold } from './fold.ts';
import { sortRows } from './sort.ts';

export class OpenDay {
  readonly #rows: DayRows;
  #fold: Fold;
  #foldedHits = 0;
  #day: Day | undefined;

  constructor(siteId: number, day: number) {
    this.#rows = new DayRows(siteId, day);
    this.#fold = new Fold(this.#rows);
  }

  addVisits(rows: readonly OpenVisitRow[]): void {
    this.#rows.addVisits(rows);
    this.#day = undefined;
  }

  /** The hits' visits must have been added before. If it throws, the day is of no more use. */
  addHits(rows: readonly OpenHitRow[]): void {
    this.#rows.addHits(rows);
    this.#day = undefined;
  }

  /**
   * The columns of all rows so far. Its columns can be asked for until the next call after rows have come; those that
   * were asked for stay as they are.
   */
  day(): Day {
    this.#day ??= this.#folded();
    return this.#day;
  }

  #folded(): Day {
    const { time } = this.#rows.hits;
    const isInOrder = this.#fold.add(rowsBetween(this.#foldedHits, time.length));
    if (!isInOrder) {
      this.#fold = new Fold(this.#rows);
      this.#fold.add(sortRows(time.length, [time.values()]));
    }
    this.#foldedHits = time.length;
    return this.#fold.day();
  }
}
