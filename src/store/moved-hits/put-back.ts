/**
 * Puts hits back that an earlier version took out of days, into a file: they come beside their
 * days, as an import of hits does.
 */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { type Database, openDatabase, StoreError } from '../database.ts';
import { type Day, dayOver } from '../day/day.ts';
import { partHitsMaxDefault, partsFor, partsOf } from '../day/part.ts';
import { uniteDays } from '../day/unite-days.ts';
import { importDays } from '../imports/import-days.ts';
import { type Import, imports } from '../imports/imports.ts';
import { undoImport } from '../imports/write-import.ts';
import { textWriter } from '../texts.ts';
import {
  dropRemovalFile,
  findRemovalFile,
  isOf,
  type RemovalFile,
  type StoredPart,
  usualFile,
} from './removal-file.ts';
import { type Removal, removals } from './removals.ts';

export interface PutBackProgress {
  /** UTC days that are done, of so many. */
  done: number;
  of: number;
  /** That are back. */
  hits: number;
}

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
 * Puts all hits of a removal back; a day at each step, and all are there at once in the end. `file`
 * is where they are now; those of days that were open are in the usual file all the same. Days that
 * were deleted since stay as they are. What is interrupted begins again. Only while lockImports is
 * held. Gives how many hits are back.
 */
export function* putBack(db: Database, removal: Removal, file = removal.file): Generator<PutBackProgress, number> {
  const usual = usualFile(db, removal.id);
  const named = file === usual ? removal.file : file;
  if (!existsSync(named)) throw new StoreError(`There is no file ${named}.`);
  const paths = [...new Set([named, usual])].filter(path => existsSync(path));
  const found = paths.flatMap(path => findRemovalFile(path) ?? []);
  let hits = 0;
  try {
    const isThere = dayFinder(db, removal.siteId);
    const parts = found
      .filter(opened => isOf(opened, removal))
      .flatMap(from => from.parts().map(part => ({ from, part })))
      .filter(({ part }) => isThere(part));
    const days = [...new Set(parts.map(({ part }) => part.day))];
    const write = dayWriter(db, removal, basename(named));
    for (const [i, day] of days.entries()) {
      hits += yield* write.add(
        parts.filter(({ part }) => part.day === day),
        { done: i, of: days.length, hits },
      );
      yield { done: i + 1, of: days.length, hits };
    }
    write.finish();
  } finally {
    for (const opened of found) opened.close();
  }
  dropRemovalFile(usual);
  return hits;
}

/** What the import of a removal has in place of its content's. */
const digestOf = (removalId: number, createdAt: number): Buffer =>
  createHash('sha256').update(`removal ${removalId} ${createdAt}`).digest();

/** Opens the database for a program that changes or reads what it holds. */
export const openStore = (dataDir: string): Database => {
  const db = openDatabase(dataDir);
  dropFilesPutBack(db);
  return db;
};

/** Deletes the usual files of removals that were put back by a process that ended before it did. */
const dropFilesPutBack = (db: Database): void => {
  const dir = dirname(usualFile(db, 0));
  const names = existsSync(dir) ? readdirSync(dir) : [];
  const ids = names.flatMap(name => /^(\d+)\.db$/.exec(name)?.[1] ?? []).map(Number);
  if (ids.length === 0) return;
  const finished = imports(db)
    .list()
    .filter(({ finishedAt }) => finishedAt !== null);
  for (const id of ids)
    if (finished.some(({ digest, createdAt }) => digest.equals(digestOf(id, createdAt))))
      dropRemovalFile(usualFile(db, id));
};

/** Whether the day is still there that a part was taken out of. */
const dayFinder = (db: Database, siteId: number): ((of: StoredPart) => boolean) => {
  const open = db.prepare('select 1 from visit where site_id = ? and day = ? limit 1').pluck();
  const sealed = db
    .prepare('select 1 from day_part where site_id = ? and day = ? and import_id = ? and sealed_at is not null limit 1')
    .pluck();
  return ({ day, part: { importId = 0 } }) =>
    sealed.get(siteId, day, importId) !== undefined || (importId === 0 && open.get(siteId, day) !== undefined);
};

type FoundPart = { from: RemovalFile; part: StoredPart };

/** Writes the days of an import that stands for a removal. */
const dayWriter = (db: Database, { id: removalId, siteId, createdAt }: Removal, source: string) => {
  const [table, days, keepTexts] = [imports(db), importDays(db), textKeeper(db, siteId)];
  const { forget } = removals(db);
  const digest = digestOf(removalId, createdAt);
  const totals = { visitors: null, visits: null, pageviews: null, events: null };
  const facts = { siteId, kind: 'hits', format: 'ndjson', source, digest, outcomes: {}, totals } as const;
  let begun: Import | undefined;
  const add = function* (parts: readonly FoundPart[], progress: PutBackProgress): Generator<PutBackProgress, number> {
    if (begun === undefined) {
      const before = table.ofContent(siteId, digest);
      if (before !== undefined) for (const _ of undoImport(db, before)) yield progress;
      begun = table.begin({ ...facts, lines: 0, firstAt: 0, lastAt: 0 }, createdAt);
    }
    const sources = parts.map(({ from, part }) => {
      const { day, texts } = from.read(part.id);
      return withTexts({ ...day, siteId }, keepTexts(texts));
    });
    const hits = sources.reduce((sum, day) => sum + day.hits, 0);
    const writer = days.begin(begun, sources[0]!.day);
    for (const part of partsOf(partsFor(hits, partHitsMaxDefault)))
      for (const _ of writer.write(uniteDays(sources, part))) yield progress;
    writer.finish(createdAt);
    return hits;
  };
  const setFacts = db.prepare(
    `update import set (lines, first_at, last_at) =
       (select sum(hits), min(first_at), max(last_at) from day_part d where d.site_id = @siteId and d.import_id = @id)
     where id = @id`,
  );
  const finish = db.transaction(() => {
    forget(removalId);
    if (begun === undefined) return;
    setFacts.run({ id: begun.id, siteId });
    table.finish(begun.id, createdAt);
  });
  return { add, finish: () => finish.immediate() };
};

/** Gives texts ids again that were deleted, because nothing referred to them; returns their ids. */
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

/** The day with other ids of texts, whose columns are in order again once they are composed. */
const withTexts = (day: Day, ids: ReadonlyMap<number, number>): Day =>
  dayOver(day, name => {
    const column = day.column(name);
    if (column.kind !== 'text' || name === 'screen') return column;
    return { ...column, dictionary: column.dictionary.map(id => ids.get(id) ?? 0) };
  });
