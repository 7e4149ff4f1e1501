/**
 * Who is on a visit now: all that the collector keeps in memory about visitors. A visit goes on
 * while the gaps are at most 30 minutes, inside one UTC day (docs/collecting.md, "Visits").
 */
import type { KeyedHash } from '../model/keyed-hash.ts';
import { visitIdleMs } from '../model/limits.ts';
import { utcDayOf } from '../model/time.ts';
import type { ActiveVisit } from '../store/day/open/newest-rows.ts';
import { VisitTable } from './visit-table.ts';
import { type VisitorKey, visitorKeyOf } from './visitor.ts';

export interface ActiveVisits {
  /**
   * Continues the visit that the visitor is on at `at`: its id, or undefined when there is none.
   */
  extend(visitor: VisitorKey, at: number): number | undefined;
  /** Begins a visit: its id. */
  begin(visitor: VisitorKey, at: number): number;
  /** Forgets a visit whose beginning could not be written. */
  forget(visitor: VisitorKey): void;
}

/** Visits to remember. With more than that at once, those silent the longest end early. */
const visitsMax = 1_000_000;

/**
 * Visits stand in two generations. A hit puts its visit into the young one. Every 30 minutes, or
 * when it is full, the young one becomes the old one, and the old one, whose visits were silent for
 * that long, is dropped whole. So nothing is swept. `ongoing` visits go on after a restart.
 */
export const activeVisits = (
  hash: KeyedHash,
  firstId: number,
  ongoing: readonly ActiveVisit[] = [],
  generationMax = visitsMax / 2,
): ActiveVisits => {
  let young = new VisitTable(hash);
  let old = new VisitTable(hash);
  let youngSince = Number.NEGATIVE_INFINITY;
  let day = Number.NEGATIVE_INFINITY;
  let nextId = firstId;

  const age = (at: number): void => {
    const sameDay = utcDayOf(at) === day;
    if (sameDay && at - youngSince <= visitIdleMs && young.size < generationMax) return;
    old = sameDay ? young : new VisitTable(hash);
    young = new VisitTable(hash);
    youngSince = at;
    day = utcDayOf(at);
  };

  for (const { visitor, id, lastAt } of ongoing.toSorted((a, b) => a.lastAt - b.lastAt)) {
    age(lastAt);
    young.put(visitorKeyOf(visitor), id, lastAt);
  }

  return {
    extend(visitor, at) {
      age(at);
      const since = at - visitIdleMs;
      const id = young.find(visitor, since) || old.find(visitor, since);
      if (id === 0) return undefined;
      young.put(visitor, id, at);
      return id;
    },
    begin(visitor, at) {
      age(at);
      young.put(visitor, nextId, at);
      return nextId++;
    },
    forget(visitor) {
      young.forget(visitor);
      old.forget(visitor);
    },
  };
};
