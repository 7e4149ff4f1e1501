/**
 * The visitors that somebody asks about by name: those whose visits are handed out or erased. Who
 * has a visit that passes is meant with all visits, on all days with a cookie and else on that day.
 */
import type { Database } from '../../store/database.ts';
import type { Day } from '../../store/day/day.ts';
import { type DayReader, dayReader } from '../../store/day/day-reader.ts';
import type { OpenDaysOptions } from '../../store/day/open/open-days.ts';
import { unitedDays } from '../../store/day/united-days.ts';
import { records } from '../../store/read/records.ts';
import { siteContext } from '../context.ts';
import type { Filter } from '../query.ts';
import { indexDay } from '../scan/day-index.ts';
import type { DayFilter } from '../scan/filter-rows.ts';
import { prepareFilters } from '../scan/filters.ts';
import { selectPassing } from '../scan/select.ts';
import { createScratchPool, type Scratch } from '../scratch.ts';

/** A visitor by its hash, or all who have a visit with a hit that passes all of some filters. */
export type DataSubject = { visitor: bigint } | { filters: Filter[] };

/** More are no person. */
export const visitorsMax = 100_000;
export class TooManyVisitors extends Error {}

export interface Visitors {
  count(): number;
  /** Adds somebody of a UTC day. Throws TooManyVisitors. */
  add(day: number, isPersistent: boolean, visitor: bigint): void;
  /** Whether somebody of a UTC day is one of them. */
  has(day: number, isPersistent: boolean, visitor: bigint): boolean;
  /** Whose visits may be on other days, too. */
  lasting(): bigint[];
  /** All of them, each with the UTC day; 0 for all days. */
  list(): { day: number; visitor: bigint }[];
}

/** UTC days, or parts of large ones, that were looked through, of so many. */
export interface DaysDone {
  done: number;
  of: number;
}

export const allTime = [0, Date.UTC(9999, 0, 1)] as const;

/** A day at each step. Throws TooManyVisitors. */
export function* findVisitors(
  db: Database,
  siteId: number,
  person: DataSubject,
  openOptions?: OpenDaysOptions,
): Generator<DaysDone, Visitors> {
  const found = visitorSet();
  const reader = dayReader(db, 0, openOptions);
  const steps = partsWithMarks(reader, siteId);
  if ('visitor' in person) found.addAlways(person.visitor);
  else {
    const find = finderOf(db, reader, siteId, person.filters);
    const look = db.transaction((read: () => Day[]) => {
      for (const day of read())
        for (const visit of find(day)) found.add(day.day, visit >= day.hashVisits, day.hashes()[visit]!);
    });
    for (const [i, read] of steps.entries()) {
      look(read);
      yield { done: i + 1, of: steps.length };
    }
  }
  return found;
}

/**
 * Gives the parts of all days as they are now: those that came several ways as one, and behind them
 * the visits of which nothing but marks came, as days without hits.
 */
export const partsWithMarks = (reader: DayReader, siteId: number): (() => Day[])[] => {
  const days = unitedDays(reader);
  return [
    ...days.outline(siteId, ...allTime).map(of => () => days.day(siteId, of)),
    ...reader
      .outlineWithMarks(siteId, ...allTime)
      .map(of => () => reader.dayWithMarks(siteId, of).flatMap(day => day.marks?.() ?? [])),
  ];
};

const visitorSet = () => {
  const always = new Set<bigint>();
  const ofCookies = new Set<bigint>();
  const ofDays = new Map<number, Set<bigint>>();
  let count = 0;
  const lasting = (): bigint[] => [...always, ...ofCookies];
  const addTo = (set: Set<bigint>, hash: bigint): void => {
    if (set.has(hash)) return;
    if (++count > visitorsMax) throw new TooManyVisitors();
    set.add(hash);
  };
  return {
    addAlways: (hash: bigint) => addTo(always, hash),
    add(day: number, isPersistent: boolean, hash: bigint): void {
      const ofDay = isPersistent ? ofCookies : (ofDays.get(day) ?? new Set());
      if (!isPersistent) ofDays.set(day, ofDay);
      addTo(ofDay, hash);
    },
    count: () => count,
    lasting,
    list: () => [
      ...lasting().map(visitor => ({ day: 0, visitor })),
      ...[...ofDays].flatMap(([day, some]) => [...some].map(visitor => ({ day, visitor }))),
    ],
    has: (day: number, isPersistent: boolean, hash: bigint): boolean =>
      always.has(hash) || (isPersistent ? ofCookies : ofDays.get(day))?.has(hash) === true,
  };
};

/** Finds the visits of a day that have a hit which passes, or that pass without any. */
const finderOf = (
  db: Database,
  reader: DayReader,
  siteId: number,
  filters: Filter[],
): ((day: Day) => Iterable<number>) => {
  const scratchPool = createScratchPool();
  const prepared = prepareFilters(filters, siteContext(siteId, unitedDays(reader), records(db)));
  return day => (day.visits === 0 ? [] : scratchPool.within(scratch => visitsPassing(day, prepared, scratch)));
};

const visitsPassing = (day: Day, filters: readonly DayFilter[], scratch: Scratch): Uint32Array => {
  const index = indexDay(day, scratch);
  const conditions = filters.map(filter => filter(day, index, scratch));
  // What is asked of hits does not hold where there are none.
  if (day.hits === 0 && conditions.some(({ level }) => level === 'hit')) return new Uint32Array();
  return selectPassing(day, index, conditions, scratch)?.visits().slice() ?? new Uint32Array();
};
