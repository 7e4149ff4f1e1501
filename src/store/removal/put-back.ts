/**
 * Puts hits back that were taken out (take-out.ts). Each day changes in one transaction. Parts may
 * be put back in any order, and one that is back already is left alone.
 */
import { existsSync } from 'node:fs';
import { type Database, StoreError } from '../database.ts';
import { dayOver } from '../day/day.ts';
import { joinDays, type NumberedDay } from '../day/join-days.ts';
import { removedHits } from '../day/open/removed-rows.ts';
import { partStore } from '../day/part-store.ts';
import { textWriter } from '../texts.ts';
import { partOf } from './move-removed.ts';
import {
  dropRemovalFile,
  findRemovalFile,
  isOf,
  type RemovalFile,
  type StoredPart,
  usualFile,
} from './removal-file.ts';
import { type Removal, removals, settle } from './removals.ts';
import { sealedVersions } from './sealed-versions.ts';
import type { Progress } from './take-out.ts';

/** The removal that a file belongs to. Throws StoreError when it is none of this database. */
export const removalOf = (db: Database, file: string): Removal => {
  const opened = findRemovalFile(file);
  opened?.close();
  const removal = opened && removals(db).byId(opened.removal.id);
  if (opened === undefined || removal === undefined || !isOf(opened, removal))
    throw new StoreError(`${file} belongs to no removal of this database.`);
  return removal;
};

/**
 * Puts all hits of a removal back; a day at each step. `file` is where they are now; what was taken
 * out of open days is in the usual file all the same. Days that were deleted since stay as they are.
 * What is interrupted is finished by the next call. Only while lockRemovals is held.
 */
export function* putBack(db: Database, removal: Removal, file = removal.file): Generator<Progress> {
  const { id, siteId } = removal;
  const usual = usualFile(db, id);
  const named = file === usual ? removal.file : file;
  const days = openDaysOf(db, id);
  if (!existsSync(named) && (named !== usual || days.length === 0)) throw new StoreError(`There is no file ${named}.`);
  settle(db);
  let hits = 0;
  for (const day of days) hits += dropFromOpen(db, removal, day);
  // Not before: a server that has just sealed one of the days has made the usual file.
  const paths = [...new Set([named, usual])].filter(path => existsSync(path));
  const found = paths.flatMap(path => findRemovalFile(path) ?? []);
  const files = found.filter(opened => isOf(opened, removal));
  const join = joiner(db, siteId);
  try {
    const parts = files.flatMap(from => from.parts().map(part => ({ from, part })));
    for (const [i, { from, part }] of parts.entries()) {
      hits += join(from, part);
      yield { done: i + 1, of: parts.length, hits };
    }
  } finally {
    for (const opened of found) opened.close();
  }
  removals(db).forget(id);
  dropRemovalFile(usual);
}

const openDaysOf = (db: Database, removalId: number): number[] =>
  db.prepare('select day from removed_hits where removal_id = ? order by day').pluck().all(removalId) as number[];

/** Gives the number of hits that are back. Of a day that is sealed by now they are in the file. */
const dropFromOpen = (db: Database, { id, siteId }: Removal, day: number): number => {
  const removed = removedHits(db);
  const { isSealed } = partStore(db);
  const drop = db.transaction((): number => {
    if (isSealed(siteId, day)) return 0;
    const rows = removed.of(siteId, day).find(({ removalId }) => removalId === id)?.rows;
    removed.drop({ siteId, day }, id);
    return rows?.length ?? 0;
  });
  return drop.immediate();
};

/** Joins a part of a file to its day, and gives the number of its hits; 0 where they are there already. */
const joiner = (db: Database, siteId: number): ((file: RemovalFile, stored: StoredPart) => number) => {
  const versions = sealedVersions(db);
  const keepTexts = textKeeper(db, siteId);
  return (file, stored) => {
    const { part, texts } = file.read(stored.id);
    const ids = keepTexts(texts);
    const prepare = db.transaction(() => {
      const before = versions.read(siteId, stored);
      if (before === undefined) return undefined;
      // An interrupted try has put them back, and another removal has taken some of them since.
      const there = new Set(before.hits);
      const isMissing = Uint8Array.from(part.hits, hit => (there.has(hit) ? 0 : 1));
      const back = partOf(part.day, isMissing, part);
      if (back.hits.length === 0) return undefined;
      const write = versions.prepare(joinDays(before, withTexts(back, ids)), before.had);
      return { hits: back.hits.length, write };
    });
    const prepared = prepare();
    if (prepared === undefined) return 0;
    db.transaction(prepared.write).immediate();
    return prepared.hits;
  };
};

/** Gives texts ids again that were deleted, because nothing referred to them. Returns the id of each. */
const textKeeper = (db: Database, siteId: number): ((texts: ReadonlyMap<number, string>) => Map<number, number>) => {
  const writer = textWriter(db);
  const keep = db.transaction(
    (texts: ReadonlyMap<number, string>) =>
      new Map([...texts].map(([id, value]): [number, number] => [id, writer.id(siteId, value)])),
  );
  return texts => {
    const ids = keep.immediate(texts);
    writer.keep();
    return ids;
  };
};

/** The part with other ids of texts. */
const withTexts = (part: NumberedDay, ids: ReadonlyMap<number, number>): NumberedDay => {
  const day = dayOver(part.day, name => {
    const column = part.day.column(name);
    if (column.kind !== 'text' || name === 'screen') return column;
    return { ...column, dictionary: column.dictionary.map(id => ids.get(id) ?? 0) };
  });
  return { ...part, day };
};
