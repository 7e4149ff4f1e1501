/**
 * Takes hits out of days after the fact. Each day changes in one transaction, or each part of a
 * large one, after its hits are safe in the removal's file. Out of an open day they go when it is
 * sealed; until then it is only noted that they are gone.
 */
import type { Database } from '../database.ts';
import type { Day } from '../day/day.ts';
import { type DayOutline, dayReader } from '../day/day-reader.ts';
import { gather, join } from '../day/gather.ts';
import { withMarks } from '../day/mark-visits.ts';
import { openDays, staysOf, type WholeDay } from '../day/open/open-days.ts';
import type { OpenDaysOptions } from '../day/open/open-parts.ts';
import { removedHits } from '../day/open/removed-rows.ts';
import { type DayPart, type Part, partsOf } from '../day/part.ts';
import { partStore } from '../day/part-store.ts';
import { rowsOf, withHits } from '../day/some-hits.ts';
import { uniteWithRows } from '../day/unite-days.ts';
import { byDay, isOfOne, overlap, unitedDays } from '../day/united-days.ts';
import { partOf } from './move-removed.ts';
import { createRemovalFile, type RemovalFile, textsIn } from './removal-file.ts';
import { type Removal, removals } from './removals.ts';
import { type SealedVersion, sealedVersions } from './sealed-versions.ts';

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
  const reader = unitedDays(dayReader(db, 0, openOptions));
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
  const parts = dayReader(db, 0, openOptions).outline(removal.siteId, from, to);
  // Hits of one visit may have come several ways: these are looked at, and change, together.
  const steps = byDay(parts).flatMap(ofDay => (isOfOne(ofDay) ? ofDay.map(part => [part]) : [ofDay]));
  const file = createRemovalFile(removal.file, removal);
  const take = taker(db, removal, find, [sealedSources(db, removal, file), openSources(db, removal, openOptions)]);
  let hits = 0;
  try {
    for (const [i, step] of steps.entries()) {
      hits += take(step);
      yield { done: i + 1, of: steps.length, hits };
    }
  } finally {
    file.close();
  }
}

/** A part of a day as it is stored. Good for the transaction that it was found in. */
interface Source {
  part: Part;
  day(): Day;
  /**
   * Makes ready to take out the hits at some positions, ascending. `ahead` tells how many parts that
   * share its version are written before it.
   */
  prepare(found: Uint32Array, ahead: number): Change;
}

interface Change {
  hits: number;
  /** To be called inside a transaction. False where the day was sealed meanwhile. */
  write(): boolean;
}

/** What there is in a part of a day: none where it is stored in another way. */
type Sources = (of: DayPart) => Source[];

class Sealed extends Error {}

/** Takes hits out of parts of a day, and gives their number. */
const taker = (
  db: Database,
  { id }: Removal,
  find: FindHits,
  kinds: readonly Sources[],
): ((parts: readonly DayOutline[]) => number) => {
  const { addHits } = removals(db);
  const prepare = db.transaction((parts: readonly DayOutline[]): Change[] => {
    const sources = parts.flatMap(part => kinds.flatMap(sourcesIn => sourcesIn(part)));
    const found = isOfOne(parts) ? sources.map(source => find(source.day())) : findUnited(sources, find);
    const ahead = new Map<number, number>();
    return sources.flatMap((source, i) => {
      const rows = found[i]!;
      if (rows.length === 0) return [];
      const importId = source.part.importId ?? 0;
      const before = ahead.get(importId) ?? 0;
      ahead.set(importId, before + 1);
      return source.prepare(rows, before);
    });
  });
  const write = db.transaction((changes: readonly Change[]): number => {
    const hits = changes.reduce((sum, change) => sum + change.hits, 0);
    for (const change of changes) if (!change.write()) throw new Sealed();
    addHits(id, hits);
    return hits;
  });
  return parts => {
    while (true) {
      const changes = prepare(parts);
      if (changes.length === 0) return 0;
      try {
        return write.immediate(changes);
      } catch (error) {
        if (!(error instanceof Sealed)) throw error;
      }
    }
  };
};

/** Looks at the day that all sources make, and gives the positions in each of them. */
const findUnited = (sources: readonly Source[], find: FindHits): Uint32Array[] => {
  const found: Uint32Array[] = sources.map(() => new Uint32Array());
  for (const part of partsOf(Math.max(0, ...sources.map(source => source.part.of)))) {
    const some = sources.flatMap((source, i) => (overlap(source.part, part) ? { i, day: source.day() } : []));
    if (some.length === 0) continue;
    const { day, rows } = uniteWithRows(withMarks(some.map(one => one.day)), part);
    const hits = day.hits === 0 ? new Uint32Array() : gather(rows, find(day));
    let before = 0;
    for (const { i, day } of some) {
      const [first, end] = [before, before + day.hits];
      const own = hits.filter(row => row >= first && row < end).map(row => row - first);
      found[i] = join(found[i]!, own);
      before = end;
    }
  }
  return found.map(positions => positions.sort());
};

const sealedSources = (db: Database, { siteId }: Removal, file: RemovalFile): Sources => {
  const versions = sealedVersions(db);
  const source = (of: DayPart): Source => {
    const read = (): SealedVersion => versions.read(siteId, of)!;
    return {
      part: of.part,
      day: () => read().day,
      prepare(found, ahead) {
        const was = read();
        const before = { ...was, day: { ...was.day, version: was.day.version + ahead } };
        const stays = new Uint8Array(before.day.hits).fill(1);
        for (const hit of found) stays[hit] = 0;
        const gone = partOf(
          before.day,
          stays.map(one => 1 - one),
          before,
        );
        const version = before.day.version + 1;
        file.add({ ...gone, day: { ...gone.day, version } }, textsIn(db, gone.day));
        const write = versions.prepare(partOf(before.day, stays, before), before.had);
        return {
          hits: found.length,
          write() {
            write();
            return true;
          },
        };
      },
    };
  };
  return of => versions.partsIn(siteId, of).map(source);
};

const openSources = (db: Database, { id, siteId }: Removal, options?: OpenDaysOptions): Sources => {
  const open = openDays(db, options);
  const removed = removedHits(db);
  const { isSealed } = partStore(db);
  const source = (of: DayPart): Source => {
    const { day } = of;
    const read = (): WholeDay & { stays: Uint8Array } => {
      const whole = open.readWhole(siteId, of);
      return { ...whole, stays: staysOf(whole.numbers, whole.removed) };
    };
    return {
      part: of.part,
      day() {
        const { day, stays } = read();
        return withHits(day, stays);
      },
      prepare(found) {
        const { numbers, stays } = read();
        const rows = gather(numbers, gather(rowsOf(stays), found));
        return {
          hits: rows.length,
          write() {
            if (isSealed(siteId, day)) return false;
            const own = removed.of(siteId, day).find(({ removalId }) => removalId === id)?.rows ?? new Uint32Array();
            removed.put({ siteId, day }, { removalId: id, rows: join(own, rows).sort() });
            return true;
          },
        };
      },
    };
  };
  return of => (of.part.importId !== undefined || isSealed(siteId, of.day) ? [] : [source(of)]);
};
