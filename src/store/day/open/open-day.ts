/** An open day whose rows keep coming: it folds those that have come since the last time. */
import type { Day } from '../day.ts';
import { gatherDoubles, rowsBetween } from '../gather.ts';
import { type Part, wholeDay } from '../part.ts';
import { DayRows, type HitRows, type VisitRows } from './day-rows.ts';
import { Fold } from './fold.ts';
import { sortRows } from './sort.ts';

/**
 * Rows are folded as soon as so many have come: to fold a large day at once would keep others
 * waiting for half a second.
 */
const foldedAtOnce = 32_768;

export class OpenDay {
  readonly #rows: DayRows;
  #fold: Fold;
  #foldedHits = 0;
  #day: Day | undefined;

  constructor(siteId: number, day: number, part: Part = wholeDay) {
    this.#rows = new DayRows(siteId, day, part);
    this.#fold = new Fold(this.#rows);
  }

  addVisits(rows: VisitRows): void {
    this.add(to => to.addVisits(rows));
  }

  /** The hits' visits must have been added before. If it throws, the day must be dropped. */
  addHits(rows: HitRows): void {
    this.add(to => to.addHits(rows));
  }

  /** Adds rows in any other way. */
  add(work: (rows: DayRows) => void): void {
    this.#day = undefined;
    work(this.#rows);
    if (this.#rows.hits.time.length - this.#foldedHits >= foldedAtOnce) this.#foldNew();
  }

  /**
   * The columns of all rows so far. They can be asked for until rows have come and the day is
   * folded again: then asking throws. Those that were asked for stay as they are.
   */
  day(): Day {
    if (this.#day !== undefined) return this.#day;
    this.#foldNew();
    this.#day = this.#fold.day();
    return this.#day;
  }

  /** Of each visit of the day, its id. */
  visitIds(): Float64Array {
    this.day();
    return gatherDoubles(this.#rows.visits.id.values(), this.#fold.visitRows);
  }

  /** What it takes in memory, about. */
  get bytes(): number {
    return this.#rows.bytes + this.#fold.bytes;
  }

  #foldNew(): void {
    const { time } = this.#rows.hits;
    const isInOrder = this.#fold.add(rowsBetween(this.#foldedHits, time.length));
    if (!isInOrder) {
      this.#fold = new Fold(this.#rows);
      this.#fold.add(sortRows(time.length, [time.values()]));
    }
    this.#foldedHits = time.length;
  }
}
