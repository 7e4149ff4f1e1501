/**
 * Writes what an import read into the site's days, and takes it back. A day is written whole; all
 * days are there at once when the import is finished. What is interrupted is gone on with by the
 * next call. Only while lockImports is held.
 */
import { mergedIdentity } from '../../model/traits.ts';
import { forgetVisitors } from '../cookie-visitors.ts';
import type { Database } from '../database.ts';
import type { Day } from '../day/day.ts';
import { partHitsMaxDefault, partsFor, partsOf } from '../day/part.ts';
import { textReader, textWriter } from '../texts.ts';
import { foldHits, type HitsOfPart } from './fold-hits.ts';
import type { HitSpool } from './hit-spool.ts';
import { type DayRecords, importCounts, recordsAtOnce } from './import-counts.ts';
import { countsOf, importDays } from './import-days.ts';
import { type Import, imports } from './imports.ts';
import { dropSums } from './sums.ts';

export interface ImportProgress {
  /** UTC days that are done, of so many. */
  done: number;
  of: number;
}

/** What was read of a file. Texts are numbers of its own. */
export interface ReadHits {
  spool: Pick<HitSpool, 'days' | 'hits' | 'read'>;
  /** Its texts, from 1 to `textCount`. */
  text: (number: number) => string;
  textCount: number;
  /** UTC days on which something was counted. */
  recordDays: () => number[];
  /** What was counted on a day, in pieces of so many rows at most. */
  records: (day: number, rowsMax: number) => Iterable<DayRecords>;
}

/** Texts that get their ids in one transaction: some milliseconds. */
const textsAtOnce = 100;

/** Each step is one short transaction. */
export function* writeImport(
  db: Database,
  of: Import,
  read: ReadHits,
  now: () => number,
  partHitsMax = partHitsMaxDefault,
): Generator<ImportProgress> {
  const { id, siteId } = of;
  const days = importDays(db);
  const written = days.written(of);
  const found = [...new Set([...read.spool.days(), ...read.recordDays()])].sort((a, b) => a - b);
  const progress = { done: 0, of: found.length };
  const counts = importCounts(db);
  // What an interrupted try has counted is counted anew.
  if (written.size > 0) for (const _ of counts.drop(siteId, id)) yield progress;
  const textIds = new Uint32Array(1 + read.textCount);
  for (const _ of giveTexts(db, siteId, read, textIds)) yield progress;
  const returning = returningVisitors(db, siteId);
  const mergeIdentities = identityMerger(db, siteId);
  for (const day of found) {
    if (!written.has(day)) {
      const writer = days.begin(of, day);
      const hits = read.spool.hits(day);
      for (const part of hits === 0 ? [] : partsOf(partsFor(hits, partHitsMax))) {
        const words = read.spool.read(day, part);
        const isReturning = returning.before(day);
        const folded = foldHits({ siteId, day, part, words, textIds, isReturning, mergeIdentities });
        for (const _ of writer.write(folded)) yield progress;
        for (const _ of keepVisitors(returning, folded)) yield progress;
      }
      writer.finish(now());
    }
    progress.done++;
    yield progress;
  }
  // Last, since the tables of records know nothing of imports that are under way.
  for (const day of read.recordDays()) {
    let number = 0;
    for (const records of read.records(day, recordsAtOnce)) {
      counts.add(siteId, day, id, number++, withTextIds(records, textIds));
      yield progress;
    }
  }
  imports(db).finish(id, now());
}

/** What a day would count if it were written; nothing is. */
export function* countImport(
  { spool, textCount }: ReadHits,
  siteId: number,
  day: number,
  partHitsMax = partHitsMaxDefault,
): Generator<ReturnType<typeof countsOf>> {
  const textIds = new Uint32Array(1 + textCount).map((_, number) => number);
  for (const part of partsOf(partsFor(spool.hits(day), partHitsMax))) {
    const words = spool.read(day, part);
    const [isReturning, mergeIdentities] = [() => false, (_: number, later: { name: number; traits: number }) => later];
    yield countsOf(foldHits({ siteId, day, part, words, textIds, isReturning, mergeIdentities }));
  }
}

const withTextIds = ({ crawls, vitals, ...counts }: DayRecords, textIds: Uint32Array): DayRecords => ({
  ...counts,
  crawls: crawls.map(row => ({ ...row, name: textIds[row.name]!, path: textIds[row.path]! })),
  vitals: vitals.map(row => ({ ...row, path: textIds[row.path]!, device: textIds[row.device]! })),
});

/** Fills `textIds` with the ids of texts that are numbered from 1. */
export function* giveTexts(
  db: Database,
  siteId: number,
  { text, textCount }: Pick<ReadHits, 'text' | 'textCount'>,
  textIds: Uint32Array,
): Generator<void> {
  const writer = textWriter(db);
  const give = db.transaction((from: number, to: number) => {
    for (let number = from; number < to; number++) textIds[number] = writer.id(siteId, text(number));
  });
  for (let from = 1; from <= textCount; from += textsAtOnce) {
    give.immediate(from, Math.min(from + textsAtOnce, textCount + 1));
    writer.keep();
    yield;
  }
}

const identityMerger = (db: Database, siteId: number): HitsOfPart['mergeIdentities'] => {
  const writer = textWriter(db);
  const { text } = textReader(db);
  const merge = db.transaction((before: number, later: { name: number; traits: number }) => {
    const [earlier, name, traits] = [before, later.name, later.traits].map(id => text(siteId, id));
    const merged = mergedIdentity(earlier!, { name: name ?? '', traits: traits! });
    return { name: writer.id(siteId, merged.name), traits: writer.id(siteId, merged.traits) };
  });
  return (before, later) => {
    const merged = merge.immediate(before, later);
    writer.keep();
    return merged;
  };
};

interface ReturningVisitors {
  /** Whether a visitor of cookie mode had a hit before a day. */
  before(day: number): (high: number, low: number) => boolean;
  /** Keeps that visitors had hits on a day. */
  keep(visitors: readonly bigint[], day: number): void;
}

export const returningVisitors = (db: Database, siteId: number): ReturningVisitors => {
  const find = db.prepare('select 1 from cookie_visitor where site_id = ? and visitor = ? and day < ?').pluck();
  const insert = db.prepare(
    `insert into cookie_visitor (site_id, visitor, day) values (?, ?, ?)
     on conflict do update set day = excluded.day where excluded.day < day`,
  );
  const bytes = Buffer.alloc(8);
  return {
    before: day => (high, low) => {
      bytes.writeUInt32BE(high, 0);
      bytes.writeUInt32BE(low, 4);
      return find.get(siteId, bytes, day) !== undefined;
    },
    keep: db.transaction((visitors: readonly bigint[], day: number): void => {
      for (const visitor of visitors) {
        bytes.writeBigUInt64BE(visitor);
        insert.run(siteId, bytes, day);
      }
    }).immediate as ReturningVisitors['keep'],
  };
};

const visitorsAtOnce = 1000;

/** Keeps that the visitors of cookie mode had hits on a day; each step is one short transaction. */
export function* keepVisitors(returning: ReturningVisitors, day: Day): Generator<void> {
  const hashes = day.hashes().subarray(day.hashVisits);
  for (let from = 0; from < hashes.length; from += visitorsAtOnce) {
    returning.keep(Array.from(hashes.subarray(from, from + visitorsAtOnce)), day.day);
    yield;
  }
}

/** Takes all back that an import brought: from the first step on nothing of it is there. */
export function* undoImport(db: Database, of: Import): Generator<ImportProgress> {
  const { id, siteId } = of;
  db.prepare('update import set finished_at = null where id = ?').run(id);
  const days = importDays(db);
  const written = [...days.written(of)].sort((a, b) => a - b);
  const progress = { done: 0, of: written.length };
  yield progress;
  for (const _ of importCounts(db).drop(siteId, id)) yield progress;
  const ofVisitors = { first: written[0] ?? 0, last: written.at(-1) ?? -1, from: 0, isMoved: true };
  for (const _ of forgetVisitors(db, siteId, ofVisitors)) yield progress;
  for (const done of days.drop(of)) yield { ...progress, done };
  for (const _ of dropSums(db, of)) yield progress;
  db.prepare('delete from import where id = ?').run(id);
}
