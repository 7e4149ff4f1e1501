/**
 * The ids of the hits of visits that may go on, for one server's visits of all sites: 12 bytes a
 * hit, and 8 a visit. Ids of visits ascend, so a visit's list is found by its id.
 */
import { growingDoubles, growingIntegers } from './growing-column.ts';

export class HitLists {
  #firstVisit: number;
  /** By visit: 1 + the place of its latest hit in the columns below; 0 for none. */
  #latest = growingIntegers();
  /** By visit: UTC seconds of its latest hit. */
  #lastAt = growingIntegers();
  #ids = growingDoubles();
  /** By hit: 1 + the place of the hit before it in its visit; 0 for the first. */
  #before = growingIntegers();

  /** Visits with lower ids make all lists be copied. */
  constructor(firstVisit: number) {
    this.#firstVisit = firstVisit;
  }

  get bytes(): number {
    return [this.#latest, this.#lastAt, this.#ids, this.#before].reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** `at` is in UTC milliseconds. */
  add(visitId: number, hitId: number, at: number): void {
    if (visitId < this.#firstVisit) this.#copy(visitId, 0);
    const visit = visitId - this.#firstVisit;
    for (const column of [this.#latest, this.#lastAt]) if (column.length <= visit) column.lengthen(visit + 1, 0);
    this.#before.push(this.#latest.values()[visit]!);
    this.#ids.push(hitId);
    this.#latest.values()[visit] = this.#ids.length;
    this.#lastAt.values()[visit] = at / 1000;
  }

  /** Ascending, in the order they were added; none for a visit that is not known. */
  of(visitId: number): number[] {
    const ids: number[] = [];
    const [values, before] = [this.#ids.values(), this.#before.values()];
    for (let place = this.#latest.values()[visitId - this.#firstVisit] ?? 0; place > 0; place = before[place - 1]!)
      ids.push(values[place - 1]!);
    return ids.reverse();
  }

  has(visitId: number): boolean {
    return (this.#latest.values()[visitId - this.#firstVisit] ?? 0) > 0;
  }

  /** Forgets visits without a hit since `at`, in UTC milliseconds. */
  forgetBefore(at: number): void {
    const lastAt = this.#lastAt.values();
    const first = lastAt.findIndex(seconds => seconds >= at / 1000);
    this.#copy(this.#firstVisit + (first === -1 ? lastAt.length : first), at / 1000);
  }

  #copy(firstVisit: number, since: number): void {
    const [lastAt, end] = [this.#lastAt.values(), this.#firstVisit + this.#lastAt.length];
    const copy = new HitLists(firstVisit);
    for (let visitId = Math.max(firstVisit, this.#firstVisit); visitId < end; visitId++) {
      const seconds = lastAt[visitId - this.#firstVisit]!;
      if (seconds < since) continue;
      for (const id of this.of(visitId)) copy.add(visitId, id, seconds * 1000);
    }
    this.#firstVisit = firstVisit;
    [this.#latest, this.#lastAt, this.#ids, this.#before] = [copy.#latest, copy.#lastAt, copy.#ids, copy.#before];
  }
}
