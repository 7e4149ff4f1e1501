/**
 * Who is on a visit now: all that the collector keeps in memory about visitors. A visit goes on while its visitor's
 * gaps are at most 30 minutes, inside one UTC day (contract 3, "Visit").
 */
import { visitIdleMs } from '../model/limits.ts';
import { utcDayOf } from '../model/time.ts';
import type { ActiveVisit } from '../store/recorder.ts';
import { type VisitorKey, visitorKeyOf } from './visitor.ts';

interface Visit {
  id: number;
  /** UTC milliseconds of its latest hit or mark. */
  lastAt: number;
}

export interface Visits {
  /** Id of the visit that the visitor is on at `at`, which goes on with that; undefined when a new one begins. */
  extend(visitor: VisitorKey, at: number): number | undefined;
  /** Id of the visit that begins. */
  begin(visitor: VisitorKey, at: number): number;
  /** Forgets a visit whose beginning could not be written. */
  forget(visitor: VisitorKey): void;
}

/**
 * Visitors that are remembered at most, some 130 bytes each. With more than that at once, those silent the longest
 * begin a new visit.
 */
const visitsMax = 1_000_000;

/**
 * Visits stand in two generations. Those that see a hit are in the young one; every 30 minutes, or when it is full, it
 * becomes the old one, and the old one, whose visits were silent for that long, is dropped whole. So a hit moves
 * nothing, and nothing is swept. `ongoing` are visits to go on with after a restart.
 */
export const activeVisits = (
  firstId: number,
  ongoing: readonly ActiveVisit[] = [],
  generationMax = visitsMax / 2,
): Visits => {
  let young = new Map<VisitorKey, Visit>();
  let old = new Map<VisitorKey, Visit>();
  let youngSince = Number.NEGATIVE_INFINITY;
  let day = Number.NEGATIVE_INFINITY;
  let nextId = firstId;

  const age = (at: number): void => {
    const sameDay = utcDayOf(at) === day;
    if (sameDay && at - youngSince <= visitIdleMs && young.size < generationMax) return;
    old = sameDay ? young : new Map();
    young = new Map();
    youngSince = at;
    day = utcDayOf(at);
  };

  const put = (visitor: VisitorKey, visit: Visit): void => {
    age(visit.lastAt);
    young.set(visitor, visit);
  };

  const oldestFirst = ongoing.toSorted((a, b) => a.lastAt - b.lastAt);
  for (const { visitor, id, lastAt } of oldestFirst) put(visitorKeyOf(visitor), { id, lastAt });

  return {
    extend(visitor, at) {
      age(at);
      let visit = young.get(visitor);
      if (visit === undefined) {
        visit = old.get(visitor);
        if (visit === undefined) return undefined;
        young.set(visitor, visit);
      }
      if (at - visit.lastAt > visitIdleMs) return undefined;
      if (at > visit.lastAt) visit.lastAt = at;
      return visit.id;
    },
    begin(visitor, at) {
      const id = nextId++;
      put(visitor, { id, lastAt: at });
      return id;
    },
    forget(visitor) {
      young.delete(visitor);
      old.delete(visitor);
    },
  };
};
