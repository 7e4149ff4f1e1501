/**
 * What a visit's hits say about it, non-counting ones included: start, end, entry and exit page,
 * numbers, and who it was.
 */
import { hitTypes, lastHitCode } from '../../../model/hit.ts';
import { dayMs } from '../../../model/time.ts';
import { positionAmong } from '../ascending.ts';
import type { DayRows } from './day-rows.ts';
import { growingBytes, growingIntegers } from './growing-column.ts';

export class VisitAggregates {
  /** Milliseconds since midnight, by the row of the visit. */
  readonly started = growingIntegers();
  readonly ended = growingIntegers();
  readonly hits = growingIntegers();
  readonly pageviews = growingIntegers();
  /** Text ids. */
  readonly entryPath = growingIntegers();
  readonly exitPath = growingIntegers();
  readonly identified = growingIntegers();
  readonly traits = growingIntegers();
  /** By the row of the hit: how long its page was looked at after it. */
  readonly msOnPage = growingIntegers();
  /** By the row of the hit: how much of its page was seen, as model/hit.ts codes it. */
  readonly scroll = growingBytes();
  /** Row of the visit's last pageview. */
  readonly #page = growingIntegers();
  readonly #rows: DayRows;

  constructor(rows: DayRows) {
    this.#rows = rows;
  }

  /** What it takes in memory. */
  get bytes(): number {
    const { started, ended, hits, pageviews, entryPath, exitPath, identified, traits, msOnPage, scroll } = this;
    const ofVisits = [started, ended, hits, pageviews, entryPath, exitPath, identified, traits, this.#page];
    return [...ofVisits, msOnPage, scroll].reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /**
   * Adds hits, counting or not. Those of one visit must come in the order of time, over all calls:
   * at the first that does not it stops and returns false, and the aggregates must be dropped.
   */
  add(rows: Uint32Array): boolean {
    this.#lengthen();
    const hitVisit = this.#rows.hits.visit.values();
    const hitTime = this.#rows.hits.time.values();
    const hitType = this.#rows.hits.type.values();
    const duration = this.#rows.hits.duration.values();
    const path = this.#rows.hits.pageFields.path.values();
    const started = this.started.values();
    const ended = this.ended.values();
    const hits = this.hits.values();
    const pageviews = this.pageviews.values();
    const entryPath = this.entryPath.values();
    const exitPath = this.exitPath.values();
    const msOnPage = this.msOnPage.values();
    const hitScroll = this.#rows.hits.scroll.values();
    const scroll = this.scroll.values();
    const pages = this.#page.values();
    for (let i = 0; i < rows.length; i++) {
      const row = rows[i]!;
      const visit = hitVisit[row]!;
      const time = hitTime[row]!;
      const type = hitType[row]!;
      if (time < ended[visit]!) return false;
      if (started[visit] === notStarted) started[visit] = time;
      ended[visit] = time;
      const page = pages[visit]!;
      if (page !== noPage) {
        msOnPage[page]! += duration[row]!;
        if (hitScroll[row]! > scroll[page]!) scroll[page] = hitScroll[row]!;
      }
      if (type === hitTypes.identify) this.#identify(visit, row);
      if (type > lastHitCode) continue;
      hits[visit]!++;
      if (type !== hitTypes.pageview) continue;
      if (pageviews[visit]!++ === 0) entryPath[visit] = path[row]!;
      exitPath[visit] = path[row]!;
      pages[visit] = row;
    }
    return true;
  }

  #identify(visit: number, row: number): void {
    const { hit, name, traits } = this.#rows.identities;
    const identity = positionAmong(hit.values(), row);
    if (identity === -1) return;
    this.identified.values()[visit] = name.values()[identity]!;
    this.traits.values()[visit] = traits.values()[identity]!;
  }

  /** Makes room for rows that have come. */
  #lengthen(): void {
    const visits = this.#rows.visits.persistent.length;
    const { ended, hits, pageviews, entryPath, exitPath, identified, traits } = this;
    for (const column of [ended, hits, pageviews, entryPath, exitPath, identified, traits]) column.lengthen(visits, 0);
    this.started.lengthen(visits, notStarted);
    this.#page.lengthen(visits, noPage);
    for (const column of [this.msOnPage, this.scroll]) column.lengthen(this.#rows.hits.visit.length, 0);
  }
}

const notStarted = dayMs;
const noPage = 0xffffffff;
