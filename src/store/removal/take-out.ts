/**
 * Takes hits out of days after the fact. Each day changes in one transaction, after its hits are
 * safe in the removal's file. Out of an open day they go when it is sealed; until then it is only
 * noted that they are gone.
 */
import type { Database } from '../database.ts';
import type { Day } from '../day/day.ts';
import { dayReader } from '../day/day-reader.ts';
import { gather, join } from '../day/gather.ts';
import { openDays, staysOf } from '../day/open/open-days.ts';
import type { OpenDaysOptions } from '../day/open/open-parts.ts';
import { removedHits } from '../day/open/removed-rows.ts';
import type { DayPart } from '../day/part.ts';
import { rowsOf, withHits } from '../day/some-hits.ts';
import { partOf } from './move-removed.ts';
import { createRemovalFile, type RemovalFile, textsIn } from './removal-file.ts';
import { type Removal, removals } from './removals.ts';
import { sealedVersions } from './sealed-versions.ts';

/** The positions of the hits of a day that are to go, ascending. */
export type FindHits = (day: Day) => Uint32Array;

export interface Progress {
  /** UTC days, or parts of large ones, that were looked at, of so many. */
  done: number;
  of: number;
  /** Taken out, or found. */
  hits: number;
}

/** Finds hits at `from <= at < to` without changing anything; a day at each step. */
export function* countHits(
  db: Database,
  siteId: number,
  from: number,
  to: number,
  find: FindHits,
  openOptions?: OpenDaysOptions,
): Generator<Progress> {
  const reader = dayReader(db, 0, openOptions);
  const days = reader.outline(siteId, from, to);
  let hits = 0;
  for (const [i, of] of days.entries()) {
    hits += db.transaction(() => reader.day(siteId, of).reduce((sum, day) => sum + find(day).length, 0))();
    yield { done: i + 1, of: days.length, hits };
  }
}

/**
 * Takes out what `find` finds at `from <= at < to`; a day at each step. What is interrupted is
 * finished by the next call. Only while lockRemovals is held.
 */
export function* takeOut(
  db: Database,
  removal: Removal,
  from: number,
  to: number,
  find: FindHits,
  openOptions?: OpenDaysOptions,
): Generator<Progress> {
  const { siteId } = removal;
  const days = dayReader(db, 0, openOptions).outline(siteId, from, to);
  const fromOpen = openTaker(db, removal, find, openOptions);
  const file = createRemovalFile(removal.file, removal);
  const fromSealed = sealedTaker(db, removal, find, file);
  let hits = 0;
  try {
    for (const [i, of] of days.entries()) {
      // A server may seal the day in between.
      hits += fromOpen(of) ?? fromSealed(of);
      yield { done: i + 1, of: days.length, hits };
    }
  } finally {
    file.close();
  }
}

/** Takes hits out of a part of a day, and gives their number. */
type Taker<Hits> = (of: DayPart) => Hits;

const sealedTaker = (db: Database, { id, siteId }: Removal, find: FindHits, file: RemovalFile): Taker<number> => {
  const versions = sealedVersions(db);
  const { addHits } = removals(db);
  const prepare = db.transaction((of: DayPart) => {
    const before = versions.read(siteId, of);
    if (before === undefined || before.day.hits === 0) return undefined;
    const found = find(before.day);
    if (found.length === 0) return undefined;
    const stays = new Uint8Array(before.day.hits).fill(1);
    for (const hit of found) stays[hit] = 0;
    const gone = partOf(
      before.day,
      stays.map(one => 1 - one),
      before,
    );
    const version = before.day.version + 1;
    file.add({ ...gone, day: { ...gone.day, version } }, textsIn(db, gone.day));
    return { hits: found.length, write: versions.prepare(partOf(before.day, stays, before), before.had) };
  });
  const takeFrom = (of: DayPart): number => {
    const prepared = prepare(of);
    if (prepared === undefined) return 0;
    const { hits, write } = prepared;
    db.transaction(() => {
      write();
      addHits(id, hits);
    }).immediate();
    return hits;
  };
  return of => versions.partsIn(siteId, of).reduce((hits, part) => hits + takeFrom(part), 0);
};

/** Gives undefined where the day is sealed. */
const openTaker = (
  db: Database,
  { id, siteId }: Removal,
  find: FindHits,
  options?: OpenDaysOptions,
): Taker<number | undefined> => {
  const open = openDays(db, options);
  const removed = removedHits(db);
  const { addHits } = removals(db);
  const isSealed = db.prepare('select 1 from sealed_day where site_id = ? and day = ?').pluck();
  /** The rows of what is found. */
  const foundRows = db.transaction((of: DayPart): Uint32Array => {
    const whole = open.readWhole(siteId, of);
    if (whole.day.hits === 0) return new Uint32Array();
    const stays = staysOf(whole.numbers, whole.removed);
    const found = find(withHits(whole.day, stays));
    return gather(whole.numbers, gather(rowsOf(stays), found));
  });
  return of => {
    const { day, part } = of;
    if (part.importId !== undefined || isSealed.get(siteId, day) !== undefined) return undefined;
    const rows = foundRows(of);
    if (rows.length === 0) return 0;
    const put = db.transaction((): number | undefined => {
      if (isSealed.get(siteId, day) !== undefined) return undefined;
      const own = removed.of(siteId, day).find(({ removalId }) => removalId === id)?.rows ?? new Uint32Array();
      removed.put({ siteId, day }, { removalId: id, rows: join(own, rows).sort() });
      addHits(id, rows.length);
      return rows.length;
    });
    return put.immediate();
  };
};
