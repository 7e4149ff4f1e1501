/**
 * Takes hits out of days after the fact. Each day changes in one transaction, after its hits are
 * safe in the removal's file. Out of an open day they go when it is sealed; until then it is only
 * noted that they are gone.
 */
import type { Database } from '../database.ts';
import type { Day } from '../day/day.ts';
import { dayReader } from '../day/day-reader.ts';
import { gather } from '../day/gather.ts';
import { openDays, staysOf } from '../day/open/open-days.ts';
import { removedHits } from '../day/open/removed-rows.ts';
import { rowsOf, withHits } from '../day/some-hits.ts';
import { partOf } from './move-removed.ts';
import { createRemovalFile, type RemovalFile, textsIn } from './removal-file.ts';
import { type Removal, removals } from './removals.ts';
import { sealedVersions } from './sealed-versions.ts';

/** The positions of the hits of a day that are to go, ascending. */
export type FindHits = (day: Day) => Uint32Array;

export interface Progress {
  /** UTC days looked at, of so many. */
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
): Generator<Progress> {
  const reader = dayReader(db, 0);
  const days = reader.outline(siteId, from, to);
  let hits = 0;
  for (const [i, { day }] of days.entries()) {
    hits += db.transaction(() => {
      const found = reader.day(siteId, day);
      return found === undefined ? 0 : find(found).length;
    })();
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
): Generator<Progress> {
  const { siteId } = removal;
  const days = dayReader(db, 0).outline(siteId, from, to);
  const fromOpen = openTaker(db, removal, find);
  let file: RemovalFile | undefined;
  const fromSealed = sealedTaker(db, removal, find, () => {
    file ??= createRemovalFile(removal.file, removal);
    return file;
  });
  let hits = 0;
  try {
    for (const [i, { day }] of days.entries()) {
      // A server may seal the day in between.
      hits += fromOpen(day) ?? fromSealed(day);
      yield { done: i + 1, of: days.length, hits };
    }
  } finally {
    file?.close();
  }
}

/** Takes hits out of one day, and gives their number. */
type Taker<Hits> = (day: number) => Hits;

const sealedTaker = (db: Database, { id, siteId }: Removal, find: FindHits, file: () => RemovalFile): Taker<number> => {
  const versions = sealedVersions(db);
  const { addHits } = removals(db);
  const prepare = db.transaction((number: number) => {
    const before = versions.read(siteId, number);
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
    file().add({ ...gone, day: { ...gone.day, version } }, textsIn(db, gone.day));
    return { hits: found.length, write: versions.prepare(partOf(before.day, stays, before), before.had) };
  });
  return number => {
    const prepared = prepare(number);
    if (prepared === undefined) return 0;
    const { hits, write } = prepared;
    db.transaction(() => {
      write();
      addHits(id, hits);
    }).immediate();
    return hits;
  };
};

/** Gives undefined where the day is sealed. */
const openTaker = (db: Database, { id, siteId }: Removal, find: FindHits): Taker<number | undefined> => {
  const open = openDays(db);
  const removed = removedHits(db);
  const { addHits } = removals(db);
  const isSealed = db.prepare('select 1 from sealed_day where site_id = ? and day = ?').pluck();
  /** The rows of what is found. */
  const foundRows = db.transaction((day: number): Uint32Array => {
    const whole = open.readWhole(siteId, day);
    if (whole.day.hits === 0) return new Uint32Array();
    const there = rowsOf(staysOf(whole.rows, whole.removed));
    const found = find(withHits(whole.day, staysOf(whole.rows, whole.removed)));
    return gather(whole.rows, gather(there, found));
  });
  return day => {
    if (isSealed.get(siteId, day) !== undefined) return undefined;
    const rows = foundRows(day);
    if (rows.length === 0) return 0;
    const put = db.transaction((): number | undefined => {
      if (isSealed.get(siteId, day) !== undefined) return undefined;
      const own = removed.of(siteId, day).find(({ removalId }) => removalId === id)?.rows ?? [];
      removed.put({ siteId, day }, { removalId: id, rows: Uint32Array.from([...own, ...rows]).sort() });
      addHits(id, rows.length);
      return rows.length;
    });
    return put.immediate();
  };
};
